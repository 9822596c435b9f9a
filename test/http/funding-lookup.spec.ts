import { beforeEach, describe, expect, it } from 'vitest';
import { FundingLookup, type RatesAnswer } from '../../src/http/funding-lookup.js';
import type { FundingDesk } from '../../src/http/port.js';
import type { Instrument } from '../../src/model/instrument.js';
import {
  FUNDING_ASKERS_MAX,
  FUNDING_HISTORY_RATES_COUNT,
  FUNDING_INTERVAL_MS,
  FUNDING_LOOK_MS,
} from '../../src/model/limits.js';
import { isRejected } from '../../src/model/rejection.js';
import type { EpochMs } from '../../src/model/time.js';
import { FUNDING, PAID_AT_MS, TO_COME } from './funding-rates.js';
import { CATALOGUE, DEMO, NOW_MS } from './orders.js';

type Asked = Parameters<FundingDesk['fundingRates']>;

const [, FUTURE] = CATALOGUE.instruments as readonly [Instrument, Instrument];
const DOWN = { rejection: { code: 'EXCHANGE_NOT_AVAILABLE', message: 'exchange BINANCE is down' } } as const;

describe('a lookup of funding rates', () => {
  let asked: Asked[];
  let told: string[];
  let nowMs: EpochMs;
  let monotonicMs: number;
  let lookup: FundingLookup;
  beforeEach(() => {
    [asked, told, nowMs, monotonicMs] = [[], [], NOW_MS, 0];
    lookup = new FundingLookup({
      funding: { fundingRates: (...question) => asked.push(question) },
      clock: { nowMs: () => nowMs },
      monotonicMs: () => monotonicMs,
    });
  });

  const note: RatesAnswer = (result) =>
    told.push(isRejected(result) ? result.rejection.code : result.map(({ ratePpm }) => ratePpm).join());
  const answerLast = (): void => FUNDING.fundingRates(...(asked.at(-1) as Asked));

  it('asks once for all who want to know, and answers each of them', () => {
    for (let count = 0; count < 3; count += 1) lookup.current(FUTURE, DEMO, note);
    expect([asked.length, told]).toEqual([1, []]);
    answerLast();
    expect(told).toEqual(['-42,100', '-42,100', '-42,100']);
  });

  it('asks for what comes next again after a while, or when it has come', () => {
    const look = (): void => {
      const askedBefore = asked.length;
      lookup.current(FUTURE, DEMO, note);
      if (asked.length > askedBefore) answerLast();
    };
    look();
    monotonicMs += FUNDING_LOOK_MS - 1;
    look();
    expect(asked.length).toBe(1);
    monotonicMs += 1;
    look();
    expect(asked.length).toBe(2);
    nowMs = TO_COME.atMs;
    look();
    expect(asked.length).toBe(3);
  });

  it('asks for the past again when funding has been paid, and not before', () => {
    lookup.paid(FUTURE, DEMO, note);
    answerLast();
    expect(asked[0]?.[0]).toMatchObject({ toMs: NOW_MS, limit: FUNDING_HISTORY_RATES_COUNT, account: DEMO });
    monotonicMs += 1e9;
    nowMs = (PAID_AT_MS + FUNDING_INTERVAL_MS - 1) as EpochMs;
    lookup.paid(FUTURE, DEMO, note);
    expect([asked.length, told]).toEqual([1, ['100,-3000,0', '100,-3000,0']]);
    nowMs = (nowMs + 1) as EpochMs;
    lookup.paid(FUTURE, DEMO, note);
    answerLast();
    expect([asked.length, told.at(-1)]).toEqual([2, '-42,100,-3000,0']);
  });

  it('keeps no refusal', () => {
    lookup.paid(FUTURE, DEMO, note);
    asked[0]?.[1](DOWN);
    lookup.paid(FUTURE, DEMO, note);
    answerLast();
    expect([asked.length, told]).toEqual([2, ['EXCHANGE_NOT_AVAILABLE', '100,-3000,0']]);
  });

  it('refuses those who are too many', () => {
    for (let count = 0; count <= FUNDING_ASKERS_MAX; count += 1) lookup.paid(FUTURE, DEMO, note);
    expect(told).toEqual(['SYSTEM_BUSY']);
    answerLast();
    expect(told.length).toBe(FUNDING_ASKERS_MAX + 1);
  });
});
