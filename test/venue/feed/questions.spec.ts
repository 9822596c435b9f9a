import { describe, expect, it } from 'vitest';
import type { AccountId, CorrelationId } from '../../../src/model/ids.js';
import {
  CANDLE_HISTORY_MS,
  QUESTION_STEPS_PER_TURN_MAX,
  MARKET_QUESTIONS_WAITING_MAX,
  CANDLES_PER_QUERY_MAX,
} from '../../../src/model/limits.js';
import type { CandlesReport, FundingRatesReport } from '../../../src/model/venue-message.js';
import { CandleHistory } from '../../../src/venue/feed/candle-history.js';
import { CandleQuestion, type CandleQuery } from '../../../src/venue/feed/candle-question.js';
import { type Question, Questions } from '../../../src/venue/feed/questions.js';
import { MemoryVenueStore } from '../../../src/venue/index.js';
import { at, DAY, DAY_START, FakePast, HOUR, MINUTE, SPOT } from './fake-past.js';

const NOW = at(DAY_START + DAY + 90_500);

class Room {
  readonly history = new CandleHistory(new FakePast(), new MemoryVenueStore());
  readonly questions = new Questions();
  readonly answers: (CandlesReport & { origin: number })[] = [];

  ask(wish: Partial<CandleQuery>, origin = 2): boolean {
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
      ...wish,
    };
    return this.questions.ask(
      new CandleQuestion({ query, origin, instrument: SPOT, history: this.history, askedAtMs: NOW }),
    );
  }

  turn(): number {
    this.questions.work(NOW, (report, origin) => this.answers.push({ ...(report as CandlesReport), origin }));
    return this.answers.length;
  }

  opens(): number[] {
    return this.answers.at(-1)!.candles.map(({ openAtMs }) => openAtMs);
  }
}

describe('a question for candles', () => {
  it('is answered with those that begin in its range, oldest first, to whoever asked', () => {
    const room = new Room();
    room.ask({ interval: 'FIVE_MINUTE', fromMs: at(DAY_START + 1), toMs: at(DAY_START + 20 * MINUTE), limit: 100 });
    expect(room.turn()).toBe(1);
    expect(room.opens()).toEqual([5, 10, 15, 20].map((minute) => DAY_START + minute * MINUTE));
    expect(room.answers[0]).toMatchObject({ correlationId: 7, account: 'alice', origin: 2, interval: 'FIVE_MINUTE' });
    const [first] = room.answers[0]!.candles;
    expect(first).toEqual(room.history.candle(SPOT, 'FIVE_MINUTE', at(DAY_START + 5 * MINUTE), NOW));
  });

  it('gets the running candle last, and none that is still to come', () => {
    const room = new Room();
    room.ask({ interval: 'ONE_HOUR', fromMs: at(DAY_START + 23 * HOUR), toMs: at(NOW + DAY) });
    room.turn();
    expect(room.opens()).toEqual([DAY_START + 23 * HOUR, DAY_START + 24 * HOUR]);
    expect(room.answers[0]!.candles[1]!.volume).toBe(Math.round(90_500 / 500));
  });

  it('is bounded in count and reach, and empty when its range is', () => {
    const room = new Room();
    room.ask({ fromMs: at(0), limit: 1_000_000 });
    while (room.turn() === 0);
    expect(room.opens().length).toBe(CANDLES_PER_QUERY_MAX);
    expect(room.opens()[0]).toBe(Math.ceil((NOW - CANDLE_HISTORY_MS) / MINUTE) * MINUTE);
    room.ask({ fromMs: NOW, toMs: at(DAY_START) });
    expect(room.turn()).toBe(2);
    expect(room.opens()).toEqual([]);
  });

  it('takes as many turns as it has minutes to gather, behind those that came before', () => {
    const room = new Room();
    room.ask({ interval: 'ONE_DAY', limit: 1 }, 1);
    room.ask({ limit: 5 }, 2);
    let turns = 0;
    while (room.questions.isWaiting) {
      room.turn();
      turns += 1;
    }
    expect(turns).toBe(Math.ceil((1_440 + 5) / QUESTION_STEPS_PER_TURN_MAX));
    expect(room.answers.map(({ origin }) => origin)).toEqual([1, 2]);
  });

  it('lets brief questions pass, which keep their own order', () => {
    const room = new Room();
    const query = { account: 'alice' as AccountId, venue: SPOT.venue, instrument: SPOT.index, atMs: NOW };
    const rates: FundingRatesReport = { kind: 'FundingRates', correlationId: 8 as CorrelationId, rates: [], ...query };
    const brief = (origin: number): Question => ({ origin, isBrief: true, work: () => 1, answer: () => rates });
    room.ask({ interval: 'ONE_DAY', limit: 1 }, 1);
    room.turn();
    for (const origin of [2, 3]) room.questions.ask(brief(origin));
    room.turn();
    expect(room.answers.map(({ origin }) => origin)).toEqual([2, 3]);
    while (room.questions.isWaiting) room.turn();
    expect(room.answers.at(-1)!.origin).toBe(1);
  });

  it('is turned away when too many wait', () => {
    const room = new Room();
    for (let count = 0; count < MARKET_QUESTIONS_WAITING_MAX; count += 1) expect(room.ask({})).toBe(true);
    expect(room.ask({})).toBe(false);
  });
});
