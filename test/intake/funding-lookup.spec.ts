import { beforeEach, describe, expect, it } from 'vitest';
import { FundingLookup, type RatesAnswer } from '../../src/intake/funding-lookup.js';
import type { FundingSource } from '../../src/intake/funding-lookup.js';
import type { Instrument } from '../../src/domain/instrument.js';
import {
  FUNDING_WAITERS_MAX,
  FUNDING_HISTORY_RATES_COUNT,
  FUNDING_INTERVAL_MS,
  FUNDING_QUERY_MS_MIN,
} from '../../src/domain/limits/trading.js';
import { isRejected, Rejected } from '../../src/domain/rejection.js';
import type { EpochMs } from '../../src/domain/time.js';
import { FUNDING, PAID_AT_MS, TO_COME } from '../http/funding-rates.js';
import { CATALOGUE, DEMO, NOW_MS } from '../http/orders.js';

type RateRequest = Parameters<FundingSource['fundingRates']>;

const [, FUTURE] = CATALOGUE.instruments as readonly [Instrument, Instrument];
const DOWN = new Rejected({ code: 'EXCHANGE_NOT_AVAILABLE', message: 'exchange BINANCE is down' });

describe('FundingLookup', () => {
  let requests: RateRequest[];
  let answers: string[];
  let nowMs: EpochMs;
  let monotonicMs: number;
  let lookup: FundingLookup;
  beforeEach(() => {
    [requests, answers, nowMs, monotonicMs] = [[], [], NOW_MS, 0];
    lookup = new FundingLookup({
      funding: { fundingRates: (...question) => requests.push(question) },
      clock: { nowMs: () => nowMs },
      monotonicMs: () => monotonicMs,
    });
  });

  const note: RatesAnswer = (result) =>
    answers.push(isRejected(result) ? result.rejection.code : result.map(({ ratePpm }) => ratePpm).join());
  const answerLast = (): void => FUNDING.fundingRates(...(requests.at(-1) as RateRequest));

  it('sends one request for all waiting callers and answers each', () => {
    for (let count = 0; count < 3; count += 1) lookup.current(FUTURE, DEMO, note);
    expect([requests.length, answers]).toEqual([1, []]);
    answerLast();
    expect(answers).toEqual(['-42,100', '-42,100', '-42,100']);
  });

  it('requests the next rate again after an interval, or when its time has come', () => {
    const look = (): void => {
      const requestsBefore = requests.length;
      lookup.current(FUTURE, DEMO, note);
      if (requests.length > requestsBefore) answerLast();
    };
    look();
    monotonicMs += FUNDING_QUERY_MS_MIN - 1;
    look();
    expect(requests.length).toBe(1);
    monotonicMs += 1;
    look();
    expect(requests.length).toBe(2);
    nowMs = TO_COME.atMs;
    look();
    expect(requests.length).toBe(3);
  });

  it('requests paid rates again only after the next payment', () => {
    lookup.paid(FUTURE, DEMO, note);
    answerLast();
    expect(requests[0]?.[0]).toMatchObject({ toMs: NOW_MS, limit: FUNDING_HISTORY_RATES_COUNT, account: DEMO });
    monotonicMs += 1e9;
    nowMs = (PAID_AT_MS + FUNDING_INTERVAL_MS - 1) as EpochMs;
    lookup.paid(FUTURE, DEMO, note);
    expect([requests.length, answers]).toEqual([1, ['100,-3000,0', '100,-3000,0']]);
    nowMs = (nowMs + 1) as EpochMs;
    lookup.paid(FUTURE, DEMO, note);
    answerLast();
    expect([requests.length, answers.at(-1)]).toEqual([2, '-42,100,-3000,0']);
  });

  it('does not cache a refusal', () => {
    lookup.paid(FUTURE, DEMO, note);
    requests[0]?.[1](DOWN);
    lookup.paid(FUTURE, DEMO, note);
    answerLast();
    expect([requests.length, answers]).toEqual([2, ['EXCHANGE_NOT_AVAILABLE', '100,-3000,0']]);
  });

  it('refuses callers beyond the bound', () => {
    for (let count = 0; count <= FUNDING_WAITERS_MAX; count += 1) lookup.paid(FUTURE, DEMO, note);
    expect(answers).toEqual(['SYSTEM_BUSY']);
    answerLast();
    expect(answers.length).toBe(FUNDING_WAITERS_MAX + 1);
  });
});
