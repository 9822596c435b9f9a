import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SUBSCRIBE_WAIT_MS_MAX } from '../../../../src/domain/limits/live.js';
import type { EpochMs } from '../../../../src/domain/time.js';
import type { MarketTopic } from '../../../../src/venue/live/live-exchange.js';
import { units } from '../../../loopback/decimal.js';
import { OkxLoopback } from '../../../loopback/okx/okx-loopback.js';
import { accepted, now, type OpenedExchange, passed, until } from '../binance/loopback-exchange.js';
import { INSTRUMENTS, openExchange, type Section } from './account-rig.js';

/* Market data over real sockets of an exchange on loopback. */

const HOUR_MS = 3_600_000;

describe.each(['spot', 'swap'] as const)('market data of OKX %s', (section: Section) => {
  const { exchangeSymbol: symbol } = INSTRUMENTS[section];
  /** Base units of one unit of quantity. */
  const unit = units(section === 'spot' ? '1' : '0.01');
  let loopback: OkxLoopback;
  let opened: OpenedExchange;

  beforeEach(async () => {
    loopback = await OkxLoopback.start({ seed: 'market' });
    opened = await openExchange(loopback);
  });
  afterEach(async () => {
    expect(opened.findings).toEqual([]);
    await opened.exchange.close();
    await loopback.close();
  });

  const book = () => loopback.trading[section].market(symbol)!;
  const subscribe = (kind: Exclude<MarketTopic['kind'], 'candles'>): void => {
    opened.exchange.market.subscribe({ kind, symbol });
  };
  const shown = (side: 'bids' | 'asks'): string[] => {
    const last = opened.market.of('Depth').at(-1)!;
    return last[side].map(({ price, quantity }) => `${units(price)} ${(units(quantity) * unit) / 100_000_000n}`);
  };
  const levels = (side: 'BUY' | 'SELL'): string[] => {
    return book()
      .depth(side, 20)
      .map(([price, quantity]) => `${price} ${quantity}`);
  };

  it('delivers the present quote of a market without changes, and again while the connection is live', async () => {
    subscribe('topOfBook');
    await until(() => opened.market.of('TopOfBook').length > 0, 'the first quote');
    const [first] = opened.market.of('TopOfBook');
    expect(units(first!.bid.price)).toBe(book().bestBid());
    expect(units(first!.ask.price)).toBe(book().bestAsk());
    await until(() => opened.market.of('TopOfBook').length >= 3, 'renewals');
    expect(new Set(opened.market.of('TopOfBook').map(({ bid }) => bid.price)).size).toBe(1);
  });

  it('delivers a market beside one that the exchange refuses, and leaves the connection open', async () => {
    opened.exchange.market.subscribe({ kind: 'topOfBook', symbol: 'GONE-USDT' });
    subscribe('topOfBook');
    await until(() => opened.market.of('TopOfBook').length > 0, 'the first quote');
    await passed(SUBSCRIBE_WAIT_MS_MAX + 500);
    expect(opened.market.stale).toEqual([]);
    expect(opened.findings.splice(0).length).toBe(1);
  });

  it('delivers a changed quote at once', async () => {
    subscribe('topOfBook');
    await until(() => opened.market.of('TopOfBook').length > 0, 'the first quote');
    loopback.background[section].quote(symbol, units('51000'));
    await until(() => units(opened.market.of('TopOfBook').at(-1)!.bid.price) === book().bestBid(), 'the new quote');
  });

  it('withdraws a quote when a side of the book is empty', async () => {
    subscribe('topOfBook');
    await until(() => opened.market.of('TopOfBook').length > 0, 'the first quote');
    loopback.background[section].clear(symbol);
    await until(() => opened.market.stale.includes(symbol), 'the report');
  });

  it('keeps a whole book that equals the book of the exchange', async () => {
    subscribe('depth');
    await until(() => opened.market.of('Depth').length > 0, 'the first book');
    for (let step = 1; step <= 10; step += 1) {
      loopback.background[section].quote(symbol, units(String(50_000 + step * 3)));
      loopback.background[section].trade(symbol, step % 2 === 0 ? 'BUY' : 'SELL', units('0.9'));
      await passed(60);
    }
    await until(() => shown('bids').join() === levels('BUY').join(), 'the last changes');
    expect(shown('asks')).toEqual(levels('SELL'));
  });

  it('drops a book with a missing change and shows the right one after a new snapshot', async () => {
    subscribe('depth');
    await until(() => opened.market.of('Depth').length > 0, 'the first book');
    loopback.faults.add({ on: `okx books ${symbol}`, nth: 1, fault: { kind: 'lose' } });
    for (let step = 1; step <= 6; step += 1) {
      loopback.background[section].quote(symbol, units(String(50_000 + step * 7)));
      await passed(120);
    }
    expect(loopback.faults.applied.length).toBe(1);
    await until(() => shown('bids').join() === levels('BUY').join(), 'the book after the gap');
    expect(shown('asks')).toEqual(levels('SELL'));
  });

  it('delivers trades and candles', async () => {
    subscribe('trades');
    opened.exchange.market.subscribe({ kind: 'candles', symbol, interval: 'ONE_MINUTE' });
    await passed(800);
    loopback.background[section].trade(symbol, 'SELL', units('0.5'));
    await until(() => opened.market.of('Candle').some(({ volume }) => volume !== '0'), 'a candle');
    expect(opened.market.of('PublicTrade').every(({ takerSide }) => takerSide === 'SELL')).toBe(true);
    const traded = opened.market.of('PublicTrade').reduce((sum, { quantity }) => sum + units(quantity), 0n);
    expect((traded * unit) / 100_000_000n).toBe(units('0.5'));
    expect(opened.market.of('Candle').at(-1)!.interval).toBe('ONE_MINUTE');
  });

  it('reports stale symbols after a cut, connects again and delivers the present quote', async () => {
    subscribe('topOfBook');
    subscribe('depth');
    await until(() => opened.market.of('Depth').length > 0, 'the first book');
    await until(() => opened.market.of('TopOfBook').length > 0, 'the first quote');
    loopback.cut('ws.okx.com');
    await until(() => opened.market.stale.includes(symbol), 'the report');
    const before = opened.market.records.length;
    loopback.background[section].quote(symbol, units('52000'));
    await until(() => opened.market.records.length > before + 1, 'records after the cut');
    await until(() => shown('bids').join() === levels('BUY').join(), 'the book');
    expect(units(opened.market.of('TopOfBook').at(-1)!.bid.price)).toBe(book().bestBid());
  });

  it('delivers nothing of a topic after its end, and the present state after a new subscription', async () => {
    subscribe('topOfBook');
    await until(() => opened.market.of('TopOfBook').length > 0, 'the first quote');
    opened.exchange.market.unsubscribe({ kind: 'topOfBook', symbol });
    const before = opened.market.records.length;
    loopback.background[section].quote(symbol, units('53000'));
    await passed(2_500);
    expect(opened.market.records.length).toBe(before);
    subscribe('topOfBook');
    await until(() => opened.market.records.length > before, 'the quote again');
    expect(units(opened.market.of('TopOfBook').at(-1)!.bid.price)).toBe(book().bestBid());
  });

  it('delivers the present book of a topic that ends and begins at once', async () => {
    subscribe('depth');
    await until(() => opened.market.of('Depth').length > 0, 'the first book');
    opened.exchange.market.unsubscribe({ kind: 'depth', symbol });
    const before = opened.market.of('Depth').length;
    subscribe('depth');
    await until(() => opened.market.of('Depth').length > before, 'the book again');
    expect(shown('bids')).toEqual(levels('BUY'));
  });

  it('answers candles of the past over several pages, the running one included', async () => {
    loopback.background[section].trade(symbol, 'BUY', units('0.25'));
    const toMs = now();
    const fromMs = (toMs - 4 * HOUR_MS) as EpochMs;
    const query = { symbol, interval: 'ONE_MINUTE', fromMs, toMs } as const;
    const candles = accepted(await opened.exchange.market.candles({ ...query, limit: 1_000 }));
    expect(candles).toHaveLength(Math.floor(toMs / 60_000) - Math.ceil(fromMs / 60_000) + 1);
    const times = candles.map(({ openMs }) => openMs);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(new Set(times).size).toBe(times.length);
    expect(candles.at(-1)!.isClosed).toBe(false);
    expect((units(candles.at(-1)!.volume) * unit) / 100_000_000n).toBe(units('0.25'));
    const first = accepted(await opened.exchange.market.candles({ ...query, limit: 3 }));
    expect(first.map(({ openMs }) => openMs)).toEqual(times.slice(0, 3));
  });

  it('answers candles that are older than the list of recent ones', async () => {
    const fromMs = (now() - 48 * HOUR_MS) as EpochMs;
    const query = { symbol, interval: 'ONE_MINUTE', fromMs, toMs: now(), limit: 5 } as const;
    const candles = accepted(await opened.exchange.market.candles(query));
    expect(candles).toHaveLength(5);
    expect(candles[0]!.openMs).toBe(Math.ceil(fromMs / 60_000) * 60_000);
  });
});

