import type { StateReader } from '../../journal/port.js';
import type { ReadPage, ReadQuestion } from '../../route/read-question.js';
import { ReadJob } from './read-job.js';

/** The jobs of a thread that reads answers, by the numbers that their asker has given them. */
export class ReadJobs {
  readonly #reader: StateReader;
  readonly #jobs = new Map<number, ReadJob>();

  constructor(reader: StateReader) {
    this.#reader = reader;
  }

  /** `question` begins a job. null: there is no such job. What it throws ends the job. */
  page(number: number, question: ReadQuestion | null): ReadPage | null {
    // Includes every turn that was answered before the page is read.
    this.#reader.refresh();
    const job = question === null ? this.#jobs.get(number) : new ReadJob(this.#reader, question);
    if (job === undefined) return null;
    this.#jobs.delete(number);
    const bytes = new TextEncoder().encode(job.page());
    if (!job.isLast) this.#jobs.set(number, job);
    return { bytes, rowsKnown: job.rowsKnown, isLast: job.isLast };
  }

  dropAll(): void {
    for (const number of this.#jobs.keys()) this.drop(number);
  }

  drop(number: number): void {
    this.#jobs.get(number)?.end();
    this.#jobs.delete(number);
  }
}
