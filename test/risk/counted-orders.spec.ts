import { describe, expect, it } from 'vitest';
import { NO_RISK_LIMITS, type RiskLimits } from '../../src/domain/risk-limit.js';
import {
  firstIndexOf,
  type Instrument,
  InstrumentCatalogue,
  type InstrumentIndex,
} from '../../src/domain/instrument.js';
import { POSITION_WORTH_MS, RISK_LIMIT_AMENDMENTS_PER_ORDER_MAX } from '../../src/domain/limits/trading.js';
import type { ChangeOutcome } from '../../src/domain/command.js';
import type { OrderId } from '../../src/domain/ids.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { ParentOrder } from '../../src/domain/order.js';
import type { Pair } from '../../src/domain/pair.js';
import { CATALOGUE, parentOrder, parentState } from '../http/orders.js';
import { btc, RiskRig, KEY, price, usd } from './risk-rig.js';
import type { FlatTerms } from '../domain/plain-order.js';
import { legOf } from '../domain/sample-pair.js';
import type { Lots } from '../../src/domain/quantity.js';

const FUTURE = { instrument: 1 as InstrumentIndex, assetCategory: 'FUTURE' } as const;
const SELL = { side: 'SELL' } as const;

describe('a maximum of open orders', () => {
  it.each<[string, Partial<RiskLimits>]>([
    ['counted', { maxOpenOrders: 1 }],
    ['counted and valued', { maxOpenOrders: 1, maxGrossExposure: usd(1_000_000_000) }],
  ])('refuses an order while the store may miss an acknowledged one, and counts that one later: %s', (_name, rules) => {
    const rig = new RiskRig(rules);
    const acknowledged = rig.open();
    const state = rig.stored.get(acknowledged) as ParentState;
    rig.exposures.forget();
    rig.stored.delete(acknowledged);
    rig.isStoreBehind = true;
    expect(rig.refusalOf()).toMatchObject({ code: 'SYSTEM_BUSY' });
    rig.stored.set(acknowledged, state);
    rig.isStoreBehind = false;
    expect(rig.refusalOf()).toMatchObject({ code: 'QUANTITY_EXCEED' });
  });

  it.each<[string, Partial<RiskLimits>]>([
    ['counted', { maxOpenOrders: 5 }],
    ['counted and valued', { maxOpenOrders: 5, maxGrossExposure: usd(1_000_000_000) }],
  ])('counts orders that come and end while its count waits for the store: %s', (_name, rules) => {
    const rig = new RiskRig(rules);
    const [first] = [rig.open(), rig.open()];
    rig.exposures.forget();
    rig.reads.hold();
    const waiting = rig.create();
    rig.createUncounted();
    rig.settle();
    // The first read lacks this order, the second one the next order and the end of the first.
    rig.reads.runNext();
    rig.createUncounted();
    rig.settle();
    rig.setState(first, 'CANCELLED');
    while (rig.reads.runNext()) {
      for (const run of rig.later.splice(0)) run();
    }
    rig.settle();
    expect(waiting).toMatchObject([{ kind: 'created' }]);
    expect(rig.usage.orders).toBe(4);
  });

  it('holds for two simultaneous orders', () => {
    const rig = new RiskRig({ maxOpenOrders: 1 });
    const [one, other] = [rig.create(), rig.create()];
    expect(one).toEqual([]);
    expect(other).toMatchObject([{ kind: 'refused', rejection: { code: 'QUANTITY_EXCEED' } }]);
    rig.settle();
    expect(one).toMatchObject([{ kind: 'created' }]);
  });

  it('holds for two orders that wait for the same price', () => {
    const rig = new RiskRig({ maxOpenOrders: 1, maxOrderNotional: usd(100_000) });
    rig.arePricesLate = true;
    const outcomes = [rig.create(), rig.create()];
    rig.answerPrices();
    rig.settle();
    expect(outcomes.flat().map(({ kind }) => kind)).toEqual(['created', 'refused']);
  });

  it('admits a further order when an order has ended or was never placed', () => {
    const rig = new RiskRig({ maxOpenOrders: 1 });
    const orderId = rig.open();
    expect(rig.refusalOf()?.message).toBe(
      'the account has 1 open orders, and max_open_orders 1 of the account allows no more',
    );
    rig.setState(orderId, 'CANCELLED');
    rig.refusal = { code: 'SYSTEM_BUSY', message: 'the mailbox of shard 0 is full; nothing was placed' };
    expect(rig.refusalOf()?.code).toBe('SYSTEM_BUSY');
    rig.refusal = null;
    expect(rig.refusalOf()).toBeNull();
  });

  it('counts orders that were open or in flight before the first check', () => {
    const rig = new RiskRig();
    rig.open();
    const underWay = rig.create();
    rig.setLimits({ maxOpenOrders: 2 });
    const third = rig.create();
    rig.settle();
    expect(underWay).toMatchObject([{ kind: 'created' }]);
    expect(third).toMatchObject([{ kind: 'refused' }]);
    expect(rig.usage.orders).toBe(2);
  });

  it('does not count an order that ended before its answer', () => {
    const rig = new RiskRig({ maxOpenOrders: 1 });
    rig.areEventsLate = true;
    rig.createUncounted();
    const orderId = 1 as OrderId;
    rig.stored.set(orderId, { ...parentState(parentOrder({ orderId })), status: 'PENDING_NEW' });
    rig.setState(orderId, 'CANCELLED');
    expect(rig.usage.orders).toBe(0);
    rig.deliver();
    expect(rig.usage.orders).toBe(0);
  });

  it('counts an unknown order when its event comes', () => {
    const rig = new RiskRig({ maxOpenOrders: 1 });
    expect(rig.usage.orders).toBe(0);
    rig.exposures.forget();
    const orderId = rig.open();
    rig.exposures.forget();
    rig.setState(orderId, 'ACCEPTED');
    expect(rig.usage.orders).toBe(1);
  });

  it('refuses every order and no amendment when it is 0', () => {
    const rig = new RiskRig();
    const orderId = rig.open();
    rig.setLimits({ maxOpenOrders: 0 });
    expect(rig.refusalOf()?.code).toBe('QUANTITY_EXCEED');
    expect(rig.amendRefusal(orderId, { quantity: btc(2) })).toBeNull();
  });
});

