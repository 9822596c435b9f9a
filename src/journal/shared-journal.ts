import { PROJECTION_EVENTS_MIN } from '../domain/limits/process.js';
import { BellRinger, createBell } from '../wire/bell.js';
import type { JournalWords } from '../wire/worker-data.js';
import { createFeedHeads } from './feed-heads.js';
import { createLead, Lead } from './lead.js';

const SEGMENT_BYTES = 0;
const DURABLE_SEQ = 1;
const DURABLE_END = 2;
const PROJECTED_SEQ = 3;
const WANTED_SEQ = 4;
const FAILED = 5;
const SYNC_POINTS_BEGUN = 6;
const SYNC_POINTS_COMPLETE = 7;
const STATE_UNSYNCED = 8;
const KEEPER_WRITES = 9;
const KEEPER_STOPPED = 10;
const WORDS = 11;

/** Seq of the last event that each step has completed. */
export interface JournalProgress {
  readonly durable: number;
  readonly projected: number;
}

/** The journal's start: the last event, and the position after it. */
export interface JournalStart {
  readonly lastSeq: number;
  readonly end: number;
  readonly segmentBytes: number;
}

/**
 * Shares the journal's progress between the threads of the process. Each event passes two steps in order:
 *
 *     appended ─── leader: write, fdatasync ───▶ durable ─── projector: puts, commit ───▶ projected
 *
 * An event may leave the process when it is durable. LMDB contains it when it is projected. A reader that needs all
 * acknowledged events waits until the events that are durable now are projected.
 */
export class SharedJournal {
  readonly lead: Lead;
  readonly #words: BigInt64Array;
  readonly #projector: BellRinger;

  constructor(memory: JournalWords) {
    this.#words = new BigInt64Array(memory.words);
    this.#projector = new BellRinger(memory.projectorBell);
    this.lead = new Lead(memory.lead);
  }

  static create({ lastSeq, end, segmentBytes }: JournalStart): JournalWords {
    const words = new BigInt64Array(new SharedArrayBuffer(WORDS * BigInt64Array.BYTES_PER_ELEMENT));
    words[SEGMENT_BYTES] = BigInt(segmentBytes);
    words[DURABLE_SEQ] = BigInt(lastSeq);
    words[DURABLE_END] = BigInt(end);
    words[PROJECTED_SEQ] = BigInt(lastSeq);
    return {
      words: words.buffer,
      bell: createBell(),
      projectorBell: createBell(),
      lead: createLead(),
      feedHeads: createFeedHeads(),
    };
  }

