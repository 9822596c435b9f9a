import { describe, expect, it } from 'vitest';
import type { EpochMs } from '../../src/domain/time.js';
import { MARKET_STALE_MS } from '../../src/domain/limits/trading.js';
import { BTC, orderOf, START_MS } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';
import { WatchingStrategy } from './watching-strategy.js';
import type { FlatTerms } from '../domain/plain-order.js';

function rigOf(isNeeded: boolean) {
  const strategy = new WatchingStrategy({ depth: isNeeded });
  return { strategy, rig: new ShardRig({ shard: 0, shardCount: 1, strategyFor: () => strategy }) };
}

/** Marks the book as fresh. */
function show(rig: ShardRig): void {
  rig.market.book.atMs = rig.nowMs;
}

function work(rig: ShardRig, change: Partial<FlatTerms> = {}): void {
  rig.work(orderOf(1, change));
}

describe('The book', () => {
  it('subscribes when an order that needs the book may trade, and unsubscribes when it has ended', () => {
    const { rig } = rigOf(true);
    work(rig, { startAtMs: (START_MS + 1_000) as EpochMs });
    expect(rig.market.wantedBooks).toEqual(new Set());
    rig.turn(1_000);
    expect(rig.market.wantedBooks).toEqual(new Set([BTC.index]));
    rig.cancel(1);
    rig.turn();
    expect(rig.state(1)?.status).toBe('CANCELLED');
    expect(rig.market.wantedBooks).toEqual(new Set());
  });

  it('passes the book to the strategy only while it is fresh', () => {
    const { rig, strategy } = rigOf(true);
    work(rig);
    expect(strategy.looks.at(-1)?.depth).toBeNull();
    show(rig);
    rig.turn(1_000);
    expect(strategy.looks.at(-1)?.depth).toBe(rig.market.book);
    rig.turn(MARKET_STALE_MS - 1_000);
    expect(strategy.looks.at(-1)?.depth).toBe(rig.market.book);
    // The market continues, but not the book.
    rig.nowMs = (rig.nowMs + 1_000) as EpochMs;
    rig.quote({});
    rig.turn();
    expect(strategy.looks.at(-1)).toMatchObject({ atMs: rig.nowMs, depth: null });
  });

  it('passes the book to every order with a placement at book levels', () => {
    const { rig, strategy } = rigOf(false);
    show(rig);
    work(rig, { placement: { mode: 'CUSTOM', level: 2, cancelLevel: 4 } });
    expect(strategy.looks.at(-1)?.depth).toBe(rig.market.book);
    rig.cancel(1);
    rig.turn();
    expect(rig.market.bookCalls).toEqual(['want 0', 'leave 0']);
  });

  it('has no subscription when no order needs it', () => {
    const { rig, strategy } = rigOf(false);
    show(rig);
    work(rig, { placement: { mode: 'TIGHT' } });
    rig.cancel(1);
    rig.turn();
    expect(strategy.looks.at(-1)?.depth).toBeNull();
    expect(rig.market.bookCalls).toEqual([]);
  });
});