describe('a maximum of gross exposure', () => {
  it('adds the open quantity of orders and the value of positions', () => {
    const rig = new RiskRig({ maxGrossExposure: usd(100_000) });
    rig.positionLots = btc(-0.5);
    // One of the two exchanges in the catalogue has futures, so there is one position.
    expect(rig.usage).toEqual({ orders: 0, exposure: usd(30_000) });
    const buy = rig.open({ quantity: btc(1), limitPrice: price(50_000) });
    expect(rig.usage.exposure).toBe(usd(80_000));
    rig.setState(buy, 'PARTIALLY_FILLED', btc(0.4));
    expect(rig.usage.exposure).toBe(usd(60_000));
    expect(rig.refusalOf({ ...SELL, quantity: btc(0.7) })?.message).toBe(
      'quantity 0.7 would bring open orders and positions from 60000 USD to 102000 USD, above max_gross_exposure 100000 USD of the account',
    );
    expect(rig.refusalOf({ ...SELL, quantity: btc(0.6) })).toBeNull();
    expect(rig.usage.exposure).toBe(usd(96_000));
  });

  it('holds for two simultaneous orders', () => {
    const rig = new RiskRig({ maxGrossExposure: usd(50_000) });
    const outcomes = [rig.create(), rig.create()];
    rig.settle();
    expect(outcomes.flat().map(({ kind }) => kind)).toEqual(['created', 'refused']);
  });

  it('accepts a reduce-only order and does not count it', () => {
    const rig = new RiskRig({ maxGrossExposure: usd(30_000) });
    rig.positionLots = btc(0.5);
    expect(rig.refusalOf({ ...FUTURE, ...SELL })?.code).toBe('QUANTITY_EXCEED');
    expect(rig.refusalOf({ ...FUTURE, ...SELL, reduceOnly: true })).toBeNull();
    expect(rig.usage.exposure).toBe(usd(30_000));
  });

  it('counts the fills of futures until positions are requested again, without a gap', () => {
    const rig = new RiskRig({ maxGrossExposure: usd(100_000) });
    const orderId = rig.open({ ...FUTURE, quantity: btc(1) });
    rig.setState(orderId, 'PARTIALLY_FILLED', btc(0.5));
    expect(rig.usage.exposure, 'one half is an open order, the other half a position').toBe(usd(60_000));
    rig.setState(orderId, 'FILLED', btc(1));
    expect(rig.usage.exposure).toBe(usd(60_000));
    rig.positionLots = btc(1);
    rig.nowRealMs += POSITION_WORTH_MS;
    expect(rig.usage.exposure, 'the exchange reports the position').toBe(usd(60_000));
  });

  it('refuses orders before the first positions arrive, then uses the latest positions', () => {
    const rig = new RiskRig({ maxGrossExposure: usd(100_000) });
    rig.positionLots = null;
    expect(rig.refusalOf()).toEqual({
      code: 'EXCHANGE_NOT_AVAILABLE',
      message: 'max_gross_exposure needs the positions of all exchanges: exchange BINANCE is down',
    });
    rig.positionLots = btc(1);
    rig.open();
    rig.positionLots = null;
    rig.nowRealMs += POSITION_WORTH_MS;
    expect(rig.refusalOf()?.message).toContain('from 90000 USD to 120000 USD');
  });

  it('refuses orders until a real exchange has listed its futures, then counts its positions', () => {
    const catalogue = new InstrumentCatalogue(CATALOGUE.instruments, [], new Map([['OKX', 'testnet']]));
    const rig = new RiskRig({ maxGrossExposure: usd(100_000) }, catalogue);
    rig.positionLots = btc(0.5);
    const refusal = {
      code: 'EXCHANGE_NOT_AVAILABLE',
      message: 'max_gross_exposure needs the positions of all exchanges: the futures of OKX are not listed yet',
    };
    const index = firstIndexOf('testnet');
    const list = (added: number, fields: Partial<Instrument>): void =>
      catalogue.put({ ...CATALOGUE.at(2 as InstrumentIndex), ...fields, index: (index + added) as InstrumentIndex });
    expect(rig.refusalOf()).toEqual(refusal);
    list(0, {});
    expect(rig.refusalOf(), 'only spot is listed').toEqual(refusal);
    list(1, { assetCategory: 'FUTURE', symbol: 'BTC/USDT:USDT' });
    expect(rig.usage.exposure, 'a position at each of both exchanges').toBe(usd(60_000));
    expect(rig.refusalOf()).toBeNull();
  });

  it('counts both legs of a pair', () => {
    const rig = new RiskRig({ maxGrossExposure: usd(100_000), maxOrderNotional: usd(60_000) });
    const order = pairOf(btc(0.5), btc(0.5));
    const orderId = rig.open(order);
    expect(rig.usage).toEqual({ orders: 1, exposure: usd(60_000) });
    rig.setState(orderId, 'PARTIALLY_FILLED', btc(0.5));
    expect(rig.usage.exposure, 'a spot purchase is no position').toBe(usd(30_000));
    rig.setState(orderId, 'PARTIALLY_FILLED', btc(0.5), btc(0.2));
    expect(rig.usage.exposure, 'a sale of futures is a position').toBe(usd(30_000));
    rig.setState(orderId, 'CANCELLED', btc(0.5), btc(0.2));
    expect(rig.usage.exposure).toBe(usd(12_000));
    expect(rig.refusalOf(pairOf(btc(0.5), btc(0.6)))?.message).toContain(
      'target_value of both legs is worth 66000 USD, above max_order_notional 60000 USD',
    );
    rig.setLimits({ allowedSymbols: ['BTC/USDT'] });
    expect(rig.refusalOf(order)?.message).toContain('legs[1].symbol BTC/USDT:USDT is not one of');
  });
});

