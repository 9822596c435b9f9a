import { type Venue, VENUES } from '../../domain/exchange.js';
import type { EpochMs } from '../../domain/time.js';
import { REQUEST_CLASSES, type RequestClass } from '../../domain/venue-message.js';
import { rankOf } from './waiting-requests.js';

/** Counters kept for each venue and request class. */
const COUNTS = ['sent', 'delayed', 'refused', 'withdrawn', 'waiting'] as const;
type Count = (typeof COUNTS)[number];

/** Requests of all accounts to one venue in one class: totals so far, and the number that waits now. */
export type ThrottleFigures = { readonly [Name in Count]: number } & {
  readonly venue: Venue;
  readonly requestClass: RequestClass;
};

/** The counts of each venue, and then the end of its ban. */
const VENUE_COUNTS = COUNTS.length * REQUEST_CLASSES.length;
const VENUE_NUMBERS = VENUE_COUNTS + 1;
const BYTES = VENUES.length * VENUE_NUMBERS * Float64Array.BYTES_PER_ELEMENT;

/** Memory for the figures of all venues. The venue thread writes it; any thread may read it. */
export function createThrottleMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(BYTES);
}

/** Figures of every venue and class with at least one request. */
export function readThrottleFigures(memory: SharedArrayBuffer): readonly ThrottleFigures[] {
  const figures: ThrottleFigures[] = [];
  for (const [index, venue] of VENUES.entries()) {
    const numbers = numbersOf(memory, index);
    for (const [rank, requestClass] of REQUEST_CLASSES.entries()) {
      const of = (count: Count): number => numbers[placeOf(count) + rank] ?? 0;
      if (COUNTS.every((count) => of(count) === 0)) continue;
      const [sent, delayed, refused, withdrawn, waiting] = [
        of('sent'),
        of('delayed'),
        of('refused'),
        of('withdrawn'),
        of('waiting'),
      ];
      figures.push({ venue, requestClass, sent, delayed, refused, withdrawn, waiting });
    }
  }
  return figures;
}

/** Notes that a real exchange takes no request of this address until then. */
export function writeBarredUntil(memory: SharedArrayBuffer, venue: Venue, untilMs: EpochMs): void {
  numbersOf(memory, VENUES.indexOf(venue))[VENUE_COUNTS] = untilMs;
}

/** Milliseconds from `nowMs` until each venue takes requests again. Without venues that take them now. */
export function readBarredMs(memory: SharedArrayBuffer, nowMs: EpochMs): Readonly<Partial<Record<Venue, number>>> {
  const barred: Partial<Record<Venue, number>> = {};
  for (const [index, venue] of VENUES.entries()) {
    const barredMs = (numbersOf(memory, index)[VENUE_COUNTS] ?? 0) - nowMs;
    if (barredMs > 0) barred[venue] = barredMs;
  }
  return barred;
}

/** Counts the requests to one venue in place. */
export class ThrottleMeter {
  readonly #numbers: Float64Array;

  /** Resets the waiting counts: requests that waited before a restart are gone. */
  constructor(memory: SharedArrayBuffer, venue: Venue) {
    this.#numbers = numbersOf(memory, VENUES.indexOf(venue));
    this.#numbers.fill(0, placeOf('waiting'), placeOf('waiting') + REQUEST_CLASSES.length);
  }

  sent(requestClass: RequestClass): void {
    this.#numbers[SENT + rankOf(requestClass)]! += 1;
  }

  /** A request had to wait. */
  entered(requestClass: RequestClass): void {
    this.#numbers[placeOf('delayed') + rankOf(requestClass)]! += 1;
    this.#numbers[placeOf('waiting') + rankOf(requestClass)]! += 1;
  }

  left(requestClass: RequestClass): void {
    this.#numbers[placeOf('waiting') + rankOf(requestClass)]! -= 1;
  }

  refused(requestClass: RequestClass): void {
    this.#numbers[placeOf('refused') + rankOf(requestClass)]! += 1;
  }

  /** A request was cancelled, or answered as unknown, before it was sent. */
  withdrawn(requestClass: RequestClass): void {
    this.#numbers[placeOf('withdrawn') + rankOf(requestClass)]! += 1;
  }
}

const SENT = placeOf('sent');

function placeOf(count: Count): number {
  return COUNTS.indexOf(count) * REQUEST_CLASSES.length;
}

function numbersOf(memory: SharedArrayBuffer, venueIndex: number): Float64Array {
  return new Float64Array(memory, venueIndex * VENUE_NUMBERS * Float64Array.BYTES_PER_ELEMENT, VENUE_NUMBERS);
}