  /** Fixed for the lifetime of a data folder. */
  get segmentBytes(): number {
    return Number(this.#words[SEGMENT_BYTES]);
  }

  get durableSeq(): number {
    return this.#load(DURABLE_SEQ);
  }

  /** Position after the last durable event. */
  get durableEnd(): number {
    return this.#load(DURABLE_END);
  }

  get projectedSeq(): number {
    return this.#load(PROJECTED_SEQ);
  }

  /** Reads the last step first, so that it never appears to be ahead of the first one. */
  get progress(): JournalProgress {
    const projected = this.projectedSeq;
    return { durable: this.durableSeq, projected };
  }

  /** True after a write or a sync failed. Nothing becomes durable any more. */
  get isFailed(): boolean {
    return this.#load(FAILED) !== 0;
  }

  /** Call it after the sync, before any thread learns that its events are durable. */
  noteDurable(seq: number, end: number): void {
    Atomics.store(this.#words, DURABLE_END, BigInt(end));
    Atomics.store(this.#words, DURABLE_SEQ, BigInt(seq));
    this.#projector.ring();
    if (seq - this.projectedSeq >= PROJECTION_EVENTS_MIN) Atomics.notify(this.#words, WANTED_SEQ);
  }

  /** `reason`: for the log of the journal thread, which ends the process. */
  noteFailed(reason: string): void {
    this.lead.noteFailure(reason);
    Atomics.store(this.#words, FAILED, 1n);
  }

  /** Number of the last sync point whose version may have been read. 0: none in this process. */
  get syncPointsBegun(): number {
    return this.#load(SYNC_POINTS_BEGUN);
  }

  /** Number of the last sync point that is on the disk. */
  get syncPointsComplete(): number {
    return this.#load(SYNC_POINTS_COMPLETE);
  }

  /** True while the keeper syncs the state, and after a sync that failed. The journal's own syncs then take long. */
  get isStateSyncing(): boolean {
    return this.syncPointsBegun !== this.syncPointsComplete;
  }

  /** Call it before the version of a sync point is read. Returns the number of the sync point. */
  beginSyncPoint(): number {
    return Number(Atomics.add(this.#words, SYNC_POINTS_BEGUN, 1n)) + 1;
  }

  /** Call it when the sync point is on the disk. */
  completeSyncPoint(number: number): void {
    Atomics.store(this.#words, SYNC_POINTS_COMPLETE, BigInt(number));
  }

  /** True after a sync of the state failed. A later sync would not report the lost pages again. */
  get isStateUnsynced(): boolean {
    return this.#load(STATE_UNSYNCED) !== 0;
  }

  noteStateUnsynced(): void {
    Atomics.store(this.#words, STATE_UNSYNCED, 1n);
  }

  /** Runs a write transaction of the keeper. Throws when the process ends. */
  keeperWrite<Result>(transaction: () => Result): Result {
    Atomics.store(this.#words, KEEPER_WRITES, 1n);
    try {
      if (this.#load(KEEPER_STOPPED) !== 0) throw new Error('the process ends: the keeper writes no more');
      return transaction();
    } finally {
      Atomics.store(this.#words, KEEPER_WRITES, 0n);
      Atomics.notify(this.#words, KEEPER_WRITES);
    }
  }

  /** Lets the keeper end its transaction, and begin no other one. Returns false when this takes over `timeoutMs`. */
  stopKeeperWrites(timeoutMs: number): boolean {
    Atomics.store(this.#words, KEEPER_STOPPED, 1n);
    return Atomics.wait(this.#words, KEEPER_WRITES, 1n, timeoutMs) !== 'timed-out';
  }

  /** Call it after the commit. */
  noteProjected(seq: number): void {
    Atomics.store(this.#words, PROJECTED_SEQ, BigInt(seq));
    Atomics.notify(this.#words, PROJECTED_SEQ);
  }

  /**
   * Waits until a reader needs an event after `projectedSeq` in LMDB, or until LMDB lacks PROJECTION_EVENTS_MIN events.
   * Waits at most `timeoutMs`.
   */
  awaitReader(projectedSeq: number, timeoutMs: number): void {
    const wanted = Atomics.load(this.#words, WANTED_SEQ);
    if (Number(wanted) > projectedSeq || this.durableSeq - projectedSeq >= PROJECTION_EVENTS_MIN) return;
    Atomics.wait(this.#words, WANTED_SEQ, wanted, timeoutMs);
  }

  /** Waits until `seq` is projected. Returns false when that takes longer than `timeoutMs`. */
  awaitProjected(seq: number, timeoutMs: number): boolean {
    if (this.projectedSeq >= seq) return true;
    this.#want(BigInt(seq));
    const endMs = performance.now() + timeoutMs;
    for (;;) {
      const projected = Atomics.load(this.#words, PROJECTED_SEQ);
      if (Number(projected) >= seq) return true;
      // Each commit on the way to this event ends one wait.
      const leftMs = endMs - performance.now();
      if (leftMs <= 0 || Atomics.wait(this.#words, PROJECTED_SEQ, projected, leftMs) === 'timed-out') return false;
    }
  }

  /** Notes the latest event that a reader needs, and wakes the projector. Another thread may need a later one. */
  #want(seq: bigint): void {
    let wanted = Atomics.load(this.#words, WANTED_SEQ);
    while (wanted < seq) {
      const seen = Atomics.compareExchange(this.#words, WANTED_SEQ, wanted, seq);
      if (seen === wanted) break;
      wanted = seen;
    }
    Atomics.notify(this.#words, WANTED_SEQ);
  }

  #load(word: number): number {
    return Number(Atomics.load(this.#words, word));
  }
}

/** Memory between one producer of events and the journal thread. */
export interface ProducerMemory {
  /** Producer → journal thread: turns. */
  readonly appends: SharedArrayBuffer;
  /** Journal thread → producer: places of durable turns. */
  readonly places: SharedArrayBuffer;
  /** The producer's bell. */
  readonly bell: SharedArrayBuffer;
}
