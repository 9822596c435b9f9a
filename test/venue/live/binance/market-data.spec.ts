import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EpochMs } from '../../../../src/domain/time.js';
import type { MarketTopic } from '../../../../src/venue/live/live-exchange.js';
import { BinanceLoopback } from '../../../loopback/binance/binance-loopback.js';
import { units } from '../../../loopback/decimal.js';
import { accepted, now, openExchange, type OpenedExchange, passed, type Section, until } from './loopback-exchange.js';

/* Market data over real sockets of an exchange on loopback. */

const HOSTS: Readonly<Record<Section, string>> = { spot: 'stream.binance.com', futures: 'fstream.binance.com' };
const SYMBOL = 'BTCUSDT';

/** The best levels in the book of the exchange. */
function levelsOf(loopback: BinanceLoopback, section: Section, side: 'BUY' | 'SELL'): string[] {
  const market = loopback[section].exchange.market(SYMBOL)!;
  return market.depth(side, 20).map(([price, quantity]) => `${price} ${quantity}`);
}

describe.each(['spot', 'futures'] as const)('market data of Binance %s', (section) => {
  let loopback: BinanceLoopback;
  let opened: OpenedExchange;

  beforeEach(async () => {
    loopback = await BinanceLoopback.start({ seed: 'market' });
    opened = await openExchange(loopback, section);
  });
  afterEach(async () => {
    await opened.exchange.close();
    await loopback.close();
  });

  const subscribe = (kind: Exclude<MarketTopic['kind'], 'candles'>): void => {
    opened.exchange.market.subscribe({ kind, symbol: SYMBOL });
  };

  it('delivers the present quote of a market without changes, and again while the connection is live', async () => {
    subscribe('topOfBook');
    await until(() => opened.market.of('TopOfBook').length > 0, 'the first quote');
    const [first] = opened.market.of('TopOfBook');
    const book = loopback[section].exchange.market(SYMBOL)!;
    expect(units(first!.bid.price)).toBe(book.bestBid());
    expect(units(first!.ask.price)).toBe(book.bestAsk());
    await until(() => opened.market.of('TopOfBook').length >= 3, 'renewals');
    expect(new Set(opened.market.of('TopOfBook').map(({ bid }) => bid.price)).size).toBe(1);
  });

  it('delivers a changed quote at once', async () => {
    subscribe('topOfBook');
    await until(() => opened.market.of('TopOfBook').length > 0, 'the first quote');
    loopback[section].background.quote(SYMBOL, units('51000'));
    const best = (): bigint => loopback[section].exchange.market(SYMBOL)!.bestBid();
    await until(() => units(opened.market.of('TopOfBook').at(-1)!.bid.price) === best(), 'the new quote');
  });

  it('keeps a whole book that equals the book of the exchange', async () => {
    subscribe('depth');
    await until(() => opened.market.of('Depth').length > 0, 'the first book');
    for (let step = 1; step <= 10; step += 1) {
      loopback[section].background.quote(SYMBOL, units(String(50_000 + step * 3)));
      loopback[section].background.trade(SYMBOL, step % 2 === 0 ? 'BUY' : 'SELL', units('0.9'));
      await passed(60);
    }
    const shown = (side: 'bids' | 'asks'): string[] => {
      const book = opened.market.of('Depth').at(-1)!;
      return book[side].map(({ price, quantity }) => `${units(price)} ${units(quantity)}`);
    };
    await until(() => shown('bids').join() === levelsOf(loopback, section, 'BUY').join(), 'the last changes');
    expect(shown('asks')).toEqual(levelsOf(loopback, section, 'SELL'));
    expect(opened.findings).toEqual([]);
  });

  it('drops a book with a missing change and shows the right one after a new snapshot', async () => {
    subscribe('depth');
    await until(() => opened.market.of('Depth').length > 0, 'the first book');
    loopback.faults.add({ on: `${section} btcusdt@depth@100ms`, nth: 1, fault: { kind: 'lose' } });
    for (let step = 1; step <= 6; step += 1) {
      loopback[section].background.quote(SYMBOL, units(String(50_000 + step * 7)));
      await passed(120);
    }
    expect(loopback.faults.applied.length).toBe(1);
    const best = loopback[section].exchange.market(SYMBOL)!.bestBid();
    await until(() => units(opened.market.of('Depth').at(-1)!.bids[0]!.price) === best, 'the book after the gap');
    const whole = loopback[section].exchange.market(SYMBOL)!.depth('BUY', 20).length;
    expect(opened.market.of('Depth').at(-1)!.bids.length).toBe(whole);
  });

  it('delivers trades and candles', async () => {
    subscribe('trades');
    opened.exchange.market.subscribe({ kind: 'candles', symbol: SYMBOL, interval: 'ONE_MINUTE' });
    await passed(500);
    loopback[section].background.trade(SYMBOL, 'SELL', units('0.5'));
    await until(() => opened.market.of('Candle').length > 0, 'a candle');
    expect(opened.market.of('PublicTrade').every(({ takerSide }) => takerSide === 'SELL')).toBe(true);
    const traded = opened.market.of('PublicTrade').reduce((sum, { quantity }) => sum + units(quantity), 0n);
    expect(traded).toBe(units('0.5'));
    expect(opened.market.of('Candle')[0]!.interval).toBe('ONE_MINUTE');
  });

  it('reports stale symbols after a cut, connects again and delivers the present quote', async () => {
    subscribe('topOfBook');
    await until(() => opened.market.of('TopOfBook').length > 0, 'the first quote');
    loopback.cut(HOSTS[section]);
    await until(() => opened.market.stale.includes(SYMBOL), 'the report');
    const before = opened.market.of('TopOfBook').length;
    loopback[section].background.quote(SYMBOL, units('52000'));
    await until(() => opened.market.of('TopOfBook').length > before, 'a quote after the cut');
    const last = opened.market.of('TopOfBook').at(-1)!;
    expect(units(last.bid.price)).toBe(loopback[section].exchange.market(SYMBOL)!.bestBid());
  });

  it('delivers nothing of a topic after its end', async () => {
    subscribe('topOfBook');
    await until(() => opened.market.of('TopOfBook').length > 0, 'the first quote');
    opened.exchange.market.unsubscribe({ kind: 'topOfBook', symbol: SYMBOL });
    const before = opened.market.records.length;
    loopback[section].background.quote(SYMBOL, units('53000'));
    await passed(2_500);
    expect(opened.market.records.length).toBe(before);
  });

  it('delivers the present book of a topic that ends and begins at once', async () => {
    subscribe('depth');
    await until(() => opened.market.of('Depth').length > 0, 'the first book');
    opened.exchange.market.unsubscribe({ kind: 'depth', symbol: SYMBOL });
    const before = opened.market.of('Depth').length;
    subscribe('depth');
    await until(() => opened.market.of('Depth').length > before, 'the book again');
    const { bids } = opened.market.of('Depth').at(-1)!;
    expect(bids.map(({ price, quantity }) => `${units(price)} ${units(quantity)}`)).toEqual(
      levelsOf(loopback, section, 'BUY'),
    );
  });

  it('answers candles of the past, the running one included', async () => {
    loopback[section].background.trade(SYMBOL, 'BUY', units('0.25'));
    const fromMs = (now() - 600_000) as EpochMs;
    const candles = accepted(
      await opened.exchange.market.candles({
        symbol: SYMBOL,
        interval: 'ONE_MINUTE',
        fromMs,
        toMs: now(),
        limit: 100,
      }),
    );
    expect(candles.length).toBeGreaterThan(0);
    expect(candles.at(-1)!.isClosed).toBe(false);
    expect(candles.every(({ openMs, interval }) => openMs >= fromMs && interval === 'ONE_MINUTE')).toBe(true);
    expect(units(candles.at(-1)!.volume)).toBe(units('0.25'));
  });
});

