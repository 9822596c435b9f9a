import {
  COMMIT_LOOK_MS,
  COMMIT_READS_WAITING_MAX,
  COMMIT_WAIT_BLOCKING_MS,
  COMMIT_WAIT_MS_MAX,
} from '../domain/limits/process.js';
import type { AccountId } from '../domain/ids.js';
import type { StateReader, StateSnapshot } from './port.js';

/**
 * Gets a snapshot with every turn of its account that was acknowledged before the request. Later ones may be missing,
 * also those that are acknowledged by now. null: the store lacks a turn for too long.
 */
type CompleteRead<Snapshot> = (snapshot: Snapshot | null) => void;

/** Answers a client whose request an internal error has ended. */
export interface RequestFailure {
  fail(error: unknown): void;
}

interface ReadFor {
  /** null: the read needs the turns of all accounts. */
  readonly account: AccountId | null;
  /** Gets an error of a read that has waited; absent: it is logged only. An error of a read that runs now is thrown. */
  readonly client?: RequestFailure | undefined;
}

/** Calls `read` once, now or later. Reads of one account run in the order of the calls. */
export type WhenComplete<Snapshot = StateSnapshot> = (read: CompleteRead<Snapshot>, of: ReadFor) => void;

export interface CompleteReadsParts {
  readonly reader: Pick<StateReader, 'complete' | 'recent' | 'progress' | 'durableSeq'>;
  /** No later event of the account has been answered. */
  readonly latestEventOf: (account: AccountId) => number;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonicMs: () => number;
  /** Gets an error of a read that has waited and has no client. */
  readonly onFault: (error: unknown) => void;
}

interface WaitingRead {
  readonly read: CompleteRead<StateSnapshot>;
  readonly client: RequestFailure | undefined;
  /** It needs the events up to this one. */
  readonly throughSeq: number;
  readonly untilMs: number;
}

/**
 * Reads of the main thread that must include every acknowledged turn of their account. The store follows the journal,
 * mostly within a millisecond, and after a burst of events much later. A read waits for its account's turns, not for
 * those of others, and holds up no other request:
 *
 *     when ─▶ shown within COMMIT_WAIT_BLOCKING_MS ───────────────────────────▶ runs at once
 *      └────▶ queue ─▶ a look every COMMIT_LOOK_MS ─▶ its events are stored ──▶ runs
 *                                                 └─▶ COMMIT_WAIT_MS_MAX over ─▶ runs with null
 */
export class CompleteReads {
  readonly #parts: CompleteReadsParts;
  #waiting: WaitingRead[] = [];
  #timer: NodeJS.Timeout | null = null;
  #isRunning = false;
  #isClosed = false;

  constructor(parts: CompleteReadsParts) {
    this.#parts = parts;
  }

  /** With COMMIT_READS_WAITING_MAX reads in the queue a further one runs with null. */
  readonly when: WhenComplete = (read, { account, client }) => {
    if (this.#isClosed) return;
    const { reader, monotonicMs, latestEventOf } = this.#parts;
    const throughSeq = account === null ? reader.durableSeq : latestEventOf(account);
    // Only the first read of a burst blocks the thread.
    const isFirst = this.#waiting.length === 0 && !this.#isRunning;
    const snapshot = reader.complete(isFirst ? COMMIT_WAIT_BLOCKING_MS : 0, throughSeq);
    if (snapshot !== null) {
      if (this.#waiting.length > 0) this.#runShown();
      return read(snapshot);
    }
    if (this.#waiting.length >= COMMIT_READS_WAITING_MAX) return read(null);
    this.#waiting.push({ read, client, throughSeq, untilMs: monotonicMs() + COMMIT_WAIT_MS_MAX });
    this.#lookLater();
  };

  /** Runs the waiting reads with null. No later read runs: the store is being closed. */
  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const waiting of this.#waiting.splice(0)) this.#run(waiting, null);
  }

  #lookLater(): void {
    this.#timer ??= setTimeout(this.#look, COMMIT_LOOK_MS);
  }

  readonly #look = (): void => {
    this.#timer = null;
    this.#runShown();
    const nowMs = this.#parts.monotonicMs();
    while (this.#waiting[0] !== undefined && this.#waiting[0].untilMs <= nowMs) {
      this.#run(this.#waiting.shift()!, null);
    }
    if (this.#waiting.length > 0) this.#lookLater();
  };

  /** Runs the reads whose events are stored. A read that one of them starts waits behind the others. */
  #runShown(): void {
    const { reader } = this.#parts;
    const { shownSeq } = reader.progress();
    const ready = this.#waiting.filter(({ throughSeq }) => throughSeq <= shownSeq);
    if (ready.length === 0) return;
    this.#waiting = this.#waiting.filter(({ throughSeq }) => throughSeq > shownSeq);
    this.#isRunning = true;
    for (const waiting of ready) this.#run(waiting, reader.recent());
    this.#isRunning = false;
  }

  /** The other reads go on after an error. */
  #run({ read, client }: WaitingRead, snapshot: StateSnapshot | null): void {
    try {
      read(snapshot);
    } catch (error) {
      if (client === undefined) this.#parts.onFault(error);
      else client.fail(error);
    }
  }
}
