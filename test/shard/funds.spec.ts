import { beforeEach, expect, it } from 'vitest';
import type { Amount } from '../../src/domain/quantity.js';
import type { AccountId, CorrelationId } from '../../src/domain/ids.js';
import { ANSWER_SILENCE_MS_MAX } from '../../src/domain/limits/trading.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { FundsReport } from '../../src/domain/venue-report.js';
import { evolve } from '../../src/order/evolve.js';
import { Actor } from '../../src/shard/actor.js';
import { FundsView } from '../../src/shard/accounts.js';
import { BTC, orderOf, START_MS } from './sample-orders.js';

const ALICE = 'alice' as AccountId;
let funds: FundsView;

beforeEach(() => {
  funds = new FundsView();
});

function actorOf(account: AccountId = ALICE): Actor {
  return new Actor(evolve(null, { kind: 'ParentCreated', order: orderOf(1, { account }) }, START_MS), BTC);
}

function reportOf(version: number, free: Record<string, bigint>, change: Partial<FundsReport> = {}): FundsReport {
  return {
    kind: 'Funds',
    correlationId: 0 as CorrelationId,
    account: ALICE,
    venue: 'BINANCE',
    atMs: START_MS,
    isSnapshot: true,
    version,
    balances: Object.entries(free).map(([asset, units]) => ({ asset, total: 9n as Amount, free: units as Amount })),
    causedBy: null,
    ...change,
  };
}

it('requests balances once and wakes every waiting order', () => {
  const [first, second] = [actorOf(), actorOf()];
  expect(funds.free(ALICE, 'BINANCE', 'USDT')).toBeNull();
  expect([funds.wait(first, 'BINANCE', START_MS), funds.wait(second, 'BINANCE', START_MS)]).toEqual([true, false]);
  expect(funds.apply(reportOf(1, { USDT: 5n }))).toEqual([first, second]);
  expect(funds.apply(reportOf(2, { USDT: 6n }))).toEqual([]);
  expect(funds.free(ALICE, 'BINANCE', 'USDT')).toBe(6n);
});

it('treats an asset that a full answer omits as empty', () => {
  funds.wait(actorOf(), 'BINANCE', START_MS);
  funds.apply(reportOf(1, { USDT: 5n, BTC: 1n }));
  funds.apply(reportOf(2, { USDT: 4n }));
  expect([funds.free(ALICE, 'BINANCE', 'BTC'), funds.free(ALICE, 'BINANCE', 'USDT')]).toEqual([0n, 4n]);
});

it('keeps assets that a change does not name', () => {
  funds.wait(actorOf(), 'BINANCE', START_MS);
  funds.apply(reportOf(1, { USDT: 5n, BTC: 1n }));
  funds.apply(reportOf(2, { USDT: 3n }, { isSnapshot: false }));
  expect([funds.free(ALICE, 'BINANCE', 'BTC'), funds.free(ALICE, 'BINANCE', 'USDT')]).toEqual([1n, 3n]);
});

it('ignores older versions, and changes before the first full answer', () => {
  const actor = actorOf();
  funds.wait(actor, 'BINANCE', START_MS);
  expect(funds.apply(reportOf(5, { USDT: 5n }, { isSnapshot: false }))).toEqual([]);
  expect(funds.free(ALICE, 'BINANCE', 'USDT')).toBeNull();
  expect(funds.apply(reportOf(6, { USDT: 6n }))).toEqual([actor]);
  funds.apply(reportOf(4, { USDT: 4n }));
  expect(funds.free(ALICE, 'BINANCE', 'USDT')).toBe(6n);
});

it('separates accounts and venues', () => {
  funds.wait(actorOf(), 'BINANCE', START_MS);
  funds.wait(actorOf('bob' as AccountId), 'BINANCE', START_MS);
  funds.apply(reportOf(1, { USDT: 5n }));
  expect(funds.free('bob' as AccountId, 'BINANCE', 'USDT')).toBeNull();
  expect(funds.free(ALICE, 'OKX', 'USDT')).toBeNull();
});

it('repeats an unanswered request, once for all waiting orders', () => {
  const later = (START_MS + ANSWER_SILENCE_MS_MAX) as EpochMs;
  const [first, second] = [actorOf(), actorOf()];
  expect([funds.wait(first, 'BINANCE', START_MS), funds.wait(second, 'BINANCE', (later - 1) as EpochMs)]).toEqual([
    true,
    false,
  ]);
  expect([funds.wait(first, 'BINANCE', later), funds.wait(second, 'BINANCE', later)]).toEqual([true, false]);
});

it('forgets the balances of one venue only', () => {
  const actor = actorOf();
  funds.wait(actor, 'BINANCE', START_MS);
  expect(funds.forget('OKX', null)).toEqual([]);
  expect(funds.forget('BINANCE', null)).toEqual([actor]);
});

it('forgets the balances of one account only', () => {
  const actor = actorOf();
  funds.wait(actor, 'BINANCE', START_MS);
  expect(funds.forget('BINANCE', 'bob' as AccountId)).toEqual([]);
  expect(funds.forget('BINANCE', ALICE)).toEqual([actor]);
});

it('forgets all balances when all venues are lost, and returns the waiting orders', () => {
  const actor = actorOf();
  funds.wait(actor, 'BINANCE', START_MS);
  expect(funds.forget(null, null)).toEqual([actor]);
  expect(funds.wait(actor, 'BINANCE', START_MS)).toBe(true);
  funds.apply(reportOf(1, { USDT: 5n }));
  expect(funds.forget(null, null)).toEqual([]);
  expect(funds.free(ALICE, 'BINANCE', 'USDT')).toBeNull();
});
