import { describe, expect, it } from 'vitest';
import { KILL_SWITCH_CAUSE } from '../../src/domain/cancel-cause.js';
import type { RiskLimits, EngagedKillSwitch } from '../../src/domain/risk-limit.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import { parentOrder } from '../http/orders.js';
import { btc, RiskRig, KEY, price, usd } from './risk-rig.js';
import type { FlatTerms } from '../domain/plain-order.js';

const OKX = { venue: 'OKX', instrument: 2 as InstrumentIndex } as const;
const FUTURE = { instrument: 1 as InstrumentIndex, assetCategory: 'FUTURE' } as const;
const SELL = { side: 'SELL' } as const;

type Row = readonly [
  what: string,
  rules: Partial<RiskLimits>,
  order: Partial<FlatTerms>,
  refusal: readonly [code: string, message: string] | null,
];

const TRIGGER = { price: price(70_000), condition: 'ABOVE' } as const;
const WOULD = { price: price(50_000), ppmOfPercent: 100_000_000, style: 'HYBRID' } as const;
const LADDER = { start: price(59_000), end: price(50_000), skewPpm: 1_000_000 };

const ROWS: readonly Row[] = [
  ['nothing holds', {}, {}, null],
  ['half a bitcoin at the mid, within', { maxOrderNotional: usd(30_000) }, {}, null],
  [
    'half a bitcoin at the mid, a lot too much',
    { maxOrderNotional: usd(30_000) },
    { quantity: btc(0.50001) },
    ['QUANTITY_EXCEED', 'quantity 0.50001 is worth 30000.6 USD, above max_order_notional 30000 USD of the account'],
  ],
  ['a buy is worth its limit', { maxOrderNotional: usd(25_000) }, { limitPrice: price(50_000) }, null],
  [
    'a sell is worth the mid at least',
    { maxOrderNotional: usd(29_999) },
    { ...SELL, limitPrice: price(1) },
    ['QUANTITY_EXCEED', 'worth 30000 USD'],
  ],
  [
    'a sell is worth its limit where that is more',
    { maxOrderNotional: usd(34_999) },
    { ...SELL, limitPrice: price(70_000) },
    ['QUANTITY_EXCEED', 'worth 35000 USD'],
  ],
  [
    'a ladder is worth its upper end',
    { maxOrderNotional: usd(29_000) },
    { strategy: 'SCALE', ladder: LADDER },
    ['QUANTITY_EXCEED', 'worth 29500 USD'],
  ],
  ['an exchange among others', { allowedExchanges: ['OKX', 'BINANCE'] }, {}, null],
  [
    'another exchange',
    { allowedExchanges: ['OKX', 'KRAKEN'] },
    {},
    ['INVALID_EXCHANGE', 'exchange BINANCE is not one of allowed_exchanges OKX, KRAKEN of the account'],
  ],
  ['no exchange at all', { allowedExchanges: [] }, OKX, ['INVALID_EXCHANGE', 'exchange OKX']],
  ['a symbol among others', { allowedSymbols: ['ETH/USDT', 'BTC/USDT'] }, {}, null],
  [
    'a perpetual is another symbol than its spot pair',
    { allowedSymbols: ['BTC/USDT'] },
    FUTURE,
    ['INVALID_SYMBOL', 'symbol BTC/USDT:USDT is not one of allowed_symbols BTC/USDT of the account'],
  ],
  ['a price at the edge of the collar', { priceCollarBps: 500 }, { limitPrice: price(63_000) }, null],
  [
    'a price a tick beyond',
    { priceCollarBps: 500 },
    { limitPrice: (price(63_000) + 1) as never },
    [
      'INVALID_LIMIT_PRICE',
      'limit_price 63000.01 lies 500 basis points from the mid 60000 of BTC/USDT on BINANCE, above price_collar_bps 500 of the account',
    ],
  ],
  [
    'the other way',
    { priceCollarBps: 500 },
    { ...SELL, limitPrice: price(56_999) },
    ['INVALID_LIMIT_PRICE', 'lies 500'],
  ],
  ['an order without a price', { priceCollarBps: 1 }, {}, null],
  ['a would price', { priceCollarBps: 500 }, { would: WOULD }, ['INVALID_WOULD_PRICE', 'would_price 50000 lies 1666']],
  ['at the arrival price', { priceCollarBps: 1 }, { would: { ...WOULD, price: null } }, null],
  ['a trigger', { priceCollarBps: 500 }, { trigger: TRIGGER }, ['INVALID_TRIGGER_PRICE', 'trigger_price 70000 lies']],
  ['a limit beside a trigger', { priceCollarBps: 2_000 }, { trigger: TRIGGER, limitPrice: price(80_000) }, null],
  [
    'a limit far from its trigger',
    { priceCollarBps: 2_000 },
    { trigger: TRIGGER, limitPrice: price(50_000) },
    ['INVALID_LIMIT_PRICE', 'from params.trigger.trigger_price 70000'],
  ],
  ['a ladder', { priceCollarBps: 500 }, { ladder: LADDER }, ['INVALID_PARAM', 'params.end_ladder_price 50000 lies']],
];

