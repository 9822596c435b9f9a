import { FUNDING_INTERVAL_MS, FUNDING_RATES_PER_QUERY_MAX } from '../../model/limits.js';
import type { FundingRate } from '../../model/market-feed.js';
import type { EpochMs } from '../../model/time.js';
import type { FundingQuery, FundingRatesReport } from '../../model/venue-message.js';
import { fundingTimeOf } from './funding-rates.js';
import type { MarkPrices } from './mark-prices.js';
import type { Question } from './questions.js';

/** A rate is reckoned from some two hundred prices. */
const RATE_STEPS = 40;

export interface FundingQuestionParts {
  readonly query: FundingQuery;
  readonly origin: number;
  readonly marks: MarkPrices;
  readonly askedAtMs: EpochMs;
}

/** Reckons the rates, the newest first: of the funding time to come what would be paid now, of all others what was. */
export class FundingQuestion implements Question {
  readonly origin: number;
  readonly isBrief = true;
  readonly #parts: FundingQuestionParts;
  readonly #rates: FundingRate[] = [];
  #nextMs: number;

  constructor(parts: FundingQuestionParts) {
    const latestMs = Math.min(parts.query.toMs, fundingTimeOf(parts.askedAtMs + 1));
    this.#parts = parts;
    this.origin = parts.origin;
    this.#nextMs = Math.floor(latestMs / FUNDING_INTERVAL_MS) * FUNDING_INTERVAL_MS;
  }

  work(steps: number): number {
    const { query, marks, askedAtMs } = this.#parts;
    let taken = 0;
    for (; taken < steps && !this.#isComplete; taken += RATE_STEPS) {
      this.#rates.push(marks.rateOf(query.instrument, this.#nextMs as EpochMs, askedAtMs));
      this.#nextMs -= FUNDING_INTERVAL_MS;
    }
    return taken;
  }

  answer(nowMs: EpochMs): FundingRatesReport | null {
    if (!this.#isComplete) return null;
    const { correlationId, account, venue, instrument } = this.#parts.query;
    return { kind: 'FundingRates', correlationId, account, venue, atMs: nowMs, instrument, rates: this.#rates };
  }

  get #isComplete(): boolean {
    const { limit, fromMs } = this.#parts.query;
    const isFull = this.#rates.length >= Math.min(limit, FUNDING_RATES_PER_QUERY_MAX);
    return isFull || this.#nextMs < Math.max(fromMs, FUNDING_INTERVAL_MS);
  }
}
