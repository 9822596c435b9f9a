import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { ABORT, type TransactionFlags } from 'lmdb';
import { isMissing } from './data-directory.js';

/** The parts of an LMDB database that take part in the check of each write. */
interface WritableStore {
  readonly env?: { info(): { readonly lastTxnId: number } };
  getWriteTxnId(): number;
  transactionSync<Result>(work: () => Result, flags?: TransactionFlags): Result;
  transaction<Result>(work: () => Result): Promise<Result>;
  put(...args: unknown[]): Promise<boolean>;
  remove(...args: unknown[]): Promise<boolean>;
}

/** Opens and closes an environment. Its arguments are the path of the LMDB module and the path of the environment. */
const OPEN_AND_CLOSE = `
  const [, lmdb, path] = process.argv;
  void require(lmdb).open({ path, readOnly: true, noSubdir: false }).close();
`;
const LMDB = createRequire(import.meta.url).resolve('lmdb');
/**
 * Most repairs of one transaction. More than one happens only when another process opens the environment at the same
 * time.
 */
const REPAIRS_MAX = 20;
/** Most attempts of an asynchronous write after the first: two for each repair. */
const LATER_ATTEMPTS_MAX = 2 * REPAIRS_MAX;

/**
 * Checks every write transaction of an environment that other processes open at the same time.
 *
 * A process that opens an environment reads the last commit from the file. Then it sets the number of that commit in
 * the memory that all processes share. A commit of another process between these two steps is lost: the next
 * transaction begins from the commit before it and overwrites it (adr/0060).
 *
 * A transaction that does not follow the last commit in the file is aborted before its work begins. A short process
 * then opens the environment, which corrects the number, and the transaction begins again. The work runs once.
 *
 * `stores`: the root database and the databases opened from it. A transaction fails after REPAIRS_MAX repairs.
 */
export function keepCommits(path: string, [root, ...others]: readonly [unknown, ...unknown[]]): KeptCommits {
  const commits = new KeptCommits(path, root as WritableStore);
  for (const store of [root, ...others]) commits.guard(store as WritableStore);
  return commits;
}

/** The check of one environment's write transactions, as `keepCommits` explains it. */
export class KeptCommits {
  readonly #path: string;
  readonly #root: WritableStore;
  /** True while the work of a checked transaction runs. */
  #isChecked = false;
  /** Numbers of the asynchronous writes whose last attempt was aborted. */
  readonly #aborted = new Set<number>();
  #laterCount = 0;
  readonly #pending = new Set<Promise<unknown>>();
  repairCount = 0;

  constructor(path: string, root: WritableStore) {
    this.#path = path;
    this.#root = root;
  }

  guard(store: WritableStore): void {
    const transactionSync = store.transactionSync.bind(store);
    const transaction = store.transaction.bind(store);
    const put = store.put.bind(store);
    const remove = store.remove.bind(store);
    const later = <Result>(work: () => Result): Promise<Result> => this.#noted(this.#later(transaction, work));
    store.transactionSync = (work, flags) =>
      this.#isChecked ? transactionSync(work, flags) : this.#now((checked) => transactionSync(checked, flags), work);
    store.transaction = later;
    store.put = (...args) => (this.#isChecked ? put(...args) : later(() => put(...args)).then(resultOf));
    store.remove = (...args) => (this.#isChecked ? remove(...args) : later(() => remove(...args)).then(resultOf));
  }

  /**
   * Resolves when no asynchronous write is pending. null: none is. The thread that writes waits for the event loop of
   * this one, and Node joins it at an exit: an exit during such a write would never end.
   */
  settled(): Promise<void> | null {
    return this.#pending.size === 0 ? null : this.#allSettled();
  }

  async #allSettled(): Promise<void> {
    // A write may begin while others are waited for.
    // oxlint-disable-next-line no-await-in-loop
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  #noted<Result>(write: Promise<Result>): Promise<Result> {
    this.#pending.add(write);
    const forget = (): void => void this.#pending.delete(write);
    write.then(forget, forget);
    return write;
  }

  #now<Result>(begin: (checked: () => Result) => Result, work: () => Result): Result {
    for (let repairs = 0; repairs <= REPAIRS_MAX; repairs += 1) {
      const attempt = this.#checked(work, () => this.#isNext());
      const result = begin(attempt.work);
      if (attempt.hasRun()) return result;
      this.#repair();
    }
    throw this.#failure();
  }

