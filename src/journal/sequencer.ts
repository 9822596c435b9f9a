import { JOURNAL_WRITE_BYTES_MAX, TURNS_PER_PRODUCER_MAX } from '../domain/limits/process.js';
import type { Seq } from '../domain/ids.js';
import { journalFolder } from '../storage/data-directory.js';
import type { Disk } from '../storage/disk.js';
import type { DataFormat } from '../storage/format/format-steps.js';
import { numberEncodedEvent } from '../wire/codec/envelope.js';
import { BellRinger } from '../wire/bell.js';
import { OutboundQueue } from '../wire/outbound-queue.js';
import { RingConsumer, RingProducer } from '../wire/ring.js';
import { Appender, TurnBuffer } from './appender.js';
import { JournalFailure } from './port.js';
import { SEGMENT_HEADER_BYTES, SegmentFolder } from './segments.js';
import { type ProducerMemory, SharedJournal } from './shared-journal.js';
import type { JournalWords } from '../wire/worker-data.js';
import { FeedHeads } from './feed-heads.js';
import {
  journalBytesOf,
  openedRecord,
  placeRecords,
  readEntries,
  RECORD,
  type RecordedEntry,
} from './turn/turn-record.js';

export interface SequencerOptions {
  readonly dataDir: string;
  /** RecoveredJournal.shared of this process. */
  readonly shared: JournalWords;
  readonly producers: readonly ProducerMemory[];
  /** Default: the operating system's disk. */
  readonly disk?: Disk;
  /** Default: the format of this release. */
  readonly format?: DataFormat;
}

/**
 * Writes the journal. Collects the turns of its producers, gives their events one numbering, writes and
 * syncs them together, and then answers each producer with the places of its turns:
 *
 *   rings ─▶ number events and frames ─▶ one write + fdatasync ─▶ durable seq ─▶ places ─▶ bells
 *
 * The journal thread has one for all producers, and a thread that may lead has one for its own ring. Only the leader
 * uses its own (journal/lead). It calls `resume` first, and frees the word only while `isClear`: then nothing of a
 * turn is in this object alone, and another leader continues from the shared memory.
 *
 * The first error of the disk ends the journal: the content of the disk is then unknown, and only a new start can read
 * it. Nothing of that write becomes durable for a producer.
 */
export class Sequencer {
  readonly #shared: SharedJournal;
  readonly #folder: SegmentFolder;
  readonly #appender: Appender;
  readonly #buffer = new TurnBuffer();
  readonly #feeds: FeedHeads;
  readonly #producers: readonly Producer[];
  /** The places of the turns in the buffer, in order. */
  readonly #written: { readonly producer: Producer; readonly numbers: readonly number[] | null }[] = [];
  #lastSeq: number;
  #end: number;
  /** Bytes that this write may have. 0: nothing is collected yet. */
  #bytesMax = 0;
  /** The turn that did not fit into the last write. */
  #carried: Turn | null = null;
  #first = 0;

  constructor({ dataDir, shared, producers, disk, format }: SequencerOptions) {
    this.#shared = new SharedJournal(shared);
    this.#folder = new SegmentFolder(journalFolder(dataDir), this.#shared.segmentBytes, disk, format);
    this.#appender = new Appender(this.#folder, disk);
    this.#feeds = new FeedHeads(shared.feedHeads);
    this.#producers = producers.map((memory) => new Producer(memory));
    this.#lastSeq = this.#shared.durableSeq;
    this.#end = this.#shared.durableEnd;
  }

  /** Continues after another leader. */
  resume(): void {
    this.#lastSeq = this.#shared.durableSeq;
    this.#end = this.#shared.durableEnd;
    for (const { turns, places } of this.#producers) {
      turns.resume();
      if (places.waitingCount === 0) places.resume();
    }
  }

  /** True when a turn did not fit into the last write. */
  get isCarrying(): boolean {
    return this.#carried !== null;
  }

  /** True when no turn is carried or begun, and no place waits for room in its ring. */
  get isClear(): boolean {
    return (
      this.#carried === null &&
      this.#producers.every(({ begun, places }) => begun.length === 0 && places.waitingCount === 0)
    );
  }

