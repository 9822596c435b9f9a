import { describe, expect, it } from 'vitest';
import type { AccountId } from '../../../../src/domain/ids.js';
import type { Lots, Ticks } from '../../../../src/domain/quantity.js';
import { ALICE, FUTURE, listed, PaperRig, PRICE, SPOT, UNIT } from './paper-rig.js';

const market = (bidQuantity = 5_000, askQuantity = 3_000): PaperRig =>
  new PaperRig().touch(PRICE - 100, bidQuantity, PRICE, askQuantity);

const lots = (quantity: number) => ({ quantity: quantity as Lots });
const at = (price: number) => ({ limitPrice: price as Ticks });
const IOC = { timeInForce: 'IOC' } as const;

const refusal = (rig: PaperRig, terms: Parameters<PaperRig['place']>[0], expiresInMs?: number) => {
  const { answer, order } = rig.place(terms, expiresInMs);
  expect(rig.updatesOf(order)).toEqual([]);
  expect(rig.lookUp(order)).toEqual({ kind: 'absent' });
  return answer.kind === 'refused' ? `${answer.rejection.code} ${answer.rejection.message}` : answer.kind;
};

const meet = (selfTradePrevention: 'NONE' | 'EXPIRE_TAKER' | 'EXPIRE_MAKER' | 'EXPIRE_BOTH' | 'DECREMENT') => {
  const rig = market(5_000, 2_000);
  const maker = rig.place({ side: 'SELL', ...at(PRICE + 40), ...lots(1_500) }).order;
  rig.depth(
    [[PRICE - 100, 5_000]],
    [
      [PRICE, 1_000],
      [PRICE + 50, 4_000],
    ],
  );
  const taker = rig.place({ ...IOC, ...lots(3_000), ...at(PRICE + 60), selfTradePrevention }).order;
  return { maker: rig.updatesOf(maker), taker: rig.updatesOf(taker) };
};
describe('a paper order that takes', () => {
  it('fills at the shown price up to the shown quantity, and an IOC order then ends', () => {
    const rig = market();
    const { answer, order } = rig.place({ ...IOC, ...lots(4_000) });
    expect(answer.kind).toBe('placed');
    expect(rig.updatesOf(order)).toEqual(['OPEN 0', `OPEN 3000 (3000 @ ${PRICE} TAKER)`, 'CANCELLED 3000']);
  });

  it('fills completely when the book shows enough', () => {
    const rig = market();
    const { order } = rig.place({ type: 'MARKET', ...IOC, limitPrice: null, ...lots(2_000) });
    expect(rig.updatesOf(order)).toEqual(['OPEN 0', `FILLED 2000 (2000 @ ${PRICE} TAKER)`]);
  });

  it('does not take the same quantity twice before the level changes', () => {
    const rig = market();
    rig.place({ ...IOC, ...lots(3_000) });
    rig.touch(PRICE - 100, 5_000, PRICE, 3_000);
    const again = rig.place({ ...IOC, ...lots(UNIT) }).order;
    expect(rig.updatesOf(again)).toEqual(['OPEN 0', 'CANCELLED 0']);
    rig.touch(PRICE - 100, 5_000, PRICE, 3_001);
    const later = rig.place({ ...IOC, ...lots(3_001) }).order;
    expect(rig.updatesOf(later).at(-1)).toBe(`FILLED 3001 (3001 @ ${PRICE} TAKER)`);
  });

  it('walks the depth while it is shown, and only the touch afterwards', () => {
    const rig = new PaperRig().depth(
      [[PRICE - 100, 5_000]],
      [
        [PRICE, 1_000],
        [PRICE + 50, 1_000],
        [PRICE + 90, 1_000],
      ],
    );
    const { order } = rig.place({ ...IOC, ...lots(2_500), ...at(PRICE + 60) });
    expect(rig.updatesOf(order)).toEqual([
      'OPEN 0',
      `OPEN 1000 (1000 @ ${PRICE} TAKER)`,
      `OPEN 2000 (1000 @ ${PRICE + 50} TAKER)`,
      'CANCELLED 2000',
    ]);
    rig.venue.onMarket(SPOT.index, ({ shown }) => shown.dropDepth(), rig.now);
    rig.touch(PRICE - 100, 5_000, PRICE, 1_100);
    const narrow = rig.place({ ...IOC, ...lots(2_500), ...at(PRICE + 60) }).order;
    expect(rig.updatesOf(narrow).at(-1)).toBe('CANCELLED 1100');
  });
});

