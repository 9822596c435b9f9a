import { describe, expect, test } from 'vitest';
import type { AccountId, ChildNumber, OrderId, VenueOrderId } from '../../../src/model/ids.js';
import type { Lots, Ticks } from '../../../src/model/quantity.js';
import type { ExecutionReport } from '../../../src/model/venue-message.js';
import { AccountRegistry } from '../../../src/venue/account/account-registry.js';
import { termsOf } from '../../../src/venue/account/trading-terms.js';
import type { InstrumentMarket } from '../../../src/venue/life/index.js';
import { OrderLife } from '../../../src/venue/order/order-life.js';
import { OrderRegistry } from '../../../src/venue/order/order-registry.js';
import { VenueOrder } from '../../../src/venue/order/venue-order.js';
import { Outbox } from '../../../src/venue/outbox.js';
import { MemoryVenueStore } from '../../../src/venue/index.js';
import { instrumentAt, START_MS } from '../simulated-exchange.js';

const TERMS = termsOf(instrumentAt('BINANCE', 'BTC/USDT'));

/** An order of 1,000 lots that waits, and the life it leads. */
function waiting() {
  const accounts = new AccountRegistry(new MemoryVenueStore(), () => TERMS);
  const orders = new OrderRegistry(new MemoryVenueStore(), accounts, () => TERMS);
  const outbox = new Outbox();
  // A book of one order: nothing trades, and it comes and goes as it likes.
  const market = {
    trade: () => undefined,
    rest: () => undefined,
    remove: () => undefined,
  } as unknown as InstrumentMarket;
  const life = new OrderLife({ orders, accounts, outbox, marketOf: () => market });
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
  const standing = { state: 'OPEN', venueOrderId: 'v' as VenueOrderId } as const;
  const order = new VenueOrder(account, TERMS, submission, { sequence: 1, standing });
  order.owner = 3;
  life.work(order, START_MS);
  const reports = (): ExecutionReport[] => outbox.takeLetters().map(({ report }) => report as ExecutionReport);
  return { life, order, account, reports };
}

describe('an order that self-trade prevention takes lots from', () => {
  test('waits on with the rest, and ties up no more than that', () => {
    const { life, order, account, reports } = waiting();
    const { locked } = account.balances.get('USDT')!;
    life.prevented(order, 400 as Lots, START_MS);
    expect(order).toMatchObject({ leaves: 600, filled: 0, isResting: true });
    expect(account.balances.get('USDT')!.locked).toBe((locked * 6n) / 10n);
    expect(reports()).toEqual([]);
  });

  test('ends with the last of them, says why, and ties up nothing', () => {
    const { life, order, account, reports } = waiting();
    life.prevented(order, 400 as Lots, START_MS);
    life.prevented(order, 600 as Lots, START_MS);
    expect(order).toMatchObject({ leaves: 0, isResting: false, isOpen: false });
    expect(account.balances.get('USDT')!.locked).toBe(0n);
    expect(account.resting.countIn('BTC/USDT')).toBe(0);
    expect(reports()).toMatchObject([{ kind: 'Cancelled', cause: { message: /self-trade prevention/ }, filled: 0 }]);
  });

  test('never takes more than is left', () => {
    const { life, order } = waiting();
    expect(() => life.prevented(order, 1_001 as Lots, START_MS)).toThrow('no more is prevented than is left');
  });
});