describe('an amendment', () => {
  it('is checked by the quantity that it adds, and may always reduce an order', () => {
    const rig = new RiskRig();
    const orderId = rig.open({ quantity: btc(1) });
    rig.open({ quantity: btc(1) });
    rig.setLimits({ maxGrossExposure: usd(100_000), maxOrderNotional: usd(50_000), allowedExchanges: ['OKX'] });
    expect(rig.amendRefusal(orderId, { quantity: btc(0.9) }), 'the amendment reduces the order').toBeNull();
    expect(rig.usage.exposure).toBe(usd(114_000));
    expect(rig.amendRefusal(orderId, { quantity: btc(0.91) })?.code).toBe('INVALID_EXCHANGE');
    rig.setLimits({ maxGrossExposure: usd(115_000), maxOrderNotional: usd(50_000) });
    expect(rig.amendRefusal(orderId, { quantity: btc(0.91) })?.message).toContain('worth 54600 USD, above max_order');
    rig.setLimits({ maxGrossExposure: usd(115_000) });
    expect(rig.amendRefusal(orderId, { quantity: btc(0.91) })).toBeNull();
    expect(rig.amendRefusal(orderId, { quantity: btc(0.92) })?.code).toBe('QUANTITY_EXCEED');
  });

  it('counts from its request until it is refused', () => {
    const rig = new RiskRig({ maxGrossExposure: usd(70_000) });
    const orderId = rig.open();
    rig.amend(orderId, { quantity: btc(1) });
    expect(rig.usage.exposure, 'the amendment is in flight').toBe(usd(60_000));
    expect(rig.create()).toMatchObject([{ kind: 'refused' }]);
    rig.refusal = { code: 'INVALID_ORDER', message: 'too late' };
    rig.settle();
    rig.refusal = null;
    expect(rig.usage.exposure).toBe(usd(30_000));
    expect(rig.refusalOf()).toBeNull();
  });

  it('counts until it is in effect, also when a later amendment of the order is refused', () => {
    const rig = new RiskRig({ maxGrossExposure: usd(100_000), selfCross: 'REFUSE' });
    const orderId = rig.open({ quantity: btc(0.1), limitPrice: price(50_000) });
    rig.areChildrenOpen = true;
    expect(rig.amendRefusal(orderId, { quantity: btc(1), limitPrice: price(60_000) })).toBeNull();
    expect(rig.amendRefusal(orderId, { quantity: btc(0.5), limitPrice: price(55_000) })?.code).toBe('INVALID_ORDER');
    expect(rig.usage.exposure).toBe(usd(60_000));
    expect(rig.refusalOf({ quantity: btc(1) })?.code).toBe('QUANTITY_EXCEED');
    expect(rig.refusalOf({ ...SELL, quantity: btc(0.1), limitPrice: price(60_000) })?.code).toBe('INVALID_ORDER');
    rig.endChildren(orderId);
    expect(rig.usage.exposure).toBe(usd(60_000));
  });

  it('counts when another amendment of the same revision is refused before', () => {
    const rig = new RiskRig({ maxGrossExposure: usd(100_000) });
    const orderId = rig.open({ quantity: btc(0.1), limitPrice: price(50_000) });
    rig.amend(orderId, { quantity: btc(0.2) });
    rig.amend(orderId, { quantity: btc(1), limitPrice: price(60_000) });
    expect(rig.usage.exposure, 'both are in flight').toBe(usd(60_000));
    rig.areChildrenOpen = true;
    rig.refusal = { code: 'SYSTEM_BUSY', message: 'the order is being reconciled' };
    rig.settleNext();
    rig.refusal = null;
    rig.settle();
    expect(rig.usage.exposure).toBe(usd(60_000));
    rig.endChildren(orderId);
    expect(rig.usage.exposure).toBe(usd(60_000));
  });

  it('counts after an unknown outcome, because the shard may still carry it out', () => {
    const rig = new RiskRig({ maxGrossExposure: usd(100_000) });
    const orderId = rig.open({ quantity: btc(0.1) });
    const outcomes = rig.amend(orderId, { quantity: btc(1) });
    rig.giveUp();
    expect(outcomes).toMatchObject([{ kind: 'refused', isUnresolved: true }]);
    expect(rig.create({ quantity: btc(1) })).toMatchObject([{ kind: 'refused' }]);
    rig.settle();
    expect(rig.usage.exposure).toBe(usd(60_000));
  });

  it('counts no longer after its refusal, also when the orders were read again meanwhile', () => {
    const rig = new RiskRig({ maxGrossExposure: usd(100_000) });
    const orderId = rig.open();
    rig.amend(orderId, { quantity: btc(1) });
    rig.exposures.forget();
    expect(rig.usage.exposure).toBe(usd(60_000));
    rig.refusal = { code: 'INVALID_ORDER', message: 'too late' };
    rig.settle();
    expect(rig.usage.exposure).toBe(usd(30_000));
  });

  it('is refused while too many amendments of the order are not decided', () => {
    const rig = new RiskRig({ maxGrossExposure: usd(100_000) });
    const orderId = rig.open();
    const amend = (): ChangeOutcome[] => rig.amend(orderId, { quantity: btc(0.6) });
    const sent = Array.from({ length: RISK_LIMIT_AMENDMENTS_PER_ORDER_MAX }, amend);
    expect(sent.flat()).toEqual([]);
    expect(amend()).toMatchObject([{ kind: 'refused', rejection: { code: 'SYSTEM_BUSY' } }]);
    rig.settle();
    expect(rig.settled(amend)).toMatchObject([{ kind: 'pending' }]);
  });

  it('is checked against the price collar only for the prices that it changes', () => {
    const rig = new RiskRig();
    const orderId = rig.open({ limitPrice: price(50_000) });
    rig.setLimits({ priceCollarBps: 500 });
    expect(rig.amendRefusal(orderId, { quantity: btc(1) }), 'the price does not change').toBeNull();
    expect(rig.amendRefusal(orderId, { limitPrice: price(50_001) })?.code).toBe('INVALID_LIMIT_PRICE');
    expect(rig.amendRefusal(orderId, { limitPrice: price(60_001) })).toBeNull();
  });

  it('is passed to the shard when its order has ended', () => {
    const rig = new RiskRig({ maxOrderNotional: usd(1) });
    const orderId = 77 as OrderId;
    const outcomes: string[] = [];
    const order = parentOrder({ orderId });
    rig.stored.set(orderId, { ...rigState(order), status: 'FILLED' });
    rig.gate.change({ kind: 'AmendParent', order }, (outcome) => outcomes.push(outcome.kind), KEY);
    rig.settle();
    expect(outcomes).toEqual(['pending']);
  });
});

