import { describe, expect, it } from 'vitest';
import type { Instrument, InstrumentIndex } from '../../../../src/domain/instrument.js';
import { amountOf, type Lots, type Ticks } from '../../../../src/domain/quantity.js';
import { decodeAccount, decodeHouse, decodePositions } from '../../../../src/sim/account/account-registry.js';
import { termsOf } from '../../../../src/sim/account/trading-terms.js';
import { ALICE, FUTURE, PaperRig } from './paper-rig.js';

/* A perpetual gets other lots or ticks while paper accounts hold it. The list gives it a new row. */

const NEXT = 9_000 as InstrumentIndex;
/** 50,000 in ticks of 0.1, and 0.2 in lots of 0.001. */
const P = 500_000;
const QUANTITY = 200;
const IOC = { timeInForce: 'IOC' } as const;
const lots = (quantity: number) => ({ quantity: quantity as Lots });
const at = (price: number) => ({ limitPrice: price as Ticks });

function relisted(change: Partial<Instrument>): Instrument {
  return { ...FUTURE, index: NEXT, ...change };
}

/** Alice is long at 50,000.1, and the market then has other lots or ticks. */
function held(next: Instrument, quantity = QUANTITY): PaperRig {
  const rig = new PaperRig(undefined, '0.001').touch(P - 10, 5_000, P + 1, 5_000, FUTURE);
  rig.place({ instrument: FUTURE.index, ...IOC, ...at(P + 1), ...lots(quantity) });
  expect(rig.held().positions).toHaveLength(1);
  rig.relisted.set(NEXT, next);
  return rig;
}

const usdt = (rig: PaperRig): number => Number(rig.wallet().balances.find(({ asset }) => asset === 'USDT')?.total);
const locked = (rig: PaperRig): number => {
  const wallet = rig.wallet().balances.find(({ asset }) => asset === 'USDT');
  return Number(wallet?.total) - Number(wallet?.free);
};

/** The stored sum of the wallet, the position at cost and the clearing house, less what the account began with. */
function imbalance({ store }: PaperRig, next: Instrument): bigint {
  const key = `${ALICE}/BINANCE`;
  const terms = termsOf(next);
  const total = decodeAccount(store.get(`account/${key}`)!).balances.get('USDT')!.total;
  const position = decodePositions(store.get(`positions/${key}`)!, () => terms).get(next.symbol)!;
  const { holdings, fees } = decodeHouse(store.get('house/BINANCE')!);
  const house = (holdings.get('USDT') ?? 0n) + (fees.get('USDT') ?? 0n);
  return total - amountOf(1_000_000, 0) - position.cost * terms.notionalUnit + house;
}

describe('a paper position whose market gets', () => {
  it.each([
    ['finer ticks', { pricePrecision: 2 }, 10, 1],
    ['finer lots', { quantityPrecision: 4 }, 1, 10],
    ['finer lots and ticks', { pricePrecision: 2, quantityPrecision: 4 }, 10, 10],
    ['larger ticks', { priceStep: 5 }, 1 / 5, 1],
    ['larger lots', { quantityStep: 20 }, 1, 1 / 20],
  ] as const)('%s is held on in those, and is closed by an order in the new row', (_what, change, perTick, perLot) => {
    const rig = held(relisted(change));
    const [before, lockedBefore] = [usdt(rig), locked(rig)];
    const next = relisted(change);
    const price = (P + 100) * perTick;
    rig.touch(price, 90_000, price + 1, 90_000, next).pass(2_000);
    const [position] = rig.held().positions;
    expect(position).toMatchObject({ symbol: 'BTCUSDT:USDT', quantity: String(QUANTITY) });
    expect(Number(position?.entryPrice)).toBeCloseTo(50_000.1, 0);
    expect(locked(rig)).toBeCloseTo(lockedBefore, 1);
    expect(usdt(rig)).toBe(before);
    const closing = { side: 'SELL', reduceOnly: true, ...at(price), ...lots(QUANTITY * perLot) } as const;
    expect(rig.place({ instrument: NEXT, ...IOC, ...closing }).answer.kind).toBe('placed');
    expect(rig.held().positions).toEqual([]);
    const fee = 0.2 * 50_010 * (FUTURE.takerFeePpm / 1e6);
    // Less than one lot-tick is lost by rounding.
    expect(usdt(rig) - before).toBeGreaterThan(0.2 * 9.9 - fee - 0.0006);
    expect(usdt(rig) - before).toBeLessThan(0.2 * 9.9 - fee + 1e-9);
  });

  it('larger ticks keeps them after a start, with its funding and without a change of the sums', () => {
    const next = relisted({ priceStep: 5 });
    const rig = held(next);
    rig.touch(P / 5, 5_000, P / 5 + 1, 5_000, next).pass(2_000);
    rig.restart();
    expect(rig.held().positions).toMatchObject([{ quantity: String(QUANTITY) }]);
    const before = usdt(rig);
    rig.mark(P / 5, 100, next).pass(8 * 3_600_000);
    expect(usdt(rig) - before).toBeCloseTo(-0.2 * 50_000 * 0.0001, 6);
    expect(imbalance(rig, next)).toBe(0n);
  });

  it('lots that do not divide it stays in the old ones, and goes on with its mark price', () => {
    const rig = held(relisted({ quantityStep: 7 }));
    const refused = rig.place({ instrument: NEXT, ...IOC, ...at(P), ...lots(10) }).answer;
    expect(refused).toMatchObject({ kind: 'refused', rejection: { code: 'INVALID_ORDER' } });
    const before = usdt(rig);
    rig.mark(P, 100).pass(8 * 3_600_000);
    expect(usdt(rig) - before).toBeCloseTo(-0.2 * 50_000 * 0.0001, 6);
    expect(rig.held().positions).toMatchObject([{ quantity: String(QUANTITY) }]);
  });

  it('other ticks waits for the orders that rest in the old ones', () => {
    const next = relisted({ pricePrecision: 2 });
    const rig = new PaperRig(undefined, '0.001').touch(P - 10, 5_000, P + 1, 5_000, FUTURE);
    rig.place({ instrument: FUTURE.index, ...IOC, ...at(P + 1), ...lots(QUANTITY) });
    const { order } = rig.place({ instrument: FUTURE.index, ...at(P - 10), ...lots(QUANTITY) });
    rig.relisted.set(NEXT, next);
    const closing = { instrument: NEXT, ...IOC, side: 'SELL', reduceOnly: true, ...at(10 * (P - 10)) } as const;
    expect(rig.place({ ...closing, ...lots(QUANTITY) }).answer.kind).toBe('refused');
    rig.cancel(order);
    rig.touch(10 * (P - 10), 5_000, 10 * P, 5_000, next);
    expect(rig.place({ ...closing, ...lots(QUANTITY) }).answer.kind).toBe('placed');
    expect(rig.held().positions).toEqual([]);
  });
});

it('an account that has closed its position trades in the new lots', () => {
  const next = relisted({ quantityPrecision: 4 });
  const rig = held(next);
  rig.place({ instrument: FUTURE.index, ...IOC, side: 'SELL', ...at(P - 10), ...lots(QUANTITY) });
  expect(rig.held().positions).toEqual([]);
  rig.touch(P - 10, 90_000, P, 90_000, next);
  rig.place({ instrument: NEXT, ...IOC, ...at(P), ...lots(10 * QUANTITY) });
  expect(rig.held().positions).toMatchObject([{ quantity: String(QUANTITY), margin: { initialMargin: '1000' } }]);
});
