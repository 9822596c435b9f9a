import { describe, expect, test } from 'vitest';
import type { AccountId, ChildNumber, OrderId, VenueOrderId } from '../../../src/domain/ids.js';
import type { Lots, Ticks } from '../../../src/domain/quantity.js';
import type { DurationMs } from '../../../src/domain/time.js';
import type { ExecutionReport } from '../../../src/domain/venue-report.js';
import { AccountRegistry } from '../../../src/sim/account/account-registry.js';
import { termsOf } from '../../../src/sim/account/trading-terms.js';
import type { InstrumentMarket } from '../../../src/sim/market/instrument-market.js';
import { VenueOrderLifecycle } from '../../../src/sim/order/order-lifecycle.js';
import { OrderHistory } from '../../../src/sim/order/order-history.js';
import { OrderRegistry } from '../../../src/sim/order/order-registry.js';
import { VenueOrder } from '../../../src/sim/order/venue-order.js';
import { ReportQueue } from '../../../src/sim/order/reports.js';
import { MemoryVenueStore } from '../memory-store.js';
import { instrumentAt, START_MS } from '../simulated-exchange.js';

const TERMS = termsOf(instrumentAt('BINANCE', 'BTC/USDT'));

/** A resting order of 1,000 lots, and its lifecycle. */
function waiting() {
  const accounts = new AccountRegistry(new MemoryVenueStore(), () => TERMS);
  const store = new MemoryVenueStore();
  const history = new OrderHistory(store, () => 0 as DurationMs);
  const orders = new OrderRegistry({ store, accounts, terms: () => TERMS, history });
  const queue = new ReportQueue();
  // A book without trades.
  const market = {
    trade: () => undefined,
    rest: () => undefined,
    remove: () => undefined,
  } as unknown as InstrumentMarket;
  const lifecycle = new VenueOrderLifecycle({ orders, accounts, reports: queue, marketOf: () => market });
  const account = accounts.account('alice' as AccountId, 'BINANCE');
  const submission = {
    account: account.account,
    venue: 'BINANCE',
    orderId: 1 as OrderId,
    child: 1 as ChildNumber,
    instrument: TERMS.instrument.index,
    side: 'BUY',
    quantity: 1_000 as Lots,
    type: 'LIMIT',
    timeInForce: 'GTC',
    limitPrice: 6_000_000 as Ticks,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'NONE',
  } as const;
  const state = { state: 'OPEN', venueOrderId: 'v' as VenueOrderId } as const;
  const order = new VenueOrder(account, TERMS, submission, { sequence: 1, state });
  order.owner = 3;
  lifecycle.work(order, START_MS);
  const reports = (): ExecutionReport[] => queue.takeReports().map(({ report }) => report as ExecutionReport);
  return { lifecycle, order, account, reports };
}

describe('an order that loses lots by self-trade prevention', () => {
  test('rests on with the remaining lots and locks only their amount', () => {
    const { lifecycle, order, account, reports } = waiting();
    const { locked } = account.balances.get('USDT')!;
    lifecycle.prevented(order, 400 as Lots, START_MS);
    expect(order).toMatchObject({ leaves: 600, filled: 0, isResting: true });
    expect(account.balances.get('USDT')!.locked).toBe((locked * 6n) / 10n);
    expect(reports()).toEqual([]);
  });

  test('ends with its last lot, gives the reason, and locks nothing', () => {
    const { lifecycle, order, account, reports } = waiting();
    lifecycle.prevented(order, 400 as Lots, START_MS);
    lifecycle.prevented(order, 600 as Lots, START_MS);
    expect(order).toMatchObject({ leaves: 0, isResting: false, isOpen: false });
    expect(account.balances.get('USDT')!.locked).toBe(0n);
    expect(account.resting.countIn('BTC/USDT')).toBe(0);
    expect(reports()).toMatchObject([{ kind: 'Cancelled', cause: { message: /self-trade prevention/ }, filled: 0 }]);
  });

  test('never loses more than its leaves', () => {
    const { lifecycle, order } = waiting();
    expect(() => lifecycle.prevented(order, 1_001 as Lots, START_MS)).toThrow('prevented lots are at most the leaves');
  });
});