  /**
   * Writes what the producers have handed over, at most one write. Returns false when nothing was there. Throws
   * JournalFailure when the disk fails.
   */
  round(): boolean {
    if (this.#shared.isFailed) throw this.#failure(this.#shared.lead.failure);
    try {
      this.#buffer.begin(this.#lastSeq);
      this.#bytesMax = 0;
      const carried = this.#carried;
      this.#carried = null;
      if (carried !== null) this.#add(carried);
      this.#collect();
      if (this.#buffer.entriesBytes > 0) this.#write();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      this.#shared.noteFailed(reason);
      throw this.#failure(reason, { cause });
    }
    return this.#answer();
  }

  close(): void {
    this.#appender.close();
  }

  /** Wakes the producers, because nothing becomes durable any more. */
  #failure(reason: string, options?: ErrorOptions): JournalFailure {
    for (const { bell } of this.#producers) bell.ring();
    return new JournalFailure(`the journal could not take a turn: ${reason}`, options);
  }

  /** Takes turns until the write is full. The producer that comes first changes with every write. */
  #collect(): void {
    const { length } = this.#producers;
    this.#first = (this.#first + 1) % length;
    for (let index = 0; index < length; index += 1) {
      const producer = this.#producers[(this.#first + index) % length]!;
      for (let count = 0; count < TURNS_PER_PRODUCER_MAX && this.#carried === null; count += 1) {
        if (producer.turns.drain(1, (record) => this.#take(producer, record)) === 0) break;
      }
    }
  }

  #take(producer: Producer, record: Uint8Array): void {
    if (record[0] === RECORD.open) {
      // The thread before it may have died in the middle of a turn.
      producer.begun = [];
      this.#written.push({ producer, numbers: null });
      producer.isAwaiting = true;
    } else if (record[0] === RECORD.continued) {
      producer.begun.push(record.slice());
    } else if (record[0] === RECORD.wake) {
      producer.isAwaiting = true;
    } else {
      const turn = { producer, records: [...producer.begun, record] };
      producer.begun = [];
      if (this.#fits(bytesOf(turn))) this.#add(turn);
      else this.#carried = { producer, records: turn.records.map((part) => part.slice()) };
    }
  }

  #fits(bytes: number): boolean {
    return this.#bytesMax === 0 || this.#buffer.entriesBytes + bytes <= this.#bytesMax;
  }

  #add(turn: Turn): void {
    if (this.#bytesMax === 0) {
      const room = this.#folder.roomAt(this.#end);
      const segmentRoom = bytesOf(turn) <= room ? room : this.#folder.segmentBytes - SEGMENT_HEADER_BYTES;
      this.#bytesMax = Math.min(segmentRoom, JOURNAL_WRITE_BYTES_MAX);
    }
    const numbers = [this.#lastSeq + 1];
    const lastRecord = turn.records.at(-1);
    for (const record of turn.records) {
      readEntries(record, (entry, isLast) => this.#addEntry(entry, isLast && record === lastRecord, numbers));
    }
    if (lastRecord?.[0] === RECORD.turn) turn.producer.isAwaiting = true;
    this.#written.push({ producer: turn.producer, numbers });
  }

  #addEntry({ payload, account, feeds }: RecordedEntry, endsTurn: boolean, numbers: number[]): void {
    this.#lastSeq += 1;
    numberEncodedEvent(payload, 0, this.#lastSeq);
    this.#buffer.add(this.#lastSeq as Seq, payload, endsTurn);
    if (feeds.length > 0) this.#feeds.number(account, feeds, numbers);
  }

  #write(): void {
    const startedMs = performance.now();
    const position = this.#appender.append(this.#end, this.#buffer);
    this.#shared.lead.noteSync(performance.now() - startedMs);
    this.#end = position + this.#buffer.entriesBytes;
    this.#shared.noteDurable(this.#lastSeq, this.#end);
  }

  /** Answers the producers, and wakes those that wait. Returns true when one of them gets an answer. */
  #answer(): boolean {
    for (const { producer, numbers } of this.#written) {
      const records = numbers === null ? [openedRecord(this.#lastSeq)] : placeRecords(numbers);
      for (const record of records) producer.places.send(record);
    }
    const hasWritten = this.#written.length > 0;
    this.#written.length = 0;
    for (const producer of this.#producers) {
      producer.places.flush(producer.isAwaiting);
      producer.isAwaiting = false;
    }
    return hasWritten;
  }
}

interface Turn {
  readonly producer: Producer;
  readonly records: readonly Uint8Array[];
}

function bytesOf({ records }: Turn): number {
  return records.reduce((sum, record) => sum + journalBytesOf(record), 0);
}

/** The sequencer's side of one producer. */
class Producer {
  readonly turns: RingConsumer;
  readonly places: OutboundQueue;
  readonly bell: BellRinger;
  /** The first records of a turn whose last record is not there yet. */
  begun: Uint8Array[] = [];
  /** True: it is woken at the end of this round. */
  isAwaiting = false;

  constructor({ appends, places, bell }: ProducerMemory) {
    this.turns = new RingConsumer(appends);
    this.bell = new BellRinger(bell);
    this.places = new OutboundQueue(new RingProducer(places), this.bell);
  }
}