describe('self-cross prevention', () => {
  const REFUSE = { selfCross: 'REFUSE' } as const;

  it('refuses an order that could match an own open order, and names that order', () => {
    const rig = new RiskRig(REFUSE);
    const low = rig.open({ limitPrice: price(59_000) });
    const high = rig.open({ limitPrice: price(59_500) });
    expect(rig.refusalOf({ ...SELL, limitPrice: price(59_500) })).toEqual({
      code: 'INVALID_ORDER',
      message: `side SELL of BTC/USDT on BINANCE could trade with the own open order_id ${high}, which self_cross REFUSE of the account forbids`,
      reason: 'RISK_LIMIT',
    });
    expect(rig.refusalOf({ ...SELL, limitPrice: price(59_501) })).toBeNull();
    expect(rig.refusalOf({ limitPrice: price(59_501) })?.message).toContain('side BUY');
    rig.setState(high, 'CANCELLED');
    expect(rig.refusalOf({ ...SELL, limitPrice: price(59_001) })).toBeNull();
    expect(rig.refusalOf({ ...SELL })?.message, 'an order without a limit matches every order').toContain(
      `order_id ${low},`,
    );
  });

  it('ignores orders of other instruments', () => {
    const rig = new RiskRig(REFUSE);
    rig.open();
    expect(rig.refusalOf({ ...SELL, ...FUTURE })).toBeNull();
    expect(rig.refusalOf({ ...SELL, venue: 'OKX', instrument: 2 as InstrumentIndex })).toBeNull();
  });

  it('checks each rung of a ladder', () => {
    const rig = new RiskRig(REFUSE);
    rig.open({ strategy: 'SCALE', ladder: { start: price(59_000), end: price(58_000), skewPpm: 1_000_000 } });
    expect(rig.refusalOf({ ...SELL, limitPrice: price(59_000) })?.code).toBe('INVALID_ORDER');
    expect(rig.refusalOf({ ...SELL, limitPrice: price(59_001) })).toBeNull();
  });

  it('refuses only an amendment that reaches a further price', () => {
    const rig = new RiskRig();
    const buy = rig.open({ limitPrice: price(60_000) });
    rig.open({ ...SELL, limitPrice: price(59_000) });
    rig.setLimits(REFUSE);
    expect(rig.amendRefusal(buy, { limitPrice: price(60_001) })?.code).toBe('INVALID_ORDER');
    expect(rig.amendRefusal(buy, { limitPrice: price(59_999) })).toBeNull();
    expect(rig.amendRefusal(buy, { limitPrice: null })?.code).toBe('INVALID_ORDER');
    expect(rig.amendRefusal(buy, { limitPrice: price(58_000) })).toBeNull();
    expect(rig.refusalOf({ ...SELL, limitPrice: price(58_001) })).toBeNull();
  });
});

