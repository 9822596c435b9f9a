import type { AccountId } from '../domain/ids.js';
import type { Instrument } from '../domain/instrument.js';
import { INSTANT_MS_MAX } from '../domain/limits/clients.js';
import { FUNDING_WAITERS_MAX, FUNDING_HISTORY_RATES_COUNT, FUNDING_QUERY_MS_MIN } from '../domain/limits/trading.js';
import { type FundingRate, fundingIntervalOf } from '../domain/market-feed.js';
import { isRejected, type OrRejection, type Rejection, Rejected } from '../domain/rejection.js';
import type { Clock, EpochMs } from '../domain/time.js';
import type { FundingQuery } from '../domain/venue-message.js';

/**
 * Requests funding rates of a future from its exchange, newest first. An exchange that does not answer is a rejection.
 */
export interface FundingSource {
  fundingRates(
    request: Omit<FundingQuery, 'kind' | 'correlationId'>,
    answer: (result: OrRejection<readonly FundingRate[]>) => void,
  ): void;
}

export interface FundingLookupParts {
  readonly funding: FundingSource;
  /** Service time. */
  readonly clock: Clock;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonicMs: () => number;
}

/** Rates are newest first. */
export type RatesAnswer = (result: OrRejection<readonly FundingRate[]>) => void;

/** One request about one future: its latest answer, and the callers that wait for the next one. */
interface CachedRates {
  rates: readonly FundingRate[];
  /** End of the answer's validity in service time and on the monotonic clock. */
  holdsUntilMs: number;
  holdsUntilMonotonicMs: number;
  readonly waiting: RatesAnswer[];
}

/** A request that is the same for every future. */
interface RateRequest {
  readonly cache: Map<Instrument, CachedRates>;
  /** Service time. */
  readonly toMs: EpochMs;
  readonly limit: number;
  /** True: valid until the next funding time, service time. */
  readonly holdsUntilNext: boolean;
  /** Validity from the request, real time. */
  readonly holdsRealMs: number;
}

/**
 * Caches the funding rates of futures. It requests paid rates once after each payment, and the next rate once in
 * FUNDING_QUERY_MS_MIN. Callers in between share the answer.
 */
export class FundingLookup {
  readonly #parts: FundingLookupParts;
  readonly #paid = new Map<Instrument, CachedRates>();
  readonly #current = new Map<Instrument, CachedRates>();

  constructor(parts: FundingLookupParts) {
    this.#parts = parts;
  }

  /** The rates that were paid last, at most FUNDING_HISTORY_RATES_COUNT. */
  paid(future: Instrument, account: AccountId, answer: RatesAnswer): void {
    const toMs = this.#parts.clock.nowMs();
    const limit = FUNDING_HISTORY_RATES_COUNT;
    const asked = { cache: this.#paid, toMs, limit, holdsUntilNext: true, holdsRealMs: Infinity };
    this.#lookUp(future, account, asked, answer);
  }

  /** The next rate with its current estimate, then the rate that was paid last. */
  current(future: Instrument, account: AccountId, answer: RatesAnswer): void {
    const toMs = INSTANT_MS_MAX as EpochMs;
    const asked = { cache: this.#current, toMs, limit: 2, holdsUntilNext: false, holdsRealMs: FUNDING_QUERY_MS_MIN };
    this.#lookUp(future, account, asked, answer);
  }

  /**
   * `current` for several futures, in their order; null for a future whose exchange does not answer. A rejection when
   * no exchange answers.
   */
  currentOfAll(
    futures: readonly Instrument[],
    account: AccountId,
    answer: (result: OrRejection<readonly (readonly FundingRate[] | null)[]>) => void,
  ): void {
    const rates: (readonly FundingRate[] | null)[] = futures.map(() => null);
    let failure: Rejection | null = null;
    let missingCount = futures.length;
    if (missingCount === 0) return answer(rates);
    futures.forEach((future, index) => {
      this.current(future, account, (result) => {
        if (isRejected(result)) failure ??= result.rejection;
        else rates[index] = result;
        missingCount -= 1;
        if (missingCount > 0) return;
        const areAllMissing = rates.every((one) => one === null);
        answer(areAllMissing && failure !== null ? new Rejected(failure) : rates);
      });
    });
  }

  #lookUp(future: Instrument, account: AccountId, asked: RateRequest, answer: RatesAnswer): void {
    const { clock, monotonicMs, funding } = this.#parts;
    const askedAtMs = monotonicMs();
    const cached = cachedRatesOf(asked.cache, future);
    if (clock.nowMs() < cached.holdsUntilMs && askedAtMs < cached.holdsUntilMonotonicMs) return answer(cached.rates);
    if (cached.waiting.length >= FUNDING_WAITERS_MAX) return answer(new Rejected(BUSY));
    cached.waiting.push(answer);
    if (cached.waiting.length > 1) return;
    const { toMs, limit } = asked;
    const request = { account, venue: future.venue, instrument: future.index, fromMs: 0 as EpochMs, toMs, limit };
    funding.fundingRates(request, (result) => {
      if (!isRejected(result)) {
        cached.rates = result;
        cached.holdsUntilMs = (result[0]?.atMs ?? 0) + (asked.holdsUntilNext ? fundingIntervalOf(result) : 0);
        cached.holdsUntilMonotonicMs = askedAtMs + asked.holdsRealMs;
      }
      for (const asker of cached.waiting.splice(0)) asker(result);
    });
  }
}

function cachedRatesOf(cache: Map<Instrument, CachedRates>, future: Instrument): CachedRates {
  let cached = cache.get(future);
  if (cached === undefined) {
    cached = { rates: [], holdsUntilMs: 0, holdsUntilMonotonicMs: 0, waiting: [] };
    cache.set(future, cached);
  }
  return cached;
}

const BUSY: Rejection = {
  code: 'SYSTEM_BUSY',
  message: 'too many requests wait for the funding rates of this instrument',
};
