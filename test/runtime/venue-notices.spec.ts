import { describe, expect, it } from 'vitest';
import { HeldJournal } from '../intake/held-journal.js';
import type { StateReader, StateSnapshot } from '../../src/journal/port.js';
import type { Command } from '../../src/domain/command.js';
import type { CorrelationId } from '../../src/domain/ids.js';
import type { EpochMs } from '../../src/domain/time.js';
import { MainThread } from '../../src/runtime/main-thread.js';
import { createMemory } from '../../src/runtime/shared-memory.js';
import { decodeCommand } from '../../src/wire/codec/command.js';
import { RingConsumer } from '../../src/wire/ring.js';
import { CATALOGUE } from '../simulation/listed.js';

const SHARD_COUNT = 2;
const RING_BYTES = 16 * 1024;
/** As small as the smallest notice, so that it leaves no room for one. */
const FILLER = { kind: 'StopShard', correlationId: 0 as CorrelationId } as const;
/** No order is read here. */
const SNAPSHOT = { order: () => null } as unknown as StateSnapshot;
const READER: StateReader = {
  complete: () => SNAPSHOT,
  latest: () => SNAPSHOT,
  recent: () => SNAPSHOT,
  durableSeq: 0,
  renewed: () => SNAPSHOT,
  progress: () => ({ shownSeq: 0, durableSeq: 0 }),
};

/** A main thread with shards that do not read their commands by themselves. */
class NoticeRoom {
  readonly #memory = createMemory(SHARD_COUNT, CATALOGUE, {
    commandBytes: RING_BYTES,
    eventBytes: RING_BYTES,
    venueRequestBytes: RING_BYTES,
    venueReportBytes: RING_BYTES,
    marketBytes: RING_BYTES,
    appendBytes: RING_BYTES,
    placeBytes: RING_BYTES,
  });
  readonly #commands = this.#memory.shards.map(({ commands }) => new RingConsumer(commands));
  readonly main = new MainThread({
    memory: this.#memory,
    catalogue: CATALOGUE,
    orderIds: { reserve: () => Promise.reject(new Error('no order is created')) } as never,
    riskLimitDirectory: { boundsOf: () => null, onChange: () => undefined },
    reader: READER,
    journal: new HeldJournal(),
    clock: { nowMs: () => 0 as EpochMs },
    realNowMs: () => 0,
    monotonicMs: () => 0,
    onUnreadable: () => undefined,
    onFault: () => undefined,
  });

  /** Fills the command ring of the first shard. */
  fill(): void {
    let isWritten = true;
    while (isWritten) isWritten = this.main.shardClients[0]!.post(FILLER);
  }

  /** States of the venue worker that the shard reads now. */
  notices(shard: number): boolean[] {
    const read: Command[] = [];
    this.#commands[shard]!.drain(100_000, (bytes) => void read.push(decodeCommand(bytes)));
    return read.flatMap((command) => (command.kind === 'VenueLink' ? [command.isUp] : []));
  }
}

describe('Notices of the venue worker', () => {
  it('reach a shard whose command ring was full when the worker died', () => {
    const room = new NoticeRoom();
    room.fill();
    room.main.setVenueUp(false);
    expect(room.notices(0)).toEqual([]);
    room.main.drain();
    expect([room.notices(0), room.notices(1)]).toEqual([[false], [false]]);
  });

  it('report the end before the return when both found a full ring', () => {
    const room = new NoticeRoom();
    room.fill();
    room.main.setVenueUp(false);
    room.main.setVenueUp(true);
    expect(room.notices(0)).toEqual([]);
    room.main.drain();
    expect([room.notices(0), room.notices(1)]).toEqual([
      [false, true],
      [false, true],
    ]);
  });

  it('report an end when the worker dies before its return is posted', () => {
    const room = new NoticeRoom();
    room.main.setVenueUp(false);
    room.notices(0);
    room.fill();
    room.main.setVenueUp(true);
    room.main.setVenueUp(false);
    room.notices(0);
    room.main.drain();
    expect(room.notices(0)).toEqual([false]);
  });

  it('are posted once', () => {
    const room = new NoticeRoom();
    room.main.setVenueUp(true);
    expect(room.notices(0)).toEqual([true]);
    room.main.drain();
    room.main.drain();
    expect(room.notices(0)).toEqual([]);
  });
});
