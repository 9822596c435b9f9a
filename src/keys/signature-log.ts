import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SIGNATURE_FILE_BYTES, SIGNATURE_FILE_MS, SIGNATURE_MARGIN_MS } from '../domain/limits/clients.js';
import { makeFolder, namesIn, signatureFolder } from '../storage/data-directory.js';

/** One use of a signature. Account and mark contain no white space; the target contains one blank. */
export interface LoggedUse {
  readonly account: string;
  /** Only its first MARK_CHARACTERS are stored. */
  readonly mark: string;
  /** Method and path. */
  readonly target: string;
  /** Real time, epoch milliseconds. */
  readonly validUntilMs: number;
  readonly isSpent: boolean;
}

export interface LoadedUses {
  readonly uses: readonly LoggedUse[];
  /** Uses of signatures with an earlier time stamp than this may be missing; real time, epoch milliseconds. */
  readonly unknownBeforeMs: number;
}

export interface SignatureLogParts {
  readonly dataDir: string;
  /** True: no process has served from this directory before. */
  readonly isNew: boolean;
  readonly realNowMs: () => number;
  readonly monotonicMs: () => number;
  /** Id of the operating system's boot; null: unknown. */
  readonly bootId: string | null;
  /** Runs the function once, after the sockets of this turn of the event loop. */
  readonly atEndOfTurn: (run: () => void) => void;
  readonly onFailure: (error: unknown) => void;
  /** Replaced in tests to simulate disk failures. Writes the whole text. */
  readonly write?: (file: number, text: string) => void;
}

export type WrittenAnswer = (isWritten: boolean) => void;

interface LogFile {
  readonly path: string;
  readonly file: number;
  readonly openedAtMs: number;
  bytes: number;
  /** The last signature of the file has expired when both clocks have passed these times. */
  validUntilMs: number;
  overAtMonotonicMs: number;
}

const FORMAT = 'sluice-signatures-1';
const MARK_CHARACTERS = 16;

/**
 * Keeps used signatures over a restart of the process, in files of `<dataDir>/signatures`.
 *
 * A write reaches the page cache before it returns. The page cache outlives the process but not the operating system,
 * so nothing is synced. Each file names the boot of the operating system that wrote it. The files of another boot may
 * lack their end; then the service treats signatures from before this start as unknown.
 *
 * Lines of one turn of the event loop are written together.
 */
export class SignatureLog {
  readonly #parts: SignatureLogParts;
  readonly #folder: string;
  readonly #closed: LogFile[] = [];
  #current: LogFile | null = null;
  #unknownBeforeMs = 0;
  #lines: string[] = [];
  #waiting: WrittenAnswer[] = [];
  #validUntilMs = 0;
  #isScheduled = false;

  constructor(parts: SignatureLogParts) {
    this.#parts = parts;
    this.#folder = signatureFolder(parts.dataDir);
  }

