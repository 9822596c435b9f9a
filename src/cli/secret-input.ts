import { CommandFailure, UsageError } from './context.js';

/** A terminal, such as `process.stdin` when it is one. */
export interface Terminal {
  setRawMode(isRaw: boolean): unknown;
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
  off(event: 'data', listener: (chunk: Buffer) => void): unknown;
  resume(): unknown;
  pause(): unknown;
  unshift(chunk: Buffer): unknown;
}

/**
 * Asks a question and reads the answer without echo, up to Enter. A private key in PEM ends with its last line.
 * Backspace and Ctrl-U correct, Ctrl-C cancels. Throws CommandFailure when it is cancelled, UsageError when it is
 * longer than `bytesMax`.
 */
export function askHidden(
  terminal: Terminal,
  output: { write(text: string): unknown },
  question: string,
  bytesMax: number,
): Promise<Buffer> {
  const text = new HiddenText(bytesMax);
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      const used = text.type(chunk);
      const rest = used === null ? null : Buffer.from(chunk.subarray(used));
      chunk.fill(0);
      if (rest === null) return;
      terminal.off('data', onData);
      terminal.pause();
      terminal.setRawMode(false);
      // A paste of several lines answers the next question too.
      if (rest.length > 0) terminal.unshift(rest);
      output.write('\n');
      const answer = text.answer();
      if (answer instanceof Error) reject(answer);
      else resolve(answer);
    };
    terminal.setRawMode(true);
    output.write(question);
    terminal.on('data', onData);
    terminal.resume();
  });
}

const CTRL_C = 3;
const CTRL_D = 4;
const BACKSPACE = 8;
const LINE_FEED = 10;
const RETURN = 13;
const CTRL_U = 21;
const DELETE = 127;

/** The typed bytes of an answer. */
class HiddenText {
  readonly #bytes: Buffer;
  #length = 0;
  #lineAt = 0;
  #wasReturn = false;
  #isCancelled = false;

  constructor(bytesMax: number) {
    // One byte more shows that the answer is too long.
    this.#bytes = Buffer.alloc(bytesMax + 1);
  }

  /** Returns the number of bytes up to the end of the answer; null: it goes on. */
  type(chunk: Buffer): number | null {
    for (const [index, byte] of chunk.entries()) if (this.#isLast(byte)) return index + 1;
    return null;
  }

  /** Returns a copy of the answer and overwrites the typed bytes. */
  answer(): Buffer | Error {
    const answer = Buffer.from(this.#bytes.subarray(0, this.#length));
    const bytesMax = this.#bytes.length - 1;
    this.#bytes.fill(0);
    if (!this.#isCancelled && answer.length <= bytesMax) return answer;
    answer.fill(0);
    return this.#isCancelled ? new CommandFailure('cancelled; nothing is changed') : tooLong(bytesMax);
  }

  #isLast(byte: number): boolean {
    const isSecondOfPair = byte === LINE_FEED && this.#wasReturn;
    this.#wasReturn = byte === RETURN;
    if (isSecondOfPair) return false;
    switch (byte) {
      case CTRL_C:
        this.#isCancelled = true;
        return true;
      case CTRL_D:
        return true;
      case LINE_FEED:
      case RETURN:
        return this.#isEndOfText();
      case BACKSPACE:
      case DELETE:
        if (this.#length > 0) this.#length -= 1;
        return false;
      case CTRL_U:
        this.#length = 0;
        this.#lineAt = 0;
        return false;
      default:
        this.#append(byte);
        return false;
    }
  }

  /** At the end of a line. The lines of a PEM belong together. */
  #isEndOfText(): boolean {
    const line = this.#bytes.toString('latin1', this.#lineAt, this.#lineAt + '-----END'.length);
    const isOpenPem = this.#bytes.subarray(0, 10).equals(Buffer.from('-----BEGIN')) && line !== '-----END';
    if (!isOpenPem || this.#length === this.#bytes.length) return true;
    this.#append(LINE_FEED);
    this.#lineAt = this.#length;
    return false;
  }

  #append(byte: number): void {
    if (this.#length === this.#bytes.length) return;
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }
}

/** Reads a stream to its end and overwrites what it copies. Throws UsageError for more than `bytesMax` bytes. */
export async function readAll(input: AsyncIterable<unknown>, bytesMax: number): Promise<Buffer> {
  const bytes = Buffer.alloc(bytesMax);
  let length = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    if (length + chunk.length > bytesMax) {
      bytes.fill(0);
      throw tooLong(bytesMax);
    }
    chunk.copy(bytes, length);
    length += chunk.length;
    chunk.fill(0);
  }
  return bytes.subarray(0, length);
}

function tooLong(bytesMax: number): UsageError {
  return new UsageError(`the input is longer than ${bytesMax} bytes`);
}
