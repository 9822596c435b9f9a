import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { ABORT, type TransactionFlags } from 'lmdb';

/** The parts of an LMDB database of which each write goes through a check. */
interface WritableStore {
  readonly env?: { info(): { readonly lastTxnId: number } };
  getWriteTxnId(): number;
  transactionSync<Result>(work: () => Result, flags?: TransactionFlags): Result;
  transaction<Result>(work: () => Result): Promise<Result>;
  put(...args: unknown[]): Promise<boolean>;
  remove(...args: unknown[]): Promise<boolean>;
}

/** Opens and closes an environment; its arguments are the module of LMDB and the path of the environment. */
const OPEN_AND_CLOSE = `
  const [, lmdb, path] = process.argv;
  void require(lmdb).open({ path, readOnly: true, noSubdir: false }).close();
`;
const LMDB = createRequire(import.meta.url).resolve('lmdb');
/** Repairs of one transaction. A second one is needed only when another process opens the environment meanwhile. */
const REPAIRS_MAX = 20;

/**
 * Checks every write transaction of an environment that other processes open while it is written to. Returns the number
 * of repairs so far.
 *
 * A process that opens an environment reads the last commit from the file, and then sets the number of that commit in
 * the memory that all processes share. A commit of another process in between is lost: the next transaction begins from
 * the commit before it and overwrites it (adr/0043).
 *
 * A transaction that does not follow the last commit in the file is aborted before its work begins. A short process
 * then opens the environment, which sets the number right, and the transaction begins again. The work runs once.
 *
 * `stores`: the root database and those opened from it. Throws when REPAIRS_MAX repairs of one transaction have not helped.
 */
export function keepCommits(path: string, [root, ...others]: readonly [unknown, ...unknown[]]): () => number {
  const commits = new KeptCommits(path, root as WritableStore);
  for (const store of [root, ...others]) commits.guard(store as WritableStore);
  return () => commits.repairCount;
}

class KeptCommits {
  readonly #path: string;
  readonly #root: WritableStore;
  /** True while the work of a checked transaction runs. */
  #isChecked = false;
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
    const later = <Result>(work: () => Result): Promise<Result> => this.#later(transaction, work);
    store.transactionSync = (work, flags) =>
      this.#isChecked ? transactionSync(work, flags) : this.#now((checked) => transactionSync(checked, flags), work);
    store.transaction = later;
    store.put = (...args) => (this.#isChecked ? put(...args) : later(() => put(...args)).then(isDone));
    store.remove = (...args) => (this.#isChecked ? remove(...args) : later(() => remove(...args)).then(isDone));
  }

  #now<Result>(begin: (checked: () => Result) => Result, work: () => Result): Result {
    for (let repairs = 0; repairs <= REPAIRS_MAX; repairs += 1) {
      const attempt = this.#checked(work);
      const result = begin(attempt.work);
      if (attempt.hasRun()) return result;
      this.#repair();
    }
    throw this.#failure();
  }

  async #later<Result>(begin: (checked: () => Result) => Promise<Result>, work: () => Result): Promise<Result> {
    for (let repairs = 0; repairs <= REPAIRS_MAX; repairs += 1) {
      const attempt = this.#checked(work);
      // Each attempt follows from the one before.
      // oxlint-disable-next-line no-await-in-loop
      const result = await begin(attempt.work);
      if (attempt.hasRun()) return result;
      this.#repair();
    }
    throw this.#failure();
  }

  #checked<Result>(work: () => Result): { readonly work: () => Result; readonly hasRun: () => boolean } {
    let hasRun = false;
    const checked = (): Result => {
      if (!this.#isNext()) return ABORT as Result;
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

  /** True when the transaction under way follows the last commit in the file. */
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

async function isDone(result: boolean | Promise<boolean>): Promise<boolean> {
  return result;
}
