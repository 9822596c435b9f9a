import type { StateReader } from '../../journal/port.js';
import { READ_PAGE_CHARACTERS_MAX, READ_PAGE_ROWS, READ_ROWS_AT_ONCE_MAX } from '../../model/limits.js';
import type { ReadQuestion } from '../../route/read-question.js';
import { answerPieces, type Pieces } from './answer-pieces.js';

/** An answer that is being read: its next pages are read when they are asked for. */
export class ReadJob {
  readonly #pieces: Pieces;
  #rowsKnown = 0;
  #isLast = false;

  constructor(reader: StateReader, question: ReadQuestion) {
    this.#pieces = answerPieces(reader, question, (rows) => (this.#rowsKnown += rows));
  }

  /** Rows that the answer has, as far as is known by now. */
  get rowsKnown(): number {
    return this.#rowsKnown;
  }

  /** True when there is no further page. */
  get isLast(): boolean {
    return this.#isLast;
  }

  /** The text of the next page: READ_PAGE_ROWS rows at most, and some READ_PAGE_CHARACTERS_MAX characters. */
  page(): string {
    return this.#read(READ_PAGE_ROWS, Number.POSITIVE_INFINITY);
  }

  /** The whole answer when it has READ_ROWS_AT_ONCE_MAX rows at most; null, and the end of the job, when it has more. */
  whole(): string | null {
    const text = this.#read(READ_ROWS_AT_ONCE_MAX, READ_ROWS_AT_ONCE_MAX);
    if (this.#isLast) return text;
    this.end();
    return null;
  }

  /** Gives up what the job holds. */
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
