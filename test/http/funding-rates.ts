import { FUNDING_INTERVAL_MS } from '../../src/domain/limits/trading.js';
import type { FundingRate } from '../../src/domain/market-feed.js';
import type { Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { FundingSource } from '../../src/intake/funding-lookup.js';
import { NOW_MS } from './orders.js';

/** The last funding time before NOW_MS, which is noon. */
export const PAID_AT_MS = (NOW_MS - 4 * 3600 * 1000) as EpochMs;
export const TO_COME: FundingRate = rate(-1, -42);
const PAID = [rate(0, 100), rate(1, -3000), rate(2, 0)] as const;

function rate(age: number, ratePpm: number): FundingRate {
  const atMs = (PAID_AT_MS - age * FUNDING_INTERVAL_MS) as EpochMs;
  return { atMs, ratePpm, markPrice: (6_000_050 - age) as Ticks };
}

/** A source that answers at once with the rates of the range: three paid rates and the next one. */
export const FUNDING: FundingSource = {
  fundingRates: ({ toMs, limit }, answer) =>
    answer([TO_COME, ...PAID].filter(({ atMs }) => atMs <= toMs).slice(0, limit)),
};
