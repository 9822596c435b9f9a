import type { AccountId } from '../model/ids.js';
import type { Instrument } from '../model/instrument.js';
import {
  FUNDING_ASKERS_MAX,
  FUNDING_HISTORY_RATES_COUNT,
  FUNDING_INTERVAL_MS,
  FUNDING_LOOK_MS,
  INSTANT_MS_MAX,
} from '../model/limits.js';
import type { FundingRate } from '../model/market-feed.js';
import { isRejected, type OrRejection, type Rejection } from '../model/rejection.js';
import type { Clock, EpochMs } from '../model/time.js';
import type { FundingDesk } from './port.js';

export interface FundingLookupParts {
  readonly funding: FundingDesk;
  /** Service time. */
  readonly clock: Clock;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonicMs: () => number;
}

/** Rates come newest first. */
export type RatesAnswer = (result: OrRejection<readonly FundingRate[]>) => void;

/** One question about one future: its latest answer, and who waits for the next one. */
interface Seat {
  rates: readonly FundingRate[];
  /** The answer holds until then: service time, and the monotonic clock's. */
  holdsUntilMs: number;
  holdsUntilMonotonicMs: number;
  readonly askers: RatesAnswer[];
}

/** The same question of a venue about any of its futures. */
interface Wish {
  readonly seats: Map<Instrument, Seat>;
  /** Service time. */
  readonly toMs: EpochMs;
  readonly limit: number;
  /** From the funding time of the newest rate until the answer does not hold any more, service time. */
  readonly holdsMs: number;
  /** The same from the question on, in real time. */
  readonly holdsRealMs: number;
}

/**
 * Funding rates of futures. However many ask, a venue is asked no more often than there is something new: about the past
 * when funding has been paid, about the rate to come once in FUNDING_LOOK_MS; who asks meanwhile shares the answer.
 */
export class FundingLookup {
  readonly #parts: FundingLookupParts;
  readonly #paid = new Map<Instrument, Seat>();
  readonly #current = new Map<Instrument, Seat>();

  constructor(parts: FundingLookupParts) {
    this.#parts = parts;
  }

  /** What was paid last, at most FUNDING_HISTORY_RATES_COUNT times. */
  paid(future: Instrument, account: AccountId, answer: RatesAnswer): void {
    const toMs = this.#parts.clock.nowMs();
    const limit = FUNDING_HISTORY_RATES_COUNT;
    const wish = { seats: this.#paid, toMs, limit, holdsMs: FUNDING_INTERVAL_MS, holdsRealMs: Infinity };
    this.#look(future, account, wish, answer);
  }

  /** The rate to come as it stands, and behind it the one that was paid last. */
  current(future: Instrument, account: AccountId, answer: RatesAnswer): void {
    const toMs = INSTANT_MS_MAX as EpochMs;
    const wish = { seats: this.#current, toMs, limit: 2, holdsMs: 0, holdsRealMs: FUNDING_LOOK_MS };
    this.#look(future, account, wish, answer);
  }

  #look(future: Instrument, account: AccountId, wish: Wish, answer: RatesAnswer): void {
    const { clock, monotonicMs, funding } = this.#parts;
    const askedAtMs = monotonicMs();
    const seat = seatOf(wish.seats, future);
    if (clock.nowMs() < seat.holdsUntilMs && askedAtMs < seat.holdsUntilMonotonicMs) return answer(seat.rates);
    if (seat.askers.length >= FUNDING_ASKERS_MAX) return answer({ rejection: BUSY });
    seat.askers.push(answer);
    if (seat.askers.length > 1) return;
    const { toMs, limit } = wish;
    const question = { account, venue: future.venue, instrument: future.index, fromMs: 0 as EpochMs, toMs, limit };
    funding.fundingRates(question, (result) => {
      if (!isRejected(result)) {
        seat.rates = result;
        seat.holdsUntilMs = (result[0]?.atMs ?? 0) + wish.holdsMs;
        seat.holdsUntilMonotonicMs = askedAtMs + wish.holdsRealMs;
      }
      for (const asker of seat.askers.splice(0)) asker(result);
    });
  }
}

function seatOf(seats: Map<Instrument, Seat>, future: Instrument): Seat {
  let seat = seats.get(future);
  if (seat === undefined) {
    seat = { rates: [], holdsUntilMs: 0, holdsUntilMonotonicMs: 0, askers: [] };
    seats.set(future, seat);
  }
  return seat;
}

const BUSY: Rejection = { code: 'SYSTEM_BUSY', message: 'too many wait for the funding rates of this instrument' };
