import { expect, it } from 'vitest';
import { VENUE_ANSWER_WAIT_MS } from '../../src/domain/limits/clients.js';
import { FUNDING_HISTORY_RATES_COUNT, FUNDING_INTERVAL_MS } from '../../src/domain/limits/trading.js';
import { VENUES } from '../../src/domain/exchange.js';
import { newSite } from './site.js';

it('a fresh service returns the funding rates of every future within the time limit of a venue', async () => {
  const site = newSite();
  const key = await site.issueKey('reader', 'read');
  const client = site.client(await site.start().ready(), key);

  const startMs = performance.now();
  const last = await client.lastFundingRates();
  const past = await client.fundingRateHistory('okx', 'btc/usdt');
  expect(performance.now() - startMs).toBeLessThan(2 * VENUE_ANSWER_WAIT_MS);

  // Every exchange lists five perpetuals at least.
  for (const venue of VENUES)
    expect(last.filter(({ exchange }) => exchange === venue).length).toBeGreaterThanOrEqual(5);
  for (const { time, nextTime, nextRate, markPrice } of last) {
    expect(Date.parse(time) % FUNDING_INTERVAL_MS).toBe(0);
    expect(Date.parse(nextTime) - Date.parse(time)).toBe(FUNDING_INTERVAL_MS);
    expect(nextRate).toBeDefined();
    expect(markPrice).toBeGreaterThan(0);
  }

  // One sequence of rates: the history ends where the last rates begin, and each rate follows from the previous one.
  const [newest] = past;
  const { nextRate, markPrice, ...paid } =
    last.find(({ exchange, symbol }) => exchange === 'OKX' && symbol === 'BTC/USDT:USDT') ?? {};
  expect([nextRate, markPrice]).not.toContain(undefined);
  expect(newest).toMatchObject(paid);
  expect(past.length).toBe(FUNDING_HISTORY_RATES_COUNT);
  for (const [place, entry] of past.slice(1).entries()) {
    expect([entry.nextTime, entry.nextRate]).toEqual([past[place]?.time, past[place]?.rate]);
  }
  expect(await client.lastFundingRates({ symbol: 'ETH/USDT', exchange: 'BYBIT' })).toHaveLength(1);
});
