import { parseVenue, type Venue, VENUES } from '../../domain/exchange.js';
import {
  REQUEST_BURST_PPM,
  REQUEST_RESERVE_PPM,
  VENUE_REQUESTS_COUNT,
  VENUE_REQUESTS_COUNT_MAX,
  VENUE_REQUESTS_MS,
  VENUE_REQUESTS_SECONDS_MAX,
} from '../../domain/limits/trading.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';
import { TokenBucket } from '../../domain/token-bucket.js';
import type { RequestRate } from '../listing/exchange-listing.js';
import { VENUE_LISTINGS } from '../listing/exchanges.js';

/** Request rate that each venue accepts from one account; null: no limit. */
export type VenueRates = { readonly [V in Venue]: RequestRate | null };

/** An unusable rates setting; the message names the part and the rule. */
export class VenueRatesError extends Error {
  override readonly name = 'VenueRatesError';
}

const RATE = /^([1-9]\d{0,6})\/([1-9]\d{0,3})s$/;
const MS_PER_S = 1_000;
const COMMON_RATE: RequestRate = { count: VENUE_REQUESTS_COUNT, perMs: VENUE_REQUESTS_MS as DurationMs };

/**
 * Reads comma-separated rates; a later part overrides an earlier one. Throws VenueRatesError.
 *
 *     listed                    the published rate of every exchange
 *     50/10s                    every exchange: 50 requests in any 10 seconds
 *     listed,OKX=20/1s,WOO=off  as published, with two exceptions
 *
 * Venues without a part keep the common rate of VENUE_REQUESTS_COUNT requests in VENUE_REQUESTS_MS.
 */
export function parseVenueRates(text: string): VenueRates {
  const rates = new Map<Venue, RequestRate | null>(VENUES.map((venue) => [venue, COMMON_RATE]));
  for (const part of text === '' ? [] : text.split(',')) {
    const [name, rate] = part.includes('=') ? part.split('=', 2) : [null, part];
    for (const venue of venuesOf(name ?? null, part)) rates.set(venue, rateOf(rate ?? '', venue, part));
  }
  return Object.fromEntries(rates) as Record<Venue, RequestRate | null>;
}

function venuesOf(name: string | null, part: string): readonly Venue[] {
  if (name === null) return VENUES;
  const venue = parseVenue(name);
  if (venue === null) throw new VenueRatesError(`${part}: ${name} is none of ${VENUES.join(', ')}`);
  return [venue];
}

function rateOf(text: string, venue: Venue, part: string): RequestRate | null {
  if (text === 'off') return null;
  if (text === 'listed') return VENUE_LISTINGS[venue].requestRate;
  const [, count, seconds] = RATE.exec(text)?.map(Number) ?? [];
  const isRate = count !== undefined && seconds !== undefined;
  if (!isRate || count > VENUE_REQUESTS_COUNT_MAX || seconds > VENUE_REQUESTS_SECONDS_MAX) {
    const range = `1 to ${VENUE_REQUESTS_COUNT_MAX} requests in 1 to ${VENUE_REQUESTS_SECONDS_MAX} s`;
    throw new VenueRatesError(`${part} is not off, listed or COUNT/SECONDSs, as 100/10s: ${range}`);
  }
  return { count, perMs: (seconds * MS_PER_S) as DurationMs };
}

const US_PER_MS = 1_000;
const PPM = 1_000_000;

/**
 * The token bucket of one account at one venue. A fifth of the rate's count passes at once, and the rest evenly over
 * its span, so no span of that length contains more than the count. Only urgent requests may use a reserve of the
 * burst.
 */
export class RequestBucket {
  readonly #bucket: TokenBucket;
  readonly #reserveUs: number;

  /** `count` from 1, `perMs` above 0. */
  constructor({ count, perMs }: RequestRate) {
    const burst = Math.max(1, Math.floor((count * REQUEST_BURST_PPM) / PPM));
    const reserve = Math.floor((burst * REQUEST_RESERVE_PPM) / PPM);
    const requestUs = Math.ceil((perMs * US_PER_MS) / Math.max(1, count - burst));
    this.#bucket = new TokenBucket(requestUs, burst * requestUs);
    this.#reserveUs = reserve * requestUs;
  }

  /** Time in which the tokens of one request return, in milliseconds. */
  get requestMs(): number {
    return this.#bucket.tokenTime / US_PER_MS;
  }

  /** Takes one request; false when the rate does not allow it yet. `nowMs` never steps back. */
  take(nowMs: EpochMs, isUrgent: boolean): boolean {
    return this.#bucket.take(1, nowMs * US_PER_MS, isUrgent ? 0 : this.#reserveUs);
  }

  /** The first millisecond in which `take` succeeds. */
  freeAtMs(isUrgent: boolean): EpochMs {
    return Math.ceil(this.#bucket.readyAt(isUrgent ? 0 : this.#reserveUs) / US_PER_MS) as EpochMs;
  }

  isFull(nowMs: EpochMs): boolean {
    return this.#bucket.owed(nowMs * US_PER_MS) === 0;
  }
}
