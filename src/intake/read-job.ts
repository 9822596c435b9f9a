import { READ_PAGE_CHARACTERS_MAX, READ_PAGE_ROWS, READ_ROWS_AT_ONCE_MAX } from '../domain/limits/clients.js';
import type { ReadHost, ReadPage, ReadRequest } from '../domain/query.js';
import type { StateReader } from '../journal/port.js';
import { answerPieces, type Pieces } from './answer-pieces.js';

/** An answer that is read page by page. */
export class ReadJob {
  readonly #pieces: Pieces;
  #rowsKnown = 0;
  #isLast = false;

  constructor(reader: StateReader, request: ReadRequest) {
    this.#pieces = answerPieces(reader, request, (rows) => (this.#rowsKnown += rows));
  }

  /** Rows of the answer that are known so far. */
  get rowsKnown(): number {
    return this.#rowsKnown;
  }

  /** True when there is no further page. */
  get isLast(): boolean {
    return this.#isLast;
  }

  /** The text of the next page: at most READ_PAGE_ROWS rows, and about READ_PAGE_CHARACTERS_MAX characters. */
  page(): string {
    return this.#read(READ_PAGE_ROWS, Number.POSITIVE_INFINITY);
  }

  /** The whole answer when it has at most READ_ROWS_AT_ONCE_MAX rows. Otherwise ends the job and returns null. */
  whole(): string | null {
    const text = this.#read(READ_ROWS_AT_ONCE_MAX, READ_ROWS_AT_ONCE_MAX);
    if (this.#isLast) return text;
    this.end();
    return null;
  }

  /** Releases the resources of the job. */
  end(): void {
    this.#pieces.return();
  }

  #read(rowsMax: number, rowsKnownMax: number): string {
    const texts: string[] = [];
    let characters = 0;
    for (let rows = 0; rows < rowsMax && characters < READ_PAGE_CHARACTERS_MAX; rows += 1) {
      const piece = this.#pieces.next();
      if (piece.done === true) {
        this.#isLast = true;
        break;
      }
      texts.push(piece.value);
      characters += piece.value.length;
      if (this.#rowsKnown > rowsKnownMax) break;
    }
    return texts.join('');
  }
}

/** The jobs of a reading thread, by the numbers that their caller chose. */
export class ReadJobs {
  readonly #reader: StateReader;
  readonly #jobs = new Map<number, ReadJob>();

  constructor(reader: StateReader) {
    this.#reader = reader;
  }

  /** `request` starts a job. null: there is no such job. An exception ends the job. */
  page(number: number, request: ReadRequest | null): ReadPage | null {
    // The page includes every turn that was answered before this call.
    this.#reader.latest();
    const job = request === null ? this.#jobs.get(number) : new ReadJob(this.#reader, request);
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

/** Reads the pages in the calling thread, one in each later turn of its event loop. */
export class LocalReadHost implements ReadHost {
  readonly #jobs: ReadJobs;
  readonly #soon: (run: () => void) => void;

  constructor(reader: StateReader, soon: (run: () => void) => void) {
    this.#jobs = new ReadJobs(reader);
    this.#soon = soon;
  }

  page(job: number, request: ReadRequest | null, answer: (page: ReadPage | null) => void): void {
    this.#soon(() => answer(this.#jobs.page(job, request)));
  }

  drop(job: number): void {
    this.#jobs.drop(job);
  }
}
