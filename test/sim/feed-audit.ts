import { isDeepStrictEqual } from 'node:util';
import { assert } from '../../src/model/assert.js';
import type { EventEnvelope } from '../../src/model/event.js';
import type { FeedMark } from '../../src/model/feed.js';
import type { Seq } from '../../src/model/ids.js';
import { encodeEvent } from '../../src/wire/codec/index.js';
import type { MemoryJournal } from '../shard/memory-journal.js';

/** What one thread of a shard has recorded and how much of it the main thread was told. */
interface Telling {
  /** Must still come, in this order. */
  readonly untold: Seq[];
  /** Overtaken: left out, which must still be said. */
  gapCount: number;
  /** May come or not, for the main thread knows that something was left out and has read the journal. */
  readonly excused: Set<Seq>;
}

/** What the main thread of one process has been told, against what the journal says it must be told. */
export class FeedAudit {
  readonly #journal: MemoryJournal;
  readonly #tellings = new Map<number, Telling>();

  constructor(journal: MemoryJournal) {
    this.#journal = journal;
  }

  onCommitted(shard: number, seqs: readonly Seq[]): void {
    this.#telling(shard).untold.push(...seqs);
  }

  /** Told once, in order, and only what is on disk: the same bytes under the same feed numbers. */
  onPublished(shard: number, envelope: EventEnvelope, marks: readonly FeedMark[]): void {
    const { seq } = envelope;
    const entry = this.#journal.entries[seq - 1];
    assert(entry !== undefined, `event ${seq} was published and is not on disk`);
    assert(Buffer.compare(encodeEvent(envelope), entry.bytes) === 0, `event ${seq} was published as it is on disk`);
    assert(isDeepStrictEqual(marks, entry.marks), `event ${seq} has the feed numbers of the journal`);
    const telling = this.#telling(shard);
    if (telling.excused.delete(seq)) return;
    const place = telling.untold.indexOf(seq);
    assert(place !== -1, `shard ${shard} published event ${seq} in its order and once`);
    telling.gapCount += place;
    telling.untold.splice(0, place + 1);
  }

  onMissed(shard: number): void {
    const telling = this.#telling(shard);
    for (const seq of telling.untold.splice(0)) telling.excused.add(seq);
    telling.gapCount = 0;
  }

  /** Nothing more comes from that thread; the main thread reads the journal. */
  onShardDown(shard: number): void {
    this.#tellings.delete(shard);
  }

  /** When all is quiet, everything has been told or is known to be left out. */
  check(): void {
    for (const [shard, { untold, gapCount }] of this.#tellings) {
      assert(untold.length === 0, `shard ${shard} never told of events ${untold.join(', ')}`);
      assert(gapCount === 0, `shard ${shard} left out ${gapCount} events without a word`);
    }
  }

  #telling(shard: number): Telling {
    let telling = this.#tellings.get(shard);
    if (telling === undefined) this.#tellings.set(shard, (telling = { untold: [], gapCount: 0, excused: new Set() }));
    return telling;
  }
}
