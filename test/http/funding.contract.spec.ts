import { afterEach, describe, expect, it } from 'vitest';
import type { FundingSource } from '../../src/intake/funding-lookup.js';
import { InstrumentCatalogue, type Instrument, type InstrumentIndex } from '../../src/domain/instrument.js';
import type { EpochMs } from '../../src/domain/time.js';
import { type Rejection, Rejected } from '../../src/domain/rejection.js';
import { FUNDING } from './funding-rates.js';
import { CATALOGUE } from './orders.js';
import { RunningServer, type Answer } from './running-server.js';

const HISTORY = '/api/v2/data/fundingRateHistory';
const LAST = '/api/v2/data/lastFundingRates';

const NEWEST =
  '{"exchange":"BINANCE","symbol":"BTC/USDT:USDT","time":"2026-11-21T08:00:00.000Z",' +
  '"nextTime":"2026-11-21T16:00:00.000Z","rate":0.0001,"markPrice":60000.5}';
const BEFORE =
  '{"exchange":"BINANCE","symbol":"BTC/USDT:USDT","time":"2026-11-21T00:00:00.000Z",' +
  '"nextTime":"2026-11-21T08:00:00.000Z","rate":-0.003,"nextRate":0.0001,"markPrice":60000.49}';

/** The same catalogue with a second exchange's future. */
const [SPOT, FUTURE] = CATALOGUE.instruments as readonly [Instrument, Instrument];
const OKX_FUTURE: Instrument = { ...FUTURE, index: 2 as InstrumentIndex, venue: 'OKX' };
const TWO_FUTURES = new InstrumentCatalogue([SPOT, FUTURE, OKX_FUTURE], CATALOGUE.listedOnly);

const DOWN: Rejection = { code: 'EXCHANGE_NOT_AVAILABLE', message: 'the exchange is down' };

function failing(venues: readonly string[]): FundingSource {
  return {
    fundingRates: (question, answer) =>
      venues.includes(question.venue) ? answer(new Rejected(DOWN)) : FUNDING.fundingRates(question, answer),
  };
}

describe('funding rates over REST', () => {
  const running = new RunningServer();
  const ask = async (path: string, query: string, funding: FundingSource = FUNDING): Promise<Answer> => {
    await running.start({ funding, catalogue: TWO_FUTURES });
    return running.get(path, query);
  };
  afterEach(() => running.server.close());

  /** `fundingRateHistory` answers an array of FundingRate, newest first. */
  it('lists the paid rates, newest first, each with the following rate', async () => {
    const { status, text } = await ask(HISTORY, 'exchange=binance&symbol=btc/usdt:usdt');
    expect(status).toBe(200);
    expect(text.startsWith(`[${NEWEST},${BEFORE},`)).toBe(true);
    expect((JSON.parse(text) as { time: string; rate: number }[]).map(({ rate }) => rate)).toEqual([0.0001, -0.003, 0]);
  });

  /** `markPrice` is optional: Bybit and OKX do not state it. Real exchanges have other intervals than eight hours. */
  it('leaves out a mark price that the exchange does not state, and names the next time by its own interval', async () => {
    const rates = [4, 0].map((hour) => ({
      atMs: Date.UTC(2026, 10, 21, hour) as EpochMs,
      ratePpm: 100,
      markPrice: null,
    }));
    const { text } = await ask(HISTORY, 'exchange=OKX&symbol=BTC/USDT', { fundingRates: (_, answer) => answer(rates) });
    const rows = JSON.parse(text) as Record<string, unknown>[];
    expect(rows.map(({ time, nextTime }) => [time, nextTime])).toEqual([
      ['2026-11-21T04:00:00.000Z', '2026-11-21T08:00:00.000Z'],
      ['2026-11-21T00:00:00.000Z', '2026-11-21T04:00:00.000Z'],
    ]);
    for (const row of rows) expect(row).not.toHaveProperty('markPrice');
  });

  it('accepts BTC/USDT as the name of the future', async () => {
    const { text } = await ask(HISTORY, 'exchange=BINANCE&symbol=BTC%2FUSDT');
    expect(text).toContain(NEWEST);
  });

  it.each([
    ['symbol=BTC/USDT', 'INVALID_EXCHANGE', 'exchange is missing'],
    ['exchange=NASDAQ&symbol=BTC/USDT', 'INVALID_EXCHANGE', 'exchange "NASDAQ" is unknown'],
    ['exchange=BINANCE', 'INVALID_SYMBOL', 'symbol is missing'],
    ['exchange=BINANCE&symbol=ETH/BTC', 'INVALID_SYMBOL', 'symbol "ETH/BTC" is no future of BINANCE'],
    ['exchange=BINANCE&symbol=BTC/USDT&symbol=ETH/USDT', 'INVALID_PARAM', 'symbol is given more than once'],
  ])('refuses the query %s', async (query, code, message) => {
    const { status, text } = await ask(HISTORY, query);
    expect([status, (JSON.parse(text) as { error_code: string }).error_code]).toEqual([400, code]);
    expect((JSON.parse(text) as { message: string }).message).toContain(message);
  });

  /** `lastFundingRates` answers an array. */
  it('lists the last paid rate and the next rate of every exchange', async () => {
    const { text } = await ask(LAST, '');
    const rows = JSON.parse(text) as Record<string, unknown>[];
    expect(rows.map(({ exchange }) => exchange)).toEqual(['BINANCE', 'OKX']);
    expect(rows[0]).toEqual({ ...(JSON.parse(NEWEST) as object), nextRate: -0.000042, markPrice: 60_000.51 });
  });

  it.each([
    ['exchange=okx', ['OKX']],
    ['symbol=BTC/USDT:USDT', ['BINANCE', 'OKX']],
    ['exchange=BINANCE&symbol=BTC/USDT', ['BINANCE']],
    ['exchange=BINANCE&symbol=BTCUSDT', ['BINANCE']],
    ['symbol=btcusdt:usdt', ['BINANCE', 'OKX']],
    ['exchange=KRAKEN', []],
    ['exchange=LIGHTER&symbol=BTC/USDC', []],
  ])('filters the last rates by %s', async (query, exchanges) => {
    const { status, text } = await ask(LAST, query);
    expect(status).toBe(200);
    expect((JSON.parse(text) as { exchange: string }[]).map(({ exchange }) => exchange)).toEqual(exchanges);
  });

  it('refuses a symbol that is a future of no exchange', async () => {
    const { status, text } = await ask(LAST, 'symbol=ETH/BTC');
    expect([status, JSON.parse(text)]).toMatchObject([400, { error_code: 'INVALID_SYMBOL' }]);
  });

  it('answers an empty list for an exchange that only lists instruments', async () => {
    expect((await ask(HISTORY, 'exchange=LIGHTER&symbol=BTC/USDC:USDC')).text).toBe('[]');
  });

  it('omits an exchange that does not answer', async () => {
    const { status, text } = await ask(LAST, '', failing(['BINANCE']));
    expect([status, JSON.parse(text)]).toMatchObject([200, [{ exchange: 'OKX' }]]);
  });

  it.each([
    [LAST, ''],
    [LAST, 'exchange=OKX'],
    [HISTORY, 'exchange=OKX&symbol=BTC/USDT'],
  ])('answers 503 when no exchange answers: %s?%s', async (path, query) => {
    const { status, text } = await ask(path, query, failing(['BINANCE', 'OKX']));
    expect([status, JSON.parse(text)]).toMatchObject([503, { error_code: 'EXCHANGE_NOT_AVAILABLE' }]);
  });
});