describe('a single order', () => {
  it.each(ROWS)('is checked against its limits: %s', (_what, rules, order, refusal) => {
    const found = new RiskRig(rules).refusalOf(order);
    expect(found?.code ?? null).toBe(refusal?.[0] ?? null);
    expect(found?.message ?? '').toContain(refusal?.[1] ?? '');
  });

  it('is valued in USD for every quote currency', () => {
    // 2 ETH at 60000 BTC each, and a bitcoin at 60000 USD.
    const inBitcoin = { instrument: 3 as InstrumentIndex, symbol: 'ETH/BTC', quantity: btc(2) };
    const rig = new RiskRig({ maxOrderNotional: usd(7_200_000_000) });
    expect(rig.refusalOf(inBitcoin)).toBeNull();
    expect(rig.refusalOf({ ...inBitcoin, quantity: btc(2.00001) })?.message).toContain('worth 7200036000 USD');
  });

  it('is checked against the limits of account and key, and the message names the holder', () => {
    const rig = new RiskRig({ maxOrderNotional: usd(50_000) });
    const [account] = rig.bindings;
    const key = { holder: 'key', rules: { ...account!.rules, maxOrderNotional: usd(10_000) } } as const;
    rig.bindings = [account!, key];
    expect(rig.refusalOf({ quantity: btc(0.2) })?.message).toContain('max_order_notional 10000 USD of the API key');
    expect(rig.refusalOf({ quantity: btc(1) })?.message).toContain('max_order_notional 50000 USD of the account');
    expect(rig.refusalOf({ quantity: btc(0.1) })).toBeNull();
  });

  it('is refused while the price that its limit needs is unknown', () => {
    const rig = new RiskRig({ maxOrderNotional: usd(50_000) });
    rig.twiceMid = null;
    expect(rig.refusalOf()).toMatchObject({ code: 'EXCHANGE_NOT_AVAILABLE' });
    expect(rig.refusalOf({ limitPrice: price(50_000) }), 'an order with a limit needs no mid').toBeNull();
  });

  it('counts each refusal under its limit', () => {
    const rig = new RiskRig({ maxOrderNotional: usd(1), priceCollarBps: 10 });
    rig.refusalOf();
    rig.refusalOf({ limitPrice: price(1) });
    rig.refusalOf({ limitPrice: price(60_000) });
    expect(rig.counts).toMatchObject({ max_order_notional: 2, price_collar_bps: 1, kill_switch: 0 });
  });

  it('gets every violation in a preview', () => {
    const rig = new RiskRig({ maxOrderNotional: usd(1), priceCollarBps: 10, allowedExchanges: ['OKX'] });
    const codes: string[] = [];
    const order = parentOrder({ side: 'SELL', limitPrice: price(1) });
    rig.gate.review(order, KEY, (refusals) => codes.push(...refusals.map(({ code }) => code)));
    expect(codes).toEqual(['INVALID_EXCHANGE', 'INVALID_LIMIT_PRICE', 'QUANTITY_EXCEED']);
    expect(rig.counts.max_order_notional, 'a preview counts no refusal').toBe(0);
  });
});

const ENGAGED: EngagedKillSwitch = { scope: 'account', engagedAtMs: Date.UTC(2026, 10, 21), by: 'OPERATOR' };

describe('an engaged kill switch', () => {
  it('refuses creates, amendments and resumes, and accepts cancels and pauses', () => {
    const rig = new RiskRig();
    const orderId = rig.open();
    rig.killSwitch = ENGAGED;
    const { account } = rig.stateOf(orderId).order;
    expect(rig.refusalOf()).toEqual({
      code: 'OTHER',
      message:
        'the kill switch of account demo was engaged by the operator at 2026-11-21T00:00:00.000Z; the operator releases it',
      reason: 'KILL_SWITCH',
    });
    expect(rig.amendRefusal(orderId, { quantity: btc(0.1) })?.code).toBe('OTHER');
    const outcomes: string[] = [];
    for (const kind of ['ResumeParent', 'PauseParent', 'CancelParent'] as const) {
      const named = { account, orderId };
      const change = kind === 'CancelParent' ? { kind, ...named, cancelCause: KILL_SWITCH_CAUSE } : { kind, ...named };
      rig.gate.change(change, (outcome) => outcomes.push(outcome.kind), KEY);
    }
    expect(outcomes).toEqual(['refused', 'pending', 'pending']);
    expect(rig.counts.kill_switch).toBe(3);
    rig.killSwitch = null;
    expect(rig.refusalOf()).toBeNull();
  });

  it('names the service and the key that engaged it', () => {
    const rig = new RiskRig();
    rig.killSwitch = { ...ENGAGED, scope: 'service' };
    expect(rig.refusalOf()?.message).toContain('the kill switch of the whole service');
    rig.killSwitch = { ...ENGAGED, by: 'API_KEY' };
    expect(rig.refusalOf()?.message).toContain('by one of its API keys');
  });
});
