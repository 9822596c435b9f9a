import type { StateReader } from '../../journal/port.js';
import type { ReadHost, ReadPage, ReadQuestion } from '../../route/read-question.js';
import { ReadJobs } from './read-jobs.js';

/** Reads the pages in the thread that asks, one in each later turn of its loop. */
export class LocalReadHost implements ReadHost {
  readonly #jobs: ReadJobs;
  readonly #soon: (run: () => void) => void;

  constructor(reader: StateReader, soon: (run: () => void) => void) {
    this.#jobs = new ReadJobs(reader);
    this.#soon = soon;
  }

  page(job: number, question: ReadQuestion | null, answer: (page: ReadPage | null) => void): void {
    this.#soon(() => answer(this.#jobs.page(job, question)));
  }

  drop(job: number): void {
    this.#jobs.drop(job);
  }
}
