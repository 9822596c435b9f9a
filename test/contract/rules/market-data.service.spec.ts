import { beforeAll, describe, expect, it } from 'vitest';
import { useService } from './service-under-rules.js';
import type { Trader } from './trader.js';

const DATA = '/api/v2/data';
const FUNDING_MS = 8 * 3600 * 1000;

const service = useService();

interface Exchange {
  readonly id: number;
  readonly exchange: string;
  readonly name: string;
  readonly asset_classes: readonly string[];
  readonly tradable: boolean;
  readonly mode: string;
  readonly status: string;
}

interface Instrument extends Readonly<Record<string, unknown>> {
  readonly exchange: string;
  readonly symbol: string;
  readonly assetClass: string;
}

interface FundingRate {
  readonly exchange: string;
  readonly symbol: string;
  readonly time: string;
  readonly nextTime: string;
  readonly rate: number;
  readonly nextRate?: number;
  readonly markPrice?: number;
}

let reader: Trader;
beforeAll(async () => {
  reader = await service.client('reader', 'read');
});

async function list<Item>(path: string, query = ''): Promise<readonly Item[]> {
  const { status, body } = await reader.get<readonly Item[]>(`${DATA}/${path}`, query);
  expect(status).toBe(200);
  expect(Array.isArray(body)).toBe(true);
  return body;
}

async function refusal(path: string, query: string): Promise<[number, string]> {
  const { status, body } = await reader.get(`${DATA}/${path}`, query);
  return [status, body.error_code];
}

/** Integer ids of the exchanges. */
const IDS = {
  BINANCE: 1,
  HUOBI: 2,
  BYBIT: 3,
  KUCOIN: 4,
  OKX: 5,
  GATEIO: 6,
  KRAKEN: 7,
  BITGET: 8,
  WOO: 9,
  MEXC: 10,
  BULLISH: 11,
  B2C2: 12,
  HYPERLIQUID: 13,
  COINBASE_PRIME: 14,
  COINBASE_INTL: 15,
  COINBASE_ADV: 16,
  EXTENDED: 17,
  LIGHTER: 18,
} as const;
const TRADING_MAX = 15;

const byName = (exchanges: readonly Exchange[]) =>
  Object.fromEntries(exchanges.map(({ exchange, id }) => [exchange, id]));

describe('`exchanges` answers an array {id, exchange, name, asset_classes[], tradable, mode, status} of the 15 tradable ones; `?all=true` adds the 3 that only list instruments', () => {
  it('lists the 15 tradable exchanges', async () => {
    const exchanges = await list<Exchange>('exchanges');
    const trading = Object.fromEntries(Object.entries(IDS).filter(([, id]) => id <= TRADING_MAX));
    expect(byName(exchanges)).toEqual(trading);
    expect(exchanges.every(({ tradable }) => tradable)).toBe(true);
    expect(await list('exchanges', 'all=false')).toEqual(exchanges);
  });

  it('lists all 18 exchanges with `all=true`', async () => {
    const exchanges = await list<Exchange>('exchanges', 'all=true');
    expect(byName(exchanges)).toEqual(IDS);
    for (const exchange of exchanges) {
      expect(Object.keys(exchange).toSorted()).toEqual([
        'asset_classes',
        'exchange',
        'id',
        'mode',
        'name',
        'status',
        'tradable',
      ]);
      expect(exchange).toMatchObject({ mode: 'SIMULATED', tradable: exchange.id <= TRADING_MAX, status: 'UP' });
      expect(exchange.asset_classes.every((name) => ['SPOT', 'FUTURE'].includes(name))).toBe(true);
    }
  });

  it('answers 400 INVALID_PARAM to a bad query value', async () => {
    expect(await refusal('exchanges', 'all=some')).toEqual([400, 'INVALID_PARAM']);
  });
});

