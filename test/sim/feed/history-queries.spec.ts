import { describe, expect, it } from 'vitest';
import type { AccountId, CorrelationId } from '../../../src/domain/ids.js';
import {
  CANDLE_HISTORY_MS,
  CANDLES_PER_QUERY_MAX,
  MARKET_QUERIES_WAITING_MAX,
  QUERY_STEPS_PER_TURN_MAX,
} from '../../../src/domain/limits/trading.js';
import type { CandlesReport, FundingRatesReport } from '../../../src/domain/venue-report.js';
import { CandleHistory } from '../../../src/sim/feed/candle-history.js';
import {
  type CandleQuery,
  CandleHistoryQuery,
  type HistoryQuery,
  HistoryQueries,
} from '../../../src/sim/feed/history-queries.js';
import { MemoryVenueStore } from '../memory-store.js';
import { at, DAY, DAY_START, FakePast, HOUR, MINUTE, SPOT } from './fake-past.js';

const NOW = at(DAY_START + DAY + 90_500);

class Rig {
  readonly history = new CandleHistory(new FakePast(), new MemoryVenueStore());
  readonly queries = new HistoryQueries();
  readonly answers: (CandlesReport & { origin: number })[] = [];

  ask(fields: Partial<CandleQuery>, origin = 2): boolean {
    const query: CandleQuery = {
      kind: 'QueryCandles',
      correlationId: 7 as CorrelationId,
      account: 'alice' as AccountId,
      venue: SPOT.venue,
      instrument: SPOT.index,
      interval: 'ONE_MINUTE',
      fromMs: at(DAY_START),
      toMs: NOW,
      limit: 10,
      ...fields,
    };
    return this.queries.add(
      new CandleHistoryQuery({ query, origin, instrument: SPOT, history: this.history, askedAtMs: NOW }),
    );
  }

  turn(): number {
    this.queries.work(NOW, (report, origin) => this.answers.push({ ...(report as CandlesReport), origin }));
    return this.answers.length;
  }

  opens(): number[] {
    return this.answers.at(-1)!.candles.map(({ openAtMs }) => openAtMs);
  }
}

describe('a candle query', () => {
  it('returns the candles that start in its range, oldest first, to its requester', () => {
    const rig = new Rig();
    rig.ask({ interval: 'FIVE_MINUTE', fromMs: at(DAY_START + 1), toMs: at(DAY_START + 20 * MINUTE), limit: 100 });
    expect(rig.turn()).toBe(1);
    expect(rig.opens()).toEqual([5, 10, 15, 20].map((minute) => DAY_START + minute * MINUTE));
    expect(rig.answers[0]).toMatchObject({ correlationId: 7, account: 'alice', origin: 2, interval: 'FIVE_MINUTE' });
    const [first] = rig.answers[0]!.candles;
    expect(first).toEqual(rig.history.candle(SPOT, 'FIVE_MINUTE', at(DAY_START + 5 * MINUTE), NOW));
  });

  it('ends with the running candle', () => {
    const rig = new Rig();
    rig.ask({ interval: 'ONE_HOUR', fromMs: at(DAY_START + 23 * HOUR), toMs: at(NOW + DAY) });
    rig.turn();
    expect(rig.opens()).toEqual([DAY_START + 23 * HOUR, DAY_START + 24 * HOUR]);
    expect(rig.answers[0]!.candles[1]!.volume).toBe(Math.round(90_500 / 500));
  });

  it('is bounded in count and range, and returns nothing for an empty range', () => {
    const rig = new Rig();
    rig.ask({ fromMs: at(0), limit: 1_000_000 });
    while (rig.turn() === 0);
    expect(rig.opens().length).toBe(CANDLES_PER_QUERY_MAX);
    expect(rig.opens()[0]).toBe(Math.ceil((NOW - CANDLE_HISTORY_MS) / MINUTE) * MINUTE);
    rig.ask({ fromMs: NOW, toMs: at(DAY_START) });
    expect(rig.turn()).toBe(2);
    expect(rig.opens()).toEqual([]);
  });

  it('takes turns in proportion to its minutes, after earlier queries', () => {
    const rig = new Rig();
    rig.ask({ interval: 'ONE_DAY', limit: 1 }, 1);
    rig.ask({ limit: 5 }, 2);
    let turns = 0;
    while (rig.queries.isWaiting) {
      rig.turn();
      turns += 1;
    }
    expect(turns).toBe(Math.ceil((1_440 + 5) / QUERY_STEPS_PER_TURN_MAX));
    expect(rig.answers.map(({ origin }) => origin)).toEqual([1, 2]);
  });

  it('lets brief queries pass in their own order', () => {
    const rig = new Rig();
    const query = { account: 'alice' as AccountId, venue: SPOT.venue, instrument: SPOT.index, atMs: NOW };
    const rates: FundingRatesReport = { kind: 'FundingRates', correlationId: 8 as CorrelationId, rates: [], ...query };
    const brief = (origin: number): HistoryQuery => ({ origin, isBrief: true, work: () => 1, answer: () => rates });
    rig.ask({ interval: 'ONE_DAY', limit: 1 }, 1);
    rig.turn();
    for (const origin of [2, 3]) rig.queries.add(brief(origin));
    rig.turn();
    expect(rig.answers.map(({ origin }) => origin)).toEqual([2, 3]);
    while (rig.queries.isWaiting) rig.turn();
    expect(rig.answers.at(-1)!.origin).toBe(1);
  });

  it('is refused when too many queries wait', () => {
    const rig = new Rig();
    for (let count = 0; count < MARKET_QUERIES_WAITING_MAX; count += 1) expect(rig.ask({})).toBe(true);
    expect(rig.ask({})).toBe(false);
  });
});
