import { BellRinger, createBell } from '../wire/bell.js';
import type { JournalWords } from '../wire/worker-data.js';

const SEGMENT_BYTES = 0;
const DURABLE_SEQ = 1;
const DURABLE_END = 2;
const PROJECTED_SEQ = 3;
const WANTED_SEQ = 4;
const FAILED = 5;
const WORDS = 6;

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
 *     appended ─── journal thread: write, fdatasync ───▶ durable ─── projector: puts, commit ───▶ projected
 *
 * An event may leave the process when it is durable. LMDB contains it when it is projected. A reader that needs all
 * acknowledged events waits until the events that are durable now are projected.
 */
export class SharedJournal {
  readonly #words: BigInt64Array;
  readonly #projector: BellRinger;

  constructor(memory: JournalWords) {
    this.#words = new BigInt64Array(memory.words);
    this.#projector = new BellRinger(memory.projectorBell);
  }

  static create({ lastSeq, end, segmentBytes }: JournalStart): JournalWords {
    const words = new BigInt64Array(new SharedArrayBuffer(WORDS * BigInt64Array.BYTES_PER_ELEMENT));
    words[SEGMENT_BYTES] = BigInt(segmentBytes);
    words[DURABLE_SEQ] = BigInt(lastSeq);
    words[DURABLE_END] = BigInt(end);
    words[PROJECTED_SEQ] = BigInt(lastSeq);
    return { words: words.buffer, bell: createBell(), projectorBell: createBell() };
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
  }

  noteFailed(): void {
    Atomics.store(this.#words, FAILED, 1n);
  }

  /** Call it after the commit. */
  noteProjected(seq: number): void {
    Atomics.store(this.#words, PROJECTED_SEQ, BigInt(seq));
    Atomics.notify(this.#words, PROJECTED_SEQ);
  }

  /** Waits until a reader needs an event after `projectedSeq` in LMDB, at most `timeoutMs`. */
  awaitReader(projectedSeq: number, timeoutMs: number): void {
    const wanted = Atomics.load(this.#words, WANTED_SEQ);
    if (Number(wanted) <= projectedSeq) Atomics.wait(this.#words, WANTED_SEQ, wanted, timeoutMs);
  }

  /** Waits until `seq` is projected. Returns false when that takes longer than `timeoutMs`. */
  awaitProjected(seq: number, timeoutMs: number): boolean {
    if (this.projectedSeq >= seq) return true;
    Atomics.store(this.#words, WANTED_SEQ, BigInt(seq));
    Atomics.notify(this.#words, WANTED_SEQ);
    for (;;) {
      const projected = Atomics.load(this.#words, PROJECTED_SEQ);
      if (Number(projected) >= seq) return true;
      if (Atomics.wait(this.#words, PROJECTED_SEQ, projected, timeoutMs) === 'timed-out') return false;
    }
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
