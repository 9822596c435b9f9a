import { describe, expect, it } from 'vitest';
import type { AccountId, CorrelationId } from '../../../src/domain/ids.js';
import { FUNDING_INTERVAL_MS, FUNDING_RATES_PER_QUERY_MAX } from '../../../src/domain/limits/trading.js';
import type { FundingQuery } from '../../../src/domain/venue-message.js';
import type { FundingRatesReport } from '../../../src/domain/venue-report.js';
import { FairPast } from '../../../src/sim/market/fair-market.js';
import { FundingHistoryQuery, HistoryQueries } from '../../../src/sim/feed/history-queries.js';
import { MarkPrices } from '../../../src/sim/feed/mark-prices.js';
import { CATALOGUE } from '../simulated-exchange.js';
import { at, DAY_START, FUTURE, HOUR } from './fake-past.js';

const NOW = at(DAY_START + 8 * HOUR + 60_000);
const marks = new MarkPrices(CATALOGUE, new FairPast(5));

/** The answer, and the number of turns that it took. */
function answerTo(fields: Partial<FundingQuery>): { rates: FundingRatesReport['rates']; turns: number } {
  const query: FundingQuery = {
    kind: 'QueryFundingRates',
    correlationId: 7 as CorrelationId,
    account: 'alice' as AccountId,
    venue: FUTURE.venue,
    instrument: FUTURE.index,
    fromMs: at(0),
    toMs: at(NOW + 100 * HOUR),
    limit: 5,
    ...fields,
  };
  const queries = new HistoryQueries();
  queries.add(new FundingHistoryQuery({ query, origin: 1, marks, askedAtMs: NOW }));
  const reports: FundingRatesReport[] = [];
  let turns = 0;
  for (; reports.length === 0; turns += 1) {
    queries.work(NOW, (report) => reports.push(report as FundingRatesReport));
  }
  return { rates: reports[0]!.rates, turns };
}

describe('a funding rate query', () => {
  it('returns the rates paid in its range, newest first', () => {
    const { rates } = answerTo({ fromMs: at(DAY_START - 8 * HOUR), toMs: NOW });
    expect(rates.map(({ atMs }) => (atMs - DAY_START) / HOUR)).toEqual([8, 0, -8]);
    const other = new MarkPrices(CATALOGUE, new FairPast(5));
    for (const { atMs, ratePpm, markPrice } of rates) {
      expect([other.fundingRatePpm(FUTURE.index, atMs), other.markPrice(FUTURE.index, atMs)]).toEqual([
        ratePpm,
        markPrice,
      ]);
    }
  });

  it('includes the current estimate of the next funding time, and nothing later', () => {
    const [next, last, ...others] = answerTo({ fromMs: at(DAY_START + HOUR) }).rates;
    expect([next?.atMs, last?.atMs, others]).toEqual([DAY_START + 16 * HOUR, DAY_START + 8 * HOUR, []]);
    const other = new MarkPrices(CATALOGUE, new FairPast(5));
    const { fundingRatePpm, markPrice } = other.markAt(FUTURE.index, NOW);
    expect([next?.ratePpm, next?.markPrice]).toEqual([fundingRatePpm, markPrice]);
  });

  it('is bounded in count, and returns nothing for an empty range', () => {
    expect(answerTo({ limit: 2 }).rates.length).toBe(2);
    expect(answerTo({ limit: 1_000_000 }).rates.length).toBe(FUNDING_RATES_PER_QUERY_MAX);
    expect(answerTo({ toMs: at(-1) }).rates).toEqual([]);
    expect(answerTo({ fromMs: NOW, toMs: at(NOW + FUNDING_INTERVAL_MS - 2 * 60_000) }).rates).toEqual([]);
  });

  it('takes several turns for a long range', () => {
    expect(answerTo({ limit: 100 }).turns).toBeGreaterThan(10);
  });
});