  /**
   * Reads every file and writes the uses that may still be valid into one new file. Throws the errors of the file
   * system.
   */
  load(): LoadedUses {
    makeFolder(this.#folder);
    const names = namesIn(this.#folder);
    const nowMs = this.#parts.realNowMs();
    const uses: LoggedUse[] = [];
    for (const name of names) {
      const [header = '', ...lines] = readFileSync(join(this.#folder, name), 'latin1').split('\n');
      const unknownBeforeMs = this.#isOfThisRun(header) ? Number(header.split(' ')[2]) : nowMs;
      this.#unknownBeforeMs = Math.max(this.#unknownBeforeMs, unknownBeforeMs);
      // The last line is empty or cut off.
      for (const line of lines.slice(0, -1)) {
        const use = parseLine(line);
        if (use !== null && use.validUntilMs + SIGNATURE_FILE_MS >= nowMs) uses.push(use);
      }
    }
    if (names.length === 0 && !this.#parts.isNew) this.#unknownBeforeMs = nowMs;
    for (const use of uses) this.#add(use);
    this.#write(this.#takeLines());
    for (const name of names) rmSync(join(this.#folder, name), { force: true });
    return { uses, unknownBeforeMs: this.#unknownBeforeMs };
  }

  /** Writes a use at the end of this turn of the event loop. Calls `onWritten` once; false: the disk has failed. */
  append(use: LoggedUse, onWritten: WrittenAnswer | null): void {
    this.#add(use);
    if (onWritten !== null) this.#waiting.push(onWritten);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#parts.atEndOfTurn(() => this.#flush());
  }

  /** Writes the pending lines and closes the file. */
  close(): void {
    this.#flush();
    if (this.#current !== null) closeSync(this.#current.file);
    this.#current = null;
  }

  #isOfThisRun(header: string): boolean {
    const { bootId } = this.#parts;
    return bootId !== null && header.startsWith(`${FORMAT} ${bootId} `);
  }

  #add(use: LoggedUse): void {
    this.#lines.push(lineOf(use));
    if (use.validUntilMs > this.#validUntilMs) this.#validUntilMs = use.validUntilMs;
  }

  #takeLines(): string {
    const text = this.#lines.join('');
    this.#lines = [];
    return text;
  }

  #flush(): void {
    this.#isScheduled = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    const isWritten = this.#lines.length === 0 || this.#tryWrite(this.#takeLines());
    for (const onWritten of waiting) onWritten(isWritten);
  }

  #tryWrite(text: string): boolean {
    try {
      this.#write(text);
      return true;
    } catch (error) {
      // A reader would lose the lines after a cut-off line, so the next write starts a new file.
      if (this.#current !== null) this.#current.bytes = Infinity;
      this.#parts.onFailure(error);
      return false;
    }
  }

  #write(text: string): void {
    const nowMs = this.#parts.monotonicMs();
    const current = this.#fileAt(nowMs);
    (this.#parts.write ?? writeAll)(current.file, text);
    current.bytes += text.length;
    current.validUntilMs = Math.max(current.validUntilMs, this.#validUntilMs);
    const leftMs = Math.max(0, this.#validUntilMs - this.#parts.realNowMs());
    current.overAtMonotonicMs = Math.max(current.overAtMonotonicMs, nowMs + leftMs + SIGNATURE_MARGIN_MS);
    this.#validUntilMs = 0;
  }

  #fileAt(nowMs: number): LogFile {
    const current = this.#current;
    if (current !== null && nowMs < current.openedAtMs + SIGNATURE_FILE_MS && current.bytes < SIGNATURE_FILE_BYTES) {
      return current;
    }
    this.#removeOld(nowMs);
    const path = join(this.#folder, nextName(namesIn(this.#folder)));
    const file = openSync(path, 'wx', 0o600);
    const next = { path, file, openedAtMs: nowMs, bytes: 0, validUntilMs: 0, overAtMonotonicMs: nowMs };
    writeAll(file, `${FORMAT} ${this.#parts.bootId ?? 'unknown'} ${this.#unknownBeforeMs}\n`);
    if (current !== null) {
      closeSync(current.file);
      this.#closed.push(current);
    }
    this.#current = next;
    return next;
  }

  #removeOld(nowMs: number): void {
    const realMs = this.#parts.realNowMs();
    for (const [index, { path, validUntilMs, overAtMonotonicMs }] of [...this.#closed.entries()].toReversed()) {
      if (nowMs < overAtMonotonicMs || realMs < validUntilMs + SIGNATURE_MARGIN_MS) continue;
      rmSync(path, { force: true });
      this.#closed.splice(index, 1);
    }
  }
}

function nextName(names: readonly string[]): string {
  const last = names.reduce((highest, name) => Math.max(highest, Number.parseInt(name, 10) || 0), 0);
  return `${String(last + 1).padStart(10, '0')}.log`;
}

function lineOf({ account, mark, target, validUntilMs, isSpent }: LoggedUse): string {
  return `${validUntilMs} ${isSpent ? 1 : 0} ${mark.slice(0, MARK_CHARACTERS)} ${account} ${target}\n`;
}

const LINE = /^(\d{1,16}) ([01]) (\S{16}) (\S+) (\S+ \S+)$/;

/** null: a line that was cut off in the middle of a file, because the disk was full. */
function parseLine(line: string): LoggedUse | null {
  const match = LINE.exec(line);
  if (match === null) return null;
  const [, validUntil, isSpent, mark = '', account = '', target = ''] = match;
  return { validUntilMs: Number(validUntil), isSpent: isSpent === '1', mark, account, target };
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text, 'latin1');
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
}