describe('a paper order that rests', () => {
  it('is filled by trades at its price only after the shown quantity ahead of it', () => {
    const rig = market();
    const { order } = rig.place({ ...at(PRICE - 100) });
    rig.trade('SELL', PRICE - 100, 4_900).pass(10);
    expect(rig.updatesOf(order)).toEqual(['OPEN 0']);
    rig.trade('SELL', PRICE - 100, 400).pass(10);
    expect(rig.updatesOf(order).at(-1)).toBe(`OPEN 300 (300 @ ${PRICE - 100} MAKER)`);
    rig.trade('BUY', PRICE - 100, 4_000).pass(10);
    expect(rig.updatesOf(order)).toHaveLength(2);
  });

  it('is filled by a trade beyond its price without a wait', () => {
    const rig = market();
    const { order } = rig.place({ ...at(PRICE - 100) });
    rig.trade('SELL', PRICE - 101, 600).pass(10);
    expect(rig.updatesOf(order).at(-1)).toBe(`OPEN 600 (600 @ ${PRICE - 100} MAKER)`);
  });

  it('is filled at its price when the opposite side reaches it, up to the quantity there', () => {
    const rig = market();
    const { order } = rig.place({ ...at(PRICE - 100) });
    rig.touch(PRICE - 200, 5_000, PRICE - 150, 700).pass(10);
    expect(rig.updatesOf(order).at(-1)).toBe(`OPEN 700 (700 @ ${PRICE - 100} MAKER)`);
  });

  it('waits behind a level that was never shown until a trade passes its price', () => {
    const rig = market();
    const { order } = rig.place({ ...at(PRICE - 500) });
    rig.trade('SELL', PRICE - 500, 1_000_000).pass(10);
    expect(rig.updatesOf(order)).toEqual(['OPEN 0']);
    rig.touch(PRICE - 500, 200, PRICE, 3_000);
    rig.trade('SELL', PRICE - 500, 300).pass(10);
    expect(rig.updatesOf(order).at(-1)).toBe(`OPEN 100 (100 @ ${PRICE - 500} MAKER)`);
  });

  it('ends by a cancel, which a second cancel finds ended', () => {
    const rig = market();
    const { order } = rig.place({ ...at(PRICE - 100) });
    expect(rig.openOrders()).toHaveLength(1);
    expect(rig.cancel(order)).toMatchObject({ kind: 'cancelled', order: { state: 'CANCELLED', filled: 0 } });
    expect(rig.openOrders()).toEqual([]);
    expect(rig.cancel(order)).toMatchObject({ kind: 'refused', rejection: { code: 'INVALID_ORDER' } });
    rig.trade('SELL', PRICE - 1_000, 9_000).pass(10);
    expect(rig.updatesOf(order)).toEqual(['OPEN 0', 'CANCELLED 0']);
  });
});

