import type { EventEnvelope, FeedMark, UnnumberedEvent } from '../../domain/event.js';
import type { Seq } from '../../domain/ids.js';
import {
  ENTRY_BYTES_MAX,
  JOURNAL_WAIT_MS_MAX,
  LEAD_TURNS_MAX,
  PROJECTION_LAG_EVENTS_MAX,
  QUIET_TURN_MS,
  TURNS_WAITING_MAX,
} from '../../domain/limits/process.js';
import { assert, InvariantViolation } from '../../domain/rejection.js';
import { BellRinger } from '../../wire/bell.js';
import { encodeUnnumberedEvent, numberEncodedEvent } from '../../wire/codec/envelope.js';
import { RingConsumer, RingProducer } from '../../wire/ring.js';
import type { JournalWords } from '../../wire/worker-data.js';
import { entryBytes } from '../entry.js';
import type { Leader } from '../leader.js';
import { JournalFailure, type NumberedEvent, type Release } from '../port.js';
import { SEGMENT_HEADER_BYTES } from '../segments.js';
import { type ProducerMemory, SharedJournal } from '../shared-journal.js';
import {
  markOf,
  numbersIn,
  openedSeqOf,
  openRecord,
  recordBytesOf,
  TurnWriter,
  type UnnumberedMark,
  unnumberedMarks,
  wakeRecord,
} from './turn-record.js';

export interface TurnProducerOptions {
  /** RecoveredJournal.shared of this process. */
  readonly shared: JournalWords;
  readonly memory: Pick<ProducerMemory, 'appends' | 'places'>;
  /** Waits up to a number of milliseconds while the journal thread has work. Default: blocks the thread. */
  readonly pause?: (ms: number) => void;
  /** Milliseconds of a clock that never goes back. Default: that of the process. */
  readonly nowMs?: () => number;
  /** Writes few turns in this thread, within `wakeLater`. Default: the journal thread writes all of them. */
  readonly leader?: Leader;
}

const PAUSE_MS = 1;
/** Turns that may wait for a write that another turn causes. */
const QUIET_TURNS_MAX = TURNS_WAITING_MAX / 2;

/** A turn that is not released yet. */
interface WaitingTurn {
  readonly events: readonly UnnumberedEvent[];
  readonly encoded: readonly Uint8Array[];
  readonly marks: readonly (readonly UnnumberedMark[])[];
  /** Numbers that the journal thread gives it: the seq of its first event, and the number of each frame. */
  readonly numberCount: number;
  readonly release: Release;
}

/**
 * One thread's side of the journal thread. Hands turns over and releases them when they are durable:
 *
 *   encode ─▶ ring ─▶ journal thread: number, write, sync ─▶ ring ─▶ releaseDurable: release
 */
export class TurnProducer {
  readonly #shared: SharedJournal;
  readonly #bell: BellRinger;
  readonly #appends: RingProducer;
  readonly #places: RingConsumer;
  readonly #writer: TurnWriter;
  readonly #pause: (ms: number) => void;
  readonly #nowMs: () => number;
  readonly #waiting: WaitingTurn[] = [];
  /** When the oldest quiet turn has waited QUIET_TURN_MS. Infinity: no quiet turn waits. */
  #wakeAtMs = Infinity;
  /** Numbers of the oldest waiting turn that have arrived. */
  #numbers: number[] = [];
  readonly #leader: Leader | null;
  /** True: an awaited turn is in the ring, and the journal thread was not woken for it. */
  #mustWake = false;

  constructor(options: TurnProducerOptions) {
    const { shared, memory, pause = blockThread, nowMs = () => performance.now(), leader } = options;
    this.#leader = leader ?? null;
    this.#nowMs = nowMs;
    this.#shared = new SharedJournal(shared);
    this.#bell = new BellRinger(shared.bell);
    this.#appends = new RingProducer(memory.appends);
    this.#places = new RingConsumer(memory.places);
    this.#writer = new TurnWriter(this.#appends.capacityBytes, (record) => this.#send(record));
    this.#pause = pause;
  }

