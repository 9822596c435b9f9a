import { VENUES, parseVenue, type Venue } from '../../model/exchange.js';
import {
  VENUE_REQUESTS_COUNT,
  VENUE_REQUESTS_COUNT_MAX,
  VENUE_REQUESTS_MS,
  VENUE_REQUESTS_SECONDS_MAX,
} from '../../model/limits.js';
import type { DurationMs } from '../../model/time.js';
import { VENUE_LISTINGS, type RequestRate } from '../listing/index.js';

/** What each venue takes of one account; null: as much as is sent. */
export type VenueRates = { readonly [V in Venue]: RequestRate | null };

/** A text of rates that cannot be used; the message names the part and the rule. */
export class VenueRatesError extends Error {
  override readonly name = 'VenueRatesError';
}

const RATE = /^([1-9]\d{0,6})\/([1-9]\d{0,3})s$/;
const MS_PER_S = 1_000;
const COMMON_RATE: RequestRate = { count: VENUE_REQUESTS_COUNT, perMs: VENUE_REQUESTS_MS as DurationMs };

/**
 * Reads rates, comma-separated; a later one holds. Throws VenueRatesError.
 *
 *     listed                    every exchange as it publishes
 *     50/10s                    every exchange: 50 requests in any 10 seconds
 *     listed,OKX=20/1s,WOO=off  as published, but for two of them
 *
 * What is not named has the rate that '' stands for.
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
