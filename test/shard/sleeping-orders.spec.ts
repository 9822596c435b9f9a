import { expect, it } from 'vitest';
import type { NumberedEvent, Release, TurnJournal } from '../../src/journal/port.js';
import type { UnnumberedEvent } from '../../src/domain/event.js';
import type { OrderId } from '../../src/domain/ids.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { ParentOrder } from '../../src/domain/order.js';
import { MESSAGES_PER_TURN_MAX, TIMERS_PER_TURN_MAX } from '../../src/domain/limits/trading.js';
import type { Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { BTC, ETH, orderOf, START_MS } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';
import { runs } from '../runs.js';

const ORDERS_COUNT = runs(5_000, 100_000);
const START_AHEAD_MS = 3_600_000;

/** Stores only what the tests read, because they measure the work of the shard. */
class CountingJournal implements TurnJournal {
  turnCount = 0;
  readonly waitingCount = 0;
  readonly isFull = false;
  readonly openSeq = 0;
  readonly started: (OrderId | null)[] = [];
  readonly submitted: (OrderId | null)[] = [];

  commit(events: readonly UnnumberedEvent[], _touched: readonly ParentState[], release: Release): void {
    this.turnCount += 1;
    for (const { event, orderId } of events) {
      if (event.kind === 'ParentStarted') this.started.push(orderId);
      if (event.kind === 'ChildSubmitted') this.submitted.push(orderId);
    }
    release(events.map((event, index) => ({ envelope: { ...event, seq: index + 1 } }) as NumberedEvent));
  }

  releaseDurable(): void {}

  hasTrade(): boolean {
    return false;
  }

  state(): null {
    return null;
  }

  openParents(): [] {
    return [];
  }
}

function sleepers(journal: CountingJournal, orderOfId: (orderId: number) => ParentOrder): ShardRig {
  const rig = new ShardRig({ shard: 0, shardCount: 1, journal });
  for (let orderId = 1; orderId <= ORDERS_COUNT; orderId += 1) {
    rig.place(orderOfId(orderId));
    if (orderId % MESSAGES_PER_TURN_MAX === 0) rig.turn();
    if (orderId === MESSAGES_PER_TURN_MAX) rig.fund();
  }
  rig.rest();
  expect(rig.shard.openParentCount).toBe(ORDERS_COUNT);
  rig.market.readCount = 0;
  journal.turnCount = 0;
  return rig;
}

/** Each order waits for an ask one tick below the previous order's. */
function limitOf(orderId: number): Ticks {
  return (6_000_000 - orderId) as Ticks;
}

it(`does no work in a turn for ${ORDERS_COUNT} orders that wait for a time`, () => {
  const journal = new CountingJournal();
  const startAtMs = (START_MS + START_AHEAD_MS) as EpochMs;
  const rig = sleepers(journal, (orderId) => orderOf(orderId, { startAtMs }));
  for (let second = 0; second < 1_000; second += 1) {
    rig.quote({ bid: 6_300_000 + second });
    rig.turn(1_000);
  }
  expect([rig.market.readCount, journal.turnCount]).toEqual([0, 0]);
  rig.nowMs = startAtMs;
  rig.quote({});
  rig.turn();
  expect(journal.started).toHaveLength(TIMERS_PER_TURN_MAX);
});

it(`reads the market once a tick for ${ORDERS_COUNT} orders that wait for a price, and wakes single orders`, () => {
  const journal = new CountingJournal();
  const rig = sleepers(journal, (orderId) => orderOf(orderId, { strategy: 'MARKET', limitPrice: limitOf(orderId) }));
  for (let tick = 0; tick < 100; tick += 1) {
    rig.quote({ ask: 6_300_000 + tick });
    rig.quote({}, ETH);
    rig.turn(10);
  }
  expect([rig.market.readCount, journal.turnCount]).toEqual([100, 0]);
  rig.quote({ bid: 5_999_990, ask: 5_999_997 });
  rig.rest();
  expect(journal.submitted).toEqual([1, 2, 3]);
  expect(rig.market.watched.has(BTC.index)).toBe(true);
});