describe('a paper order is refused', () => {
  it('when it is post-only and would trade at once', () => {
    expect(refusal(market(), { postOnly: true })).toMatch(/^INVALID_ORDER post_only/);
  });

  it('when its notional is below the least one of the exchange', () => {
    expect(refusal(market(), { ...lots(1) })).toMatch(/^INVALID_ORDER notional/);
  });

  it('when the wallet has too little', () => {
    const big = { ...lots(4_000_000), ...at(PRICE - 100) };
    expect(refusal(market(), big)).toMatch(/^INSUFFICIENT_FUNDS/);
  });

  it('when it arrives after its expiry', () => {
    expect(refusal(market(), {}, 1)).toMatch(/^INVALID_TIMESTAMP/);
  });

  it('when no market data has arrived', () => {
    expect(refusal(new PaperRig(), {})).toMatch(/^EXCHANGE_NOT_AVAILABLE/);
  });

  it('when it is reduce-only and there is nothing to reduce', () => {
    const rig = new PaperRig().touch(PRICE - 10, 500, PRICE, 500, FUTURE);
    const terms = { instrument: FUTURE.index, reduceOnly: true, ...lots(10), ...at(PRICE / 10) };
    expect(refusal(rig, terms)).toMatch(/^INVALID_ORDER reduce_only/);
  });

  it('when its lot or tick has changed while an order rests in the old ones', () => {
    const rig = market();
    rig.place({ ...at(PRICE - 100) });
    rig.relisted.set(SPOT.index, { ...SPOT, priceStep: 5 });
    expect(refusal(rig, { ...at(PRICE / 5) })).toMatch(/^INVALID_ORDER BTC\/USDT: its lot or tick has changed/);
  });
});

describe('a repeated client id', () => {
  it('is answered as unknown and places nothing', () => {
    const rig = market();
    const { order } = rig.place({ ...IOC });
    const again = rig.place({ ...order });
    expect(again.answer).toEqual({ kind: 'unknown' });
    expect(rig.lookUp(order)).toMatchObject({ kind: 'found', order: { state: 'FILLED', filled: UNIT } });
  });
});

describe('self-trade prevention on paper', () => {
  const better = `OPEN 1000 (1000 @ ${PRICE} TAKER)`;

  it('EXPIRE_TAKER ends the taker when it reaches the own order', () => {
    expect(meet('EXPIRE_TAKER')).toEqual({ maker: ['OPEN 0'], taker: ['OPEN 0', better, 'CANCELLED 1000'] });
  });

  it('EXPIRE_MAKER ends the own order, and the taker goes on', () => {
    expect(meet('EXPIRE_MAKER')).toEqual({
      maker: ['OPEN 0', 'CANCELLED 0'],
      taker: ['OPEN 0', better, `FILLED 3000 (2000 @ ${PRICE + 50} TAKER)`],
    });
  });

  it('EXPIRE_BOTH ends both', () => {
    expect(meet('EXPIRE_BOTH')).toEqual({
      maker: ['OPEN 0', 'CANCELLED 0'],
      taker: ['OPEN 0', better, 'CANCELLED 1000'],
    });
  });

  it('DECREMENT takes the common quantity from both, and the taker goes on with its rest', () => {
    const { maker, taker } = meet('DECREMENT');
    expect(maker).toEqual(['OPEN 0', 'CANCELLED 0']);
    expect(taker).toEqual(['OPEN 0', better, `OPEN 1500 (500 @ ${PRICE + 50} TAKER)`, 'CANCELLED 1500']);
  });

  it('NONE lets the orders of one account pass each other', () => {
    const { maker, taker } = meet('NONE');
    expect(maker).toEqual(['OPEN 0']);
    expect(taker.at(-1)).toBe(`FILLED 3000 (2000 @ ${PRICE + 50} TAKER)`);
  });
});

