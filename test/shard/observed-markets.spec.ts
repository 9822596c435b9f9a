import { expect, it } from 'vitest';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import { MARKET_STALE_MS, QUOTE_AFTERMATH_MS } from '../../src/domain/limits/trading.js';
import type { EpochMs } from '../../src/domain/time.js';
import { BTC, ETH, OKX_BTC, orderOf } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';

const ORDER_ID = 4_096;
const TURN_MS = 250;
const DOWN_MS = 8_000;

/** A shard that observes its markets, with an order that was just filled. */
function filledRig(): ShardRig {
  const rig = new ShardRig({ shard: 0, shardCount: 1, isObserving: true });
  rig.work(orderOf(ORDER_ID));
  rig.fill(ORDER_ID, 1, 1_000, 1);
  rig.rest();
  expect(rig.state(ORDER_ID)?.status).toBe('FILLED');
  return rig;
}

/** Lets time pass while every market trades. */
function tradeFor(rig: ShardRig, ms: number): void {
  const untilMs = rig.nowMs + ms;
  while (rig.nowMs < untilMs) {
    for (const instrument of [BTC, ETH, OKX_BTC]) rig.quote({}, instrument);
    rig.turn(TURN_MS);
  }
}

/** Restarts the shard after a pause in which no market is kept awake. */
function restartAfter(rig: ShardRig, ms: number): void {
  rig.nowMs = (rig.nowMs + ms) as EpochMs;
  rig.market.awake.clear();
  rig.restart();
}

/** Times of the instrument's observations. */
function observed(rig: ShardRig, instrument: InstrumentIndex): number[] {
  return rig.journal.entries.flatMap(({ envelope: { event, eventAtMs } }) =>
    event.kind === 'MarketObserved' && event.instrument === instrument ? [eventAtMs] : [],
  );
}

/** Longest time between two successive observations. */
function longestGapMs(times: readonly number[]): number {
  return Math.max(...times.slice(1).map((atMs, index) => atMs - times[index]!));
}

it('continues the observations of a market after a restart, for the markouts of earlier fills', () => {
  const rig = filledRig();
  const filledAtMs = rig.nowMs;
  tradeFor(rig, 10_000);
  const downFromMs = rig.nowMs;
  restartAfter(rig, DOWN_MS);
  expect([...rig.market.awake]).toEqual([BTC.index]);
  tradeFor(rig, 80_000);

  const times = observed(rig, BTC.index);
  expect(times.filter((atMs) => atMs > downFromMs && atMs < downFromMs + DOWN_MS)).toEqual([]);
  const after = times.filter((atMs) => atMs > downFromMs);
  expect(after[0]).toBeLessThanOrEqual(downFromMs + DOWN_MS + 1_000);
  expect(longestGapMs(after)).toBeLessThanOrEqual(1_000);
  expect(after.at(-1)).toBeGreaterThanOrEqual(filledAtMs + QUOTE_AFTERMATH_MS - 1_000);
  expect(after.at(-1)).toBeLessThanOrEqual(downFromMs + MARKET_STALE_MS + QUOTE_AFTERMATH_MS);
  expect(rig.market.awake.size).toBe(0);
  expect([ETH, OKX_BTC].flatMap(({ index }) => observed(rig, index))).toEqual([]);
});

it('lets a market sleep after a restart when no markout needs it', () => {
  const rig = filledRig();
  restartAfter(rig, MARKET_STALE_MS + QUOTE_AFTERMATH_MS);
  expect(rig.market.awake.size).toBe(0);
});

it('continues the observations of a market that another shard observed', () => {
  const rig = filledRig();
  const other = new ShardRig({ shard: 1, shardCount: 2, isObserving: true });
  other.journal.entries.push(...rig.journal.entries);
  other.restart();
  expect([...other.market.awake]).toEqual([BTC.index]);
});