describe('the count of an account', () => {
  it('is the same after a restart', () => {
    const rig = new RiskRig({ maxGrossExposure: usd(1_000_000) });
    const partly = rig.open({ limitPrice: price(50_000) });
    rig.open({ ...SELL, quantity: btc(0.7), limitPrice: price(65_000) });
    rig.setState(rig.open(), 'FILLED', btc(0.5));
    rig.setState(partly, 'PARTIALLY_FILLED', btc(0.123));
    const before = rig.usage;
    rig.exposures.forget();
    expect(rig.usage).toEqual(before);
    expect(before).toEqual({ orders: 2, exposure: usd(18_850 + 45_500) });
  });

  it('is kept when only another key of the account has the limit', () => {
    const rig = new RiskRig();
    rig.isCounted = true;
    rig.open();
    expect(rig.usage).toEqual({ orders: 1, exposure: null });
    rig.bindings = [{ holder: 'key', rules: { ...NO_RISK_LIMITS, maxOpenOrders: 1 } }];
    expect(rig.refusalOf()?.message).toContain('max_open_orders 1 of the API key');
  });

  it('is checked against limits that change while an order waits', () => {
    const rig = new RiskRig({ maxOrderNotional: usd(100_000) });
    rig.arePricesLate = true;
    const outcomes = rig.create();
    rig.setLimits({ maxOrderNotional: usd(100_000), maxOpenOrders: 0 });
    rig.answerPrices();
    rig.settle();
    expect(outcomes).toMatchObject([{ kind: 'refused', rejection: { code: 'QUANTITY_EXCEED' } }]);
  });
});

function rigState(order: ParentOrder): ReturnType<RiskRig['stateOf']> {
  const rig = new RiskRig();
  return { ...rig.stateOf(rig.open()), order };
}

/** Spot against its perpetual; the spot leg leads. */
function pairOf(leading: Lots, following: Lots): Partial<FlatTerms> {
  const leg = legOf(parentOrder({ quantity: leading }));
  const legs = [leg, { ...leg, ...FUTURE, ...SELL, quantity: following }] as const;
  return { legs, pair: { leadingIndex: 0 } as unknown as Pair };
}