  /**
   * Takes the place of an earlier thread. Drops its answers and waits until LMDB contains its turns. Returns the last
   * durable event of that moment.
   */
  takePlace(): number {
    let openedSeq: number | null = null;
    this.#send(openRecord());
    this.#waitFor('an answer', () => {
      this.#places.drain(Infinity, (record) => (openedSeq = openedSeqOf(numbersIn(record)) ?? openedSeq));
      return openedSeq !== null;
    });
    this.#waitFor('the state', () => this.#shared.awaitProjected(openedSeq!, 0));
    return openedSeq!;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  get isFailed(): boolean {
    return this.#shared.isFailed;
  }

  get projectedSeq(): number {
    return this.#shared.projectedSeq;
  }

  /** True when LMDB is too far behind. */
  get isBehind(): boolean {
    const { durable, projected } = this.#shared.progress;
    return durable - projected > PROJECTION_LAG_EVENTS_MAX;
  }

  /**
   * Hands a turn over. Waits for room in the ring when the journal thread is behind. Call `wakeLater` at the end of
   * each round of the thread: a turn that is not awaited does not wake the journal thread, and a thread that may lead
   * wakes it only then.
   */
  append(events: readonly UnnumberedEvent[], release: Release, isAwaited: boolean): void {
    this.#refuseFailed();
    if (events.length === 0) {
      if (this.#waiting.length === 0) return release([]);
      this.#waiting.push({ events, encoded: [], marks: [], numberCount: 0, release });
      return isAwaited ? this.#awaitQuiet() : undefined;
    }
    const encoded = events.map((event) => encodeUnnumberedEvent(event));
    this.#assertFits(encoded);
    const marks = events.map((event) => unnumberedMarks(event));
    const numberCount = marks.reduce((sum, { length }) => sum + length, 1);
    this.#waiting.push({ events, encoded, marks, numberCount, release });
    for (const [index, event] of events.entries()) this.#writer.add(encoded[index]!, event.account, marks[index]!);
    this.#writer.end(isAwaited);
    if (isAwaited) return this.#wakeOrWait();
    if (this.#waiting.length >= QUIET_TURNS_MAX) return this.#awaitQuiet();
    if (this.#wakeAtMs === Infinity) this.#wakeAtMs = this.#nowMs() + QUIET_TURN_MS;
    return undefined;
  }

  /** Hands one event over. Returns false, and does nothing, when the ring has no room. Call `wake` afterwards. */
  tryAppend(event: UnnumberedEvent, encoded: Uint8Array, release: Release): boolean {
    this.#refuseFailed();
    this.#assertFits([encoded]);
    const marks = unnumberedMarks(event);
    // Without room for two of them, the record might not fit before the end of the ring's memory.
    if (this.#appends.freeBytes() < 2 * recordBytesOf(encoded, event.account, marks)) return false;
    this.#waiting.push({ events: [event], encoded: [encoded], marks: [marks], numberCount: 1 + marks.length, release });
    this.#writer.add(encoded, event.account, marks);
    this.#writer.end(true);
    return true;
  }

  /** Wakes the journal thread. Call it after an awaited turn, whose places wake this thread. */
  wake(): void {
    this.#mustWake = false;
    this.#bell.ring();
  }

  /** Leaves the write to the end of the round while this thread may do it itself. */
  #wakeOrWait(): void {
    // The places of the turns until now wake this thread. A quiet turn that follows has a time of its own.
    this.#wakeAtMs = Infinity;
    if (this.#leader === null || this.#waiting.length > LEAD_TURNS_MAX) return this.wake();
    this.#mustWake = true;
  }

  /**
   * Wakes the journal thread for the awaited turns of this round, and for turns that have waited QUIET_TURN_MS; or
   * writes them here. `mayLead`: this thread has nothing else to do now. Returns the milliseconds until the next call;
   * 0: turns are durable now.
   */
  wakeLater(mayLead = true): number {
    const untilMs = this.#untilQuietMs();
    if (!this.#mustWake) return untilMs;
    if (!mayLead || !this.#leader!.tryLead(this.#waiting.length)) {
      this.wake();
      return untilMs;
    }
    this.#mustWake = false;
    this.#wakeAtMs = Infinity;
    return 0;
  }

  /** Milliseconds until the oldest quiet turn has waited QUIET_TURN_MS. Then it is awaited. */
  #untilQuietMs(): number {
    if (this.#wakeAtMs === Infinity) return Infinity;
    if (this.#waiting.length === 0) return (this.#wakeAtMs = Infinity);
    const waitMs = this.#wakeAtMs - this.#nowMs();
    if (waitMs > 0) return waitMs;
    this.#awaitQuiet();
    return Infinity;
  }

  /** Wakes the journal thread for quiet turns. Their places wake this thread. */
  #awaitQuiet(): void {
    this.#send(wakeRecord());
    this.#wakeOrWait();
  }

  /** Releases the turns that have become durable. Throws JournalFailure when the journal has failed. */
  releaseDurable(): void {
    this.#refuseFailed();
    this.#places.drain(Infinity, (record) => this.#takeNumbers(numbersIn(record)));
  }

  #takeNumbers(numbers: Float64Array): void {
    const turn = this.#waiting[0];
    const isWhole = this.#numbers.length === 0 && numbers.length === turn?.numberCount;
    if (!isWhole) this.#numbers.push(...numbers);
    if (turn === undefined || (!isWhole && this.#numbers.length < turn.numberCount)) return;
    this.#waiting.shift();
    const released = numberedEvents(turn, isWhole ? numbers : this.#numbers);
    if (!isWhole) this.#numbers = [];
    turn.release(released);
    // Turns without events waited for this one.
    while (this.#waiting[0]?.numberCount === 0) this.#waiting.shift()!.release([]);
  }

  /** Waits for room in the ring when the journal thread is behind. */
  #send(record: Uint8Array): void {
    const isWritten = (): boolean => {
      const result = this.#appends.tryWrite(record);
      if (result === 'oversize') throw new InvariantViolation(`a record of ${record.length} bytes fits into its ring`);
      return result === 'written';
    };
    if (!isWritten()) this.#waitFor('room', isWritten);
  }

  #waitFor(what: string, isThere: () => boolean): void {
    for (let waitedMs = 0; !isThere(); waitedMs += PAUSE_MS) {
      this.#refuseFailed();
      if (waitedMs > JOURNAL_WAIT_MS_MAX) throw new JournalFailure(`the journal thread gives no ${what}`);
      this.#bell.ring();
      this.#pause(PAUSE_MS);
    }
  }

  #refuseFailed(): void {
    if (this.#shared.isFailed) throw new JournalFailure('the journal has failed: start again');
  }

  #assertFits(encoded: readonly Uint8Array[]): void {
    let bytes = SEGMENT_HEADER_BYTES;
    for (const { length } of encoded) {
      if (length > ENTRY_BYTES_MAX) throw new JournalFailure(`an event of ${length} bytes exceeds a journal entry`);
      bytes += entryBytes(length);
    }
    if (bytes > this.#shared.segmentBytes) {
      throw new JournalFailure(`a turn of ${bytes} bytes exceeds a journal segment`);
    }
  }
}

/** `numbers`: seq of the first event, then the number of each frame. */
function numberedEvents({ events, encoded, marks }: WaitingTurn, numbers: ArrayLike<number>): NumberedEvent[] {
  const firstSeq = numbers[0]!;
  const numbered: NumberedEvent[] = [];
  let used = 1;
  for (let index = 0; index < events.length; index += 1) {
    const bytes = encoded[index]!;
    numberEncodedEvent(bytes, 0, firstSeq + index);
    const own: FeedMark[] = [];
    for (const mark of marks[index]!) own.push(markOf(mark, numbers[used++]!));
    numbered.push({ envelope: number(events[index]!, (firstSeq + index) as Seq, index), bytes, marks: own });
  }
  return numbered;
}

/** A shard's thread has no event loop that turns. */
function blockThread(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Copies field by field: a spread with an added field costs V8 two microseconds for every event. */
function number(event: UnnumberedEvent, seq: Seq, index: number): EventEnvelope {
  const { causationSeq } = event;
  assert(-causationSeq <= index, 'an event is caused by an earlier one of its turn');
  return {
    seq,
    slot: event.slot,
    account: event.account,
    venue: event.venue,
    otherVenue: event.otherVenue,
    orderId: event.orderId,
    eventAtMs: event.eventAtMs,
    recordedAtMs: event.recordedAtMs,
    correlationId: event.correlationId,
    causationSeq: causationSeq < 0 ? seq + causationSeq : causationSeq,
    event: event.event,
    parent: event.parent,
    child: event.child,
  };
}