describe('a paper position', () => {
  const P = PRICE / 10;
  const future = { instrument: FUTURE.index } as const;
  const opened = (): PaperRig => {
    const rig = new PaperRig(undefined, '0.001').touch(P - 10, 5_000, P, 5_000, FUTURE);
    rig.place({ ...future, ...IOC, ...at(P), ...lots(200) });
    return rig;
  };

  it('is reported with its margin, in contracts of the exchange', () => {
    const rig = opened();
    const [position] = rig.held().positions;
    expect(position).toMatchObject({ symbol: 'BTCUSDT:USDT', mode: 'NET', quantity: '200', entryPrice: '50000' });
    expect(position?.margin).toMatchObject({ mode: 'CROSS', initialMargin: '1000' });
    expect(rig.positions.at(-1)).toMatchObject({ isSnapshot: false, positions: [{ quantity: '200' }] });
  });

  it('is closed by a reduce-only order, and its profit reaches the wallet less the fees', () => {
    const rig = opened().touch(P + 100, 5_000, P + 110, 5_000, FUTURE);
    rig.place({ ...future, ...IOC, side: 'SELL', reduceOnly: true, ...at(P + 100), ...lots(200) });
    expect(rig.held().positions).toEqual([]);
    const usdt = rig.wallet().balances.find(({ asset }) => asset === 'USDT');
    const fees = (0.2 * 50_000 + 0.2 * 50_010) * (FUTURE.takerFeePpm / 1e6);
    expect(Number(usdt?.total)).toBeCloseTo(1_000_000 + 0.2 * 10 - fees, 9);
    expect(usdt?.free).toBe(usdt?.total);
  });

  it('receives and pays funding at the rate that the exchange publishes', () => {
    const rig = opened();
    const before = Number(rig.wallet().balances.find(({ asset }) => asset === 'USDT')?.total);
    rig.mark(P, 100).pass(8 * 3_600_000);
    const after = Number(rig.wallet().balances.find(({ asset }) => asset === 'USDT')?.total);
    expect(after - before).toBeCloseTo(-0.2 * 50_000 * 0.0001, 6);
  });

  it('is liquidated when its loss uses up the wallet', () => {
    const rig = new PaperRig().touch(P - 10, 50_000, P, 50_000, FUTURE).mark(P, 0);
    rig.place({ ...future, ...IOC, ...at(P), ...lots(50_000) });
    rig
      .touch(P - 220_010, 50_000, P - 220_000, 50_000, FUTURE)
      .mark(P - 220_000, 0)
      .pass(5_000);
    expect(rig.held().positions).toEqual([]);
  });
});

const usdt = (rig: PaperRig, account: AccountId): number =>
  Number(rig.wallet(account).balances.find(({ asset }) => asset === 'USDT')?.total);

describe('paper positions after a start, while one mark price is missing', () => {
  const P = PRICE / 10;
  const OTHER = listed('ETH/USDT:USDT');
  const OTHER_SYMBOL = 'ETHUSDT:USDT';
  const BOB = 'bob' as AccountId;
  const FUNDING_MS = 8 * 3_600_000;

  /** Alice holds one future. Bob holds both, and much more of the first one than his wallet can lose. */
  function restarted(): PaperRig {
    const rig = new PaperRig().touch(P - 10, 50_000, P, 50_000, FUTURE).touch(P - 10, 50_000, P, 50_000, OTHER);
    rig.place({ instrument: FUTURE.index, ...IOC, ...at(P), ...lots(200) });
    rig.place({ account: BOB, instrument: FUTURE.index, ...IOC, ...at(P), ...lots(40_000) });
    rig.place({ account: BOB, instrument: OTHER.index, ...IOC, ...at(P), ...lots(200) });
    expect(rig.held(BOB).positions).toHaveLength(2);
    rig.restart();
    return rig;
  }

  it('pay funding where the mark price is known, and the rest when it comes', () => {
    const rig = restarted();
    const before = [ALICE, BOB].map((account) => usdt(rig, account));
    const paid = (): readonly number[] => [ALICE, BOB].map((account, place) => before[place]! - usdt(rig, account));
    rig.mark(P, 100).pass(FUNDING_MS);
    expect(paid()).toEqual([0.2 * 50_000 * 0.0001, 40 * 50_000 * 0.0001].map((sum) => expect.closeTo(sum, 6)));
    rig.mark(P, 100, OTHER).pass(2_000);
    expect(paid()[1]! - 40 * 50_000 * 0.0001).toBeGreaterThan(0);
  });

  it('are liquidated only when all mark prices of the account are known, or the market is delisted', () => {
    const ruin = P - 300_000;
    const waiting = restarted()
      .touch(ruin - 10, 50_000, ruin, 50_000, FUTURE)
      .mark(ruin, 0)
      .pass(5_000);
    expect(waiting.held(BOB).positions).toHaveLength(2);
    waiting.delisted.add(OTHER_SYMBOL);
    waiting.pass(5_000);
    expect(waiting.held(BOB).positions.map(({ symbol }) => symbol)).toEqual([OTHER_SYMBOL]);
  });
});
