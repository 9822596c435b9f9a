import type { RootDatabase, Transaction } from 'lmdb';
import type { SharedJournal } from '../shared-journal.js';

type Root = RootDatabase<Buffer, Buffer>;

/** Holds the present version of an environment: LMDB does not use its pages again, nor those of later versions. */
export class HeldVersion {
  readonly #transaction: Transaction;

  constructor(root: Root) {
    // The thread's current snapshot may be older.
    root.resetReadTxn();
    this.#transaction = root.useReadTransaction();
    // Detaches the transaction from the environment: this object owns it until the release.
    root.resetReadTxn();
  }

  release(): void {
    this.#transaction.done();
  }
}

/**
 * Holds the version of the last sync point for the life of the process. The main thread owns it, because it ends last.
 *
 * A version is held before the keeper begins the next sync point. So that sync point has this version or a later one,
 * and the older version is released when the sync point is complete:
 *
 *     held       ├─ A ───────────────────────┤
 *     held            ├─ B ────────────────────────────
 *     sync point           begun ─── complete
 *     held                                   ├─ C ─────
 */
export class HeldVersions {
  readonly #root: Root;
  readonly #shared: SharedJournal;
  #oldest: HeldVersion;
  #latest: HeldVersion;
  /** Number of the last sync point that began before `latest` was held. */
  #begun: number;

  /** `first`: holds the version of the start's sync point, or an older one. */
  constructor(root: Root, shared: SharedJournal, first: HeldVersion) {
    this.#root = root;
    this.#shared = shared;
    this.#oldest = first;
    this.#latest = new HeldVersion(root);
    this.#begun = shared.syncPointsBegun;
  }

  /** Releases the older version when a sync point is complete that does not need it. */
  renew(): void {
    if (this.#shared.syncPointsComplete <= this.#begun) return;
    this.#oldest.release();
    this.#oldest = this.#latest;
    this.#latest = new HeldVersion(this.#root);
    // Read after the version is held: every sync point with a higher number has this version or a later one.
    this.#begun = this.#shared.syncPointsBegun;
  }

  close(): void {
    this.#oldest.release();
    this.#latest.release();
  }
}
