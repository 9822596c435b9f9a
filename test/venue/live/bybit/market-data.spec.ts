import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SUBSCRIBE_WAIT_MS_MAX } from '../../../../src/domain/limits/live.js';
import type { EpochMs } from '../../../../src/domain/time.js';
import type { MarketTopic } from '../../../../src/venue/live/live-exchange.js';
import { BybitLoopback } from '../../../loopback/bybit/bybit-loopback.js';
import { units } from '../../../loopback/decimal.js';
import { accepted, now, type OpenedExchange, passed, until } from '../binance/loopback-exchange.js';
import { openExchange, type Product, PRODUCTS } from './bybit-rig.js';

/* Market data over real sockets of an exchange on loopback. */

const SYMBOL = 'BTCUSDT';
let loopback: BybitLoopback;
let opened: OpenedExchange;

beforeEach(async () => {
  loopback = await BybitLoopback.start({ seed: 'market' });
  opened = await openExchange(loopback);
});
afterEach(async () => {
  await opened.exchange.close();
  await loopback.close();
});

function textsOf(levels: readonly (readonly [bigint, bigint])[]): string[] {
  return levels.map(([price, quantity]) => `${price} ${quantity}`);
}

/** One side of the last book that was delivered. */
function shown(side: 'bids' | 'asks'): string[] {
  const last = opened.market.of('Depth').at(-1)!;
  return textsOf(last[side].map(({ price, quantity }) => [units(price), units(quantity)] as const));
}

function subscribe(product: Product, kind: Exclude<MarketTopic['kind'], 'candles'>): void {
  opened.exchange.market.subscribe({ kind, symbol: `${product}/${SYMBOL}` });
}

describe.each(PRODUCTS)('market data of Bybit %s', (product: Product) => {
  const name = `${product}/${SYMBOL}`;
  const book = () => loopback[product].exchange.market(SYMBOL)!;

  it('delivers the present quote of a market without changes, and again while the connection is live', async () => {
    subscribe(product, 'topOfBook');
    await until(() => opened.market.of('TopOfBook').length > 0, 'the first quote');
    const [first] = opened.market.of('TopOfBook');
    expect(first!.symbol).toBe(name);
    expect(units(first!.bid.price)).toBe(book().bestBid());
    expect(units(first!.ask.price)).toBe(book().bestAsk());
    await until(() => opened.market.of('TopOfBook').length >= 3, 'renewals');
    expect(new Set(opened.market.of('TopOfBook').map(({ bid }) => bid.price)).size).toBe(1);
  });

  it('delivers a market beside one that the exchange refuses, and leaves the connection open', async () => {
    opened.exchange.market.subscribe({ kind: 'topOfBook', symbol: `${product}/GONEUSDT` });
    subscribe(product, 'topOfBook');
    await until(() => opened.market.of('TopOfBook').length > 0, 'the first quote');
    await passed(SUBSCRIBE_WAIT_MS_MAX + 500);
    expect(opened.market.stale).toEqual([]);
    expect(opened.findings.length).toBe(2);
  });

  it('delivers a changed quote at once', async () => {
    subscribe(product, 'topOfBook');
    await until(() => opened.market.of('TopOfBook').length > 0, 'the first quote');
    loopback[product].background.quote(SYMBOL, units('51000'));
    await until(() => units(opened.market.of('TopOfBook').at(-1)!.bid.price) === book().bestBid(), 'the new quote');
  });

  it('keeps a whole book that equals the book of the exchange', async () => {
    subscribe(product, 'depth');
    await until(() => opened.market.of('Depth').length > 0, 'the first book');
    for (let step = 1; step <= 10; step += 1) {
      loopback[product].background.quote(SYMBOL, units(String(50_000 + step * 3)));
      loopback[product].background.trade(SYMBOL, step % 2 === 0 ? 'BUY' : 'SELL', units('0.03'));
      await passed(60);
    }
    await until(() => shown('bids').join() === textsOf(book().depth('BUY', 20)).join(), 'the last changes');
    expect(shown('asks')).toEqual(textsOf(book().depth('SELL', 20)));
    expect(opened.findings).toEqual([]);
  });

  it('shows the right book again after changes in a wrong order, and leaves the quotes of the connection alone', async () => {
    subscribe(product, 'depth');
    subscribe(product, 'topOfBook');
    await until(() => opened.market.of('Depth').length > 0, 'the first book');
    await until(() => opened.market.of('TopOfBook').length > 0, 'the first quote');
    const wrong: string[] = [];
    // A frame that is held back leaves after the next one, or after 50 ms: a starved machine may need several tries.
    for (let step = 1; step <= 60; step += 1) {
      const rule = { on: `${product} orderbook.50.${SYMBOL}`, times: 1, fault: { kind: 'reorder' } } as const;
      if (step % 6 === 1) loopback.faults.add(rule);
      loopback[product].background.quote(SYMBOL, units(String(50_000 + step * 7)));
      await passed(30);
      const { bids, asks } = opened.market.of('Depth').at(-1)!;
      // The book is withdrawn until it is right again.
      if (bids.length === 0 && asks.length === 0) continue;
      if (units(bids[0]!.price) >= units(asks[0]!.price)) wrong.push(`${bids[0]!.price} ${asks[0]!.price}`);
    }
    expect(loopback.faults.applied.length).toBeGreaterThan(3);
    await until(() => shown('bids').join() === textsOf(book().depth('BUY', 20)).join(), 'the right book');
    expect(shown('asks')).toEqual(textsOf(book().depth('SELL', 20)));
    expect(wrong).toEqual([]);
    expect(opened.market.stale).toEqual([]);
    expect(opened.findings).toEqual([]);
  });

  it('delivers trades and candles', async () => {
    subscribe(product, 'trades');
    opened.exchange.market.subscribe({ kind: 'candles', symbol: name, interval: 'ONE_MINUTE' });
    await passed(500);
    loopback[product].background.trade(SYMBOL, 'SELL', units('0.03'));
    await until(() => opened.market.of('Candle').length > 0, 'a candle');
    expect(opened.market.of('PublicTrade').every(({ takerSide }) => takerSide === 'SELL')).toBe(true);
    const traded = opened.market.of('PublicTrade').reduce((sum, { quantity }) => sum + units(quantity), 0n);
    expect(traded).toBe(units('0.03'));
    expect(opened.market.of('Candle')[0]).toMatchObject({ symbol: name, interval: 'ONE_MINUTE' });
  });

  it('reports stale symbols after a cut, connects again and delivers the present quote', async () => {
    subscribe(product, 'topOfBook');
    await until(() => opened.market.of('TopOfBook').length > 0, 'the first quote');
    loopback.cut('stream.bybit.com');
    await until(() => opened.market.stale.includes(name), 'the report');
    const before = opened.market.of('TopOfBook').length;
    loopback[product].background.quote(SYMBOL, units('52000'));
    await until(() => opened.market.of('TopOfBook').length > before, 'a quote after the cut');
    expect(units(opened.market.of('TopOfBook').at(-1)!.bid.price)).toBe(book().bestBid());
  });

  it('delivers nothing of a topic after its end', async () => {
    subscribe(product, 'topOfBook');
    await until(() => opened.market.of('TopOfBook').length > 0, 'the first quote');
    opened.exchange.market.unsubscribe({ kind: 'topOfBook', symbol: name });
    const before = opened.market.records.length;
    loopback[product].background.quote(SYMBOL, units('53000'));
    await passed(2_500);
    expect(opened.market.records.length).toBe(before);
  });

  it('delivers the present book of a topic that ends and begins at once', async () => {
    subscribe(product, 'depth');
    await until(() => opened.market.of('Depth').length > 0, 'the first book');
    opened.exchange.market.unsubscribe({ kind: 'depth', symbol: name });
    const before = opened.market.of('Depth').length;
    subscribe(product, 'depth');
    await until(() => opened.market.of('Depth').length > before, 'the book again');
    expect(shown('bids')).toEqual(textsOf(book().depth('BUY', 20)));
  });

  it('answers candles of the past, the oldest first and the running one included', async () => {
    loopback[product].background.trade(SYMBOL, 'BUY', units('0.025'));
    const fromMs = (now() - 90 * 60_000) as EpochMs;
    const query = { symbol: name, interval: 'ONE_MINUTE', fromMs, toMs: now(), limit: 500 } as const;
    const candles = accepted(await opened.exchange.market.candles(query));
    expect(candles).toHaveLength(90);
    expect(candles.map(({ openMs }) => openMs - candles[0]!.openMs)).toEqual(candles.map((_, index) => index * 60_000));
    expect(candles.at(-1)).toMatchObject({ symbol: name, interval: 'ONE_MINUTE', isClosed: false, volume: '0.025' });
    expect(accepted(await opened.exchange.market.candles({ ...query, limit: 30 }))).toEqual(candles.slice(0, 30));
  });
});