describe('market data of perpetuals', () => {
  it('delivers marks with the funding rate and open interest, and answers funding rates with the estimate first', async () => {
    const loopback = await OkxLoopback.start({ seed: 'marks' });
    const { exchange, market, findings } = await openExchange(loopback);
    const { exchangeSymbol: symbol } = INSTRUMENTS.swap;
    exchange.market.subscribe({ kind: 'mark', symbol });
    exchange.market.subscribe({ kind: 'openInterest', symbol });
    await until(() => market.of('MarkPrice').length > 0 && market.of('OpenInterest').length > 0, 'both');
    expect(market.of('MarkPrice')[0]).toMatchObject({ markPrice: '50000', fundingRate: '0.0001' });
    expect(market.of('MarkPrice')[0]!.nextFundingMs).toBeGreaterThan(now());
    const query = { symbol, fromMs: (now() - 72 * HOUR_MS) as EpochMs, toMs: (now() + 24 * HOUR_MS) as EpochMs };
    const rates = accepted(await exchange.market.fundingRates({ ...query, limit: 5 }));
    expect(rates).toHaveLength(5);
    expect(rates[0]!.atMs).toBeGreaterThan(now());
    expect(rates[1]!.atMs).toBeLessThanOrEqual(now());
    expect(rates.map(({ atMs }) => atMs)).toEqual(rates.map(({ atMs }) => atMs).toSorted((one, other) => other - one));
    const past = accepted(await exchange.market.fundingRates({ ...query, toMs: now(), limit: 300 }));
    expect(past).toHaveLength(9);
    // What the service asks for: the latest ones, from the beginning of time.
    const latest = accepted(await exchange.market.fundingRates({ ...query, fromMs: 0 as EpochMs, limit: 2 }));
    expect(latest).toEqual(rates.slice(0, 2));
    expect(findings).toEqual([]);
    await exchange.close();
    await loopback.close();
  });

  it('refuses funding rates of spot', async () => {
    const loopback = await OkxLoopback.start({ seed: 'marks' });
    const { exchange } = await openExchange(loopback);
    const query = { symbol: 'BTC-USDT', fromMs: 0 as EpochMs, toMs: now(), limit: 5 };
    expect(await exchange.market.fundingRates(query)).toMatchObject({ rejection: { code: 'INVALID_SYMBOL' } });
    await exchange.close();
    await loopback.close();
  });
});