describe('`instruments` answers an array (filters: exchange, symbol)', () => {
  it('lists at least the instruments of the contract on every exchange', async () => {
    const listed = new Set(
      (await list<Instrument>('instruments')).map((one) => `${one.exchange} ${one.assetClass} ${one.symbol}`),
    );
    const wanted = Object.entries(IDS)
      .filter(([, id]) => id <= TRADING_MAX)
      .flatMap(([exchange]) => [
        ...['BTC', 'ETH', 'SOL', 'XRP', 'DOGE'].flatMap((base) => [
          `${exchange} SPOT ${base}/USDT`,
          `${exchange} FUTURE ${base}/USDT:USDT`,
        ]),
        `${exchange} SPOT ETH/BTC`,
      ]);
    expect(wanted.filter((name) => !listed.has(name))).toEqual([]);
  });

  it('has the required fields, with steps that follow from the precisions', async () => {
    for (const instrument of await list<Instrument>('instruments', 'symbol=BTC%2FUSDT')) {
      expect(instrument).toMatchObject({
        symbol: 'BTC/USDT',
        baseAsset: 'BTC',
        quoteAsset: 'USDT',
        assetClass: 'SPOT',
      });
      for (const name of ['exchangeSymbol', 'exchangeAssetClass']) expect(instrument[name]).toEqual(expect.any(String));
      expect(instrument['enabled']).toBe(true);
      expect(Date.parse(instrument['timestamp'] as string)).toBeGreaterThan(0);
      for (const name of ['quantityPrecision', 'pricePrecision']) expect(Number.isInteger(instrument[name])).toBe(true);
      for (const name of ['minQuantityLimit', 'maxQuantityLimit', 'minCostLimit'])
        expect(instrument[name]).toEqual(expect.any(Number));
    }
  });

  it('has contractSize 1 for the linear perpetuals', async () => {
    const futures = await list<Instrument>('instruments', 'exchange=BINANCE&symbol=BTC/USDT:USDT');
    expect(futures).toHaveLength(1);
    expect(futures[0]).toMatchObject({ assetClass: 'FUTURE', contractSize: 1, exchange: 'BINANCE' });
  });

  it('filters in any case, also by the 3 exchanges that only list instruments', async () => {
    expect(new Set((await list<Instrument>('instruments', 'exchange=okx')).map(({ exchange }) => exchange))).toEqual(
      new Set(['OKX']),
    );
    expect((await list('instruments', 'exchange=LIGHTER')).length).toBeGreaterThan(0);
    expect((await list('instruments', 'exchange=BINANCE&symbol=eth/btc')).length).toBe(1);
    expect((await list('instruments', 'exchange=BINANCE&symbol=ethbtc')).length).toBe(1);
  });

  it.each([
    ['exchange=NASDAQ', 'INVALID_EXCHANGE'],
    ['symbol=NOPE/USDT', 'INVALID_SYMBOL'],
    ['exchange=BINANCE&symbol=NOPE', 'INVALID_SYMBOL'],
  ])('answers the bad query %s with 400 %s', async (query, code) =>
    expect(await refusal('instruments', query)).toEqual([400, code]),
  );
});

describe('`fundingRateHistory` answers an array of FundingRate, newest first; both parameters required', () => {
  it('lists every funding time once', async () => {
    const rates = await list<FundingRate>('fundingRateHistory', 'exchange=BINANCE&symbol=BTC/USDT:USDT');
    expect(rates.length).toBeGreaterThan(1);
    for (const [place, rate] of rates.entries()) {
      expect(rate).toMatchObject({ exchange: 'BINANCE', symbol: 'BTC/USDT:USDT', rate: expect.any(Number) as number });
      expect(Date.parse(rate.nextTime) - Date.parse(rate.time)).toBe(FUNDING_MS);
      const newer = rates[place - 1];
      if (newer !== undefined) expect(Date.parse(newer.time) - Date.parse(rate.time)).toBe(FUNDING_MS);
    }
  });

  it('accepts BTC/USDT as the name of the perpetual', async () => {
    const [rate] = await list<FundingRate>('fundingRateHistory', 'exchange=binance&symbol=btc/usdt');
    expect(rate).toMatchObject({ symbol: 'BTC/USDT:USDT' });
  });

  it.each([
    ['symbol=BTC/USDT', 'INVALID_EXCHANGE'],
    ['exchange=NASDAQ&symbol=BTC/USDT', 'INVALID_EXCHANGE'],
    ['exchange=BINANCE', 'INVALID_SYMBOL'],
    ['exchange=BINANCE&symbol=NOPE/USDT', 'INVALID_SYMBOL'],
    // Spot pays no funding.
    ['exchange=BINANCE&symbol=ETH/BTC', 'INVALID_SYMBOL'],
  ])('%s: 400, %s', async (query, code) => expect(await refusal('fundingRateHistory', query)).toEqual([400, code]));
});

describe('`lastFundingRates` answers an array', () => {
  it('lists all futures and filters by exchange and symbol', async () => {
    const all = await list<FundingRate>('lastFundingRates');
    expect(all.length).toBeGreaterThanOrEqual(TRADING_MAX * 5);
    const one = await list<FundingRate>('lastFundingRates', 'exchange=OKX&symbol=ETH/USDT:USDT');
    expect(one).toHaveLength(1);
    expect(one[0]).toMatchObject({ exchange: 'OKX', symbol: 'ETH/USDT:USDT' });
    const { time, nextTime, rate, nextRate, markPrice } = one[0] as FundingRate;
    expect(Date.parse(nextTime)).toBeGreaterThan(Date.now() - 60_000);
    expect(Date.parse(nextTime) - Date.parse(time)).toBe(FUNDING_MS);
    expect([typeof rate, typeof nextRate, typeof markPrice]).toEqual(['number', 'number', 'number']);
  });

  it.each([
    ['exchange=NASDAQ', 'INVALID_EXCHANGE'],
    ['symbol=NOPE', 'INVALID_SYMBOL'],
  ])('%s: 400, %s', async (query, code) => expect(await refusal('lastFundingRates', query)).toEqual([400, code]));
});