describe('market data of both products', () => {
  it('is kept apart although they share symbols', async () => {
    for (const product of PRODUCTS) subscribe(product, 'topOfBook');
    const last = (product: Product) =>
      opened.market.of('TopOfBook').findLast(({ symbol }) => symbol === `${product}/${SYMBOL}`);
    await until(() => PRODUCTS.every((product) => last(product) !== undefined), 'both quotes');
    loopback.spot.background.quote(SYMBOL, units('51000'));
    loopback.linear.background.quote(SYMBOL, units('52000'));
    for (const product of PRODUCTS) {
      const best = loopback[product].exchange.market(SYMBOL)!.bestBid();
      await until(() => units(last(product)!.bid.price) === best, `the quote of ${product}`);
    }
  });
});

describe('market data of perpetuals', () => {
  it('delivers marks and open interest, and answers funding rates with the estimate first', async () => {
    subscribe('linear', 'mark');
    subscribe('linear', 'openInterest');
    const { market, exchange } = opened;
    await until(() => market.of('MarkPrice').length > 0 && market.of('OpenInterest').length > 0, 'both');
    const whole = { symbol: 'linear/BTCUSDT', markPrice: '50000', fundingRate: '0.0001' };
    expect(market.of('MarkPrice')[0]).toMatchObject(whole);
    loopback.linear.background.trade(SYMBOL, 'BUY', units('0.01'));
    // A change names the mark price alone; the record is whole.
    await until(() => market.of('MarkPrice').at(-1)!.markPrice !== '50000', 'the change');
    expect(market.of('MarkPrice').at(-1)!.fundingRate).toBe('0.0001');
    const query = {
      symbol: 'linear/BTCUSDT',
      fromMs: (now() - 500 * 86_400_000) as EpochMs,
      toMs: (now() + 86_400_000) as EpochMs,
      limit: 500,
    };
    const rates = accepted(await exchange.market.fundingRates(query));
    expect(rates).toHaveLength(500);
    expect(rates[0]!.atMs).toBeGreaterThan(now());
    expect(rates[1]!.atMs).toBeLessThanOrEqual(now());
    expect(new Set(rates.map(({ atMs }) => atMs)).size).toBe(500);
    expect(await exchange.market.fundingRates({ ...query, symbol: 'spot/BTCUSDT' })).toMatchObject({
      rejection: { code: 'INVALID_SYMBOL' },
    });
  });
});
