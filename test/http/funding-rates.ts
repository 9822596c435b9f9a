import { FUNDING_INTERVAL_MS } from '../../src/model/limits.js';
import type { FundingRate } from '../../src/model/market-feed.js';
import type { Ticks } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import type { FundingDesk } from '../../src/http/port.js';
import { NOW_MS } from './orders.js';

/** The last funding time before NOW_MS, which is noon. */
export const PAID_AT_MS = (NOW_MS - 4 * 3600 * 1000) as EpochMs;
export const TO_COME: FundingRate = rate(-1, -42);
const PAID = [rate(0, 100), rate(1, -3000), rate(2, 0)] as const;

function rate(age: number, ratePpm: number): FundingRate {
  const atMs = (PAID_AT_MS - age * FUNDING_INTERVAL_MS) as EpochMs;
  return { atMs, ratePpm, markPrice: (6_000_050 - age) as Ticks };
}

/** A desk that answers at once with the rates of a question's range: three that were paid, and the one to come. */
export const FUNDING: FundingDesk = {
  fundingRates: ({ toMs, limit }, answer) =>
    answer([TO_COME, ...PAID].filter(({ atMs }) => atMs <= toMs).slice(0, limit)),
};