describe('market data of futures', () => {
  it('delivers marks and open interest, and answers funding rates with the estimate first', async () => {
    const loopback = await BinanceLoopback.start({ seed: 'marks' });
    const { exchange, market } = await openExchange(loopback, 'futures');
    exchange.market.subscribe({ kind: 'mark', symbol: SYMBOL });
    exchange.market.subscribe({ kind: 'openInterest', symbol: SYMBOL });
    await until(() => market.of('MarkPrice').length > 0 && market.of('OpenInterest').length > 0, 'both');
    expect(market.of('MarkPrice')[0]).toMatchObject({ markPrice: '50000', fundingRate: '0.0001' });
    const query = {
      symbol: SYMBOL,
      fromMs: (now() - 3 * 86_400_000) as EpochMs,
      toMs: (now() + 86_400_000) as EpochMs,
    };
    const rates = accepted(await exchange.market.fundingRates({ ...query, limit: 5 }));
    expect(rates.length).toBe(5);
    expect(rates[0]!.atMs).toBeGreaterThan(now());
    expect(rates.map(({ atMs }) => atMs)).toEqual(rates.map(({ atMs }) => atMs).toSorted((one, other) => other - one));
    await exchange.close();
    await loopback.close();
  });

  it('refuses funding rates of spot', async () => {
    const loopback = await BinanceLoopback.start({ seed: 'marks' });
    const { exchange } = await openExchange(loopback, 'spot');
    const query = { symbol: SYMBOL, fromMs: 0 as EpochMs, toMs: now(), limit: 5 };
    expect(await exchange.market.fundingRates(query)).toMatchObject({ rejection: { code: 'INVALID_SYMBOL' } });
    await exchange.close();
    await loopback.close();
  });
});