  /**
   * Writes asynchronously, in the order of the calls. Many calls share one transaction, and one repair serves all calls
   * that were aborted before it. The next transaction may begin before they try again, so a later call is aborted too.
   *
   * A transaction may begin before a repair and be checked after it. It finds the commit hidden, but needs no second
   * repair. So a call repairs only after two such attempts with no repair between them: the second transaction began
   * after the first was checked.
   */
  async #later<Result>(begin: (checked: () => Result) => Promise<Result>, work: () => Result): Promise<Result> {
    const number = (this.#laterCount += 1);
    /** Number of repairs before the last attempt, if that found the last commit hidden. */
    let lastHiddenAfter: number | null = null;
    try {
      for (let attempts = 0; attempts <= LATER_ATTEMPTS_MAX; attempts += 1) {
        let hiddenAfter: number | null = null;
        const attempt = this.#checked(work, () => {
          hiddenAfter = this.#isNext() ? null : this.repairCount;
          const mayRun = hiddenAfter === null && !this.#hasAbortedBefore(number);
          if (mayRun) this.#aborted.delete(number);
          else this.#aborted.add(number);
          return mayRun;
        });
        // Each attempt follows from the one before.
        // oxlint-disable-next-line no-await-in-loop
        const result = await begin(attempt.work);
        if (attempt.hasRun()) return result;
        if (hiddenAfter === this.repairCount && hiddenAfter === lastHiddenAfter) this.#repair();
        lastHiddenAfter = hiddenAfter;
      }
      throw this.#failure();
    } finally {
      this.#aborted.delete(number);
    }
  }

  #hasAbortedBefore(number: number): boolean {
    for (const aborted of this.#aborted) if (aborted < number) return true;
    return false;
  }

  #checked<Result>(
    work: () => Result,
    mayRun: () => boolean,
  ): { readonly work: () => Result; readonly hasRun: () => boolean } {
    let hasRun = false;
    const checked = (): Result => {
      if (!mayRun()) return ABORT as Result;
      hasRun = true;
      this.#isChecked = true;
      try {
        return work();
      } finally {
        this.#isChecked = false;
      }
    };
    return { work: checked, hasRun: () => hasRun };
  }

  /** True when the current transaction follows the last commit in the file. */
  #isNext(): boolean {
    return this.#root.getWriteTxnId() === this.#root.env!.info().lastTxnId + 1;
  }

  #repair(): void {
    this.repairCount += 1;
    spawnSync(process.execPath, ['-e', OPEN_AND_CLOSE, LMDB, this.#path], { stdio: 'ignore' });
  }

  #failure(): Error {
    return new Error(`the last commit of ${this.#path} cannot be reached after ${REPAIRS_MAX} repairs`);
  }
}

async function resultOf(result: boolean | Promise<boolean>): Promise<boolean> {
  return result;
}

/*
 * LMDB's file begins with two meta pages. In each, the magic number and the format version follow a page header of 24
 * bytes. The page size is 24 bytes after the magic number, and the number of the transaction 128 bytes after it.
 */
const MAGIC_OFFSET = 24;
const PAGE_SIZE_OFFSET = 48;
const TRANSACTION_OFFSET = 152;
const MAGIC = 0xbeef_c0de;
const FORMAT = 2;
const PAGE_BYTES_MAX = 64 * 1024;

/**
 * True when a file begins like an LMDB environment. Call it before opening a file that may be damaged: lmdb-js does
 * not throw on such a file, it crashes the process.
 */
export function isEnvironmentFile(path: string): boolean {
  return readMetaPages(path) !== null;
}

/** Both meta pages of an environment's file. Returns null when the file is missing or does not begin with them. */
export function readMetaPages(path: string): Buffer | null {
  const bytes = Buffer.alloc(2 * PAGE_BYTES_MAX);
  let read: number;
  try {
    const file = openSync(path, 'r');
    read = readSync(file, bytes, 0, bytes.length, 0);
    closeSync(file);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  const pageBytes = bytes.readUInt32LE(PAGE_SIZE_OFFSET);
  const isComplete = pageBytes <= PAGE_BYTES_MAX && read >= 2 * pageBytes;
  return isComplete && hasMeta(bytes, 0) && hasMeta(bytes, pageBytes) ? bytes.subarray(0, 2 * pageBytes) : null;
}

/** Number of the last transaction, by both meta pages. */
export function lastTransactionOf(metaPages: Buffer): number {
  const [first, second] = [0, metaPages.length / 2].map((page) =>
    Number(metaPages.readBigUInt64LE(page + TRANSACTION_OFFSET)),
  ) as [number, number];
  return Math.max(first, second);
}

function hasMeta(bytes: Buffer, page: number): boolean {
  return bytes.readUInt32LE(page + MAGIC_OFFSET) === MAGIC && bytes.readUInt32LE(page + MAGIC_OFFSET + 4) === FORMAT;
}
