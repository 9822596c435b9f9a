import type { Venue } from '../model/exchange.js';
import type { Instrument, InstrumentIndex } from '../model/instrument.js';
import { PRICE_ASKERS_MAX, PRICE_LOOK_MS, PRICE_WAIT_MS } from '../model/limits.js';
import type { OrRejection, Rejection } from '../model/rejection.js';
import type { Clock, EpochMs } from '../model/time.js';

export interface MarketLookoutParts {
  /** Asks the venue to keep what is looked at alive, or lets it sleep. */
  readonly keepAwake: (instrument: InstrumentIndex, isAwake: boolean) => void;
  readonly isVenueUp: (venue: Venue) => boolean;
  /** Service time. */
  readonly clock: Clock;
  readonly nowRealMs: () => number;
  /** Runs once, not before `delayMs` of real time. */
  readonly after: (delayMs: number, run: () => void) => void;
}

/** What is seen of an instrument; null while nothing is that was told since a while before it was asked for. */
export type Look<Seen> = (instrument: Instrument, askedAtMs: EpochMs) => Seen | null;
type Answer<Seen> = (seen: OrRejection<Seen>) => void;

/** A market that has to speak first, and who waits for it. */
interface Seat<Seen> {
  readonly instrument: Instrument;
  readonly askedAtMs: EpochMs;
  readonly deadlineMs: number;
  readonly askers: Answer<Seen>[];
}

/** What markets show now. One that sleeps is woken and looked at until it speaks; who waits is bounded. */
export class MarketLookout<Seen> {
  readonly #parts: MarketLookoutParts;
  readonly #look: Look<Seen>;
  readonly #seats = new Map<InstrumentIndex, Seat<Seen>>();
  #askerCount = 0;

  constructor(parts: MarketLookoutParts, look: Look<Seen>) {
    this.#parts = parts;
    this.#look = look;
  }

  /** EXCHANGE_NOT_AVAILABLE when the market shows nothing within PRICE_WAIT_MS. */
  see(instrument: Instrument, answer: Answer<Seen>): void {
    const { clock, isVenueUp } = this.#parts;
    const known = this.#look(instrument, clock.nowMs());
    if (known !== null) return answer(known);
    if (!isVenueUp(instrument.venue)) return answer({ rejection: priceless(instrument) });
    if (this.#askerCount >= PRICE_ASKERS_MAX) return answer({ rejection: BUSY });
    this.#askerCount += 1;
    const seat = this.#seats.get(instrument.index) ?? this.#open(instrument);
    seat.askers.push(answer);
  }

  #open(instrument: Instrument): Seat<Seen> {
    const { clock, nowRealMs, keepAwake } = this.#parts;
    const seat: Seat<Seen> = {
      instrument,
      askedAtMs: clock.nowMs(),
      deadlineMs: nowRealMs() + PRICE_WAIT_MS,
      askers: [],
    };
    if (this.#seats.size === 0) this.#lookAgain();
    this.#seats.set(instrument.index, seat);
    keepAwake(instrument.index, true);
    return seat;
  }

  #lookAgain(): void {
    this.#parts.after(PRICE_LOOK_MS, () => {
      for (const seat of this.#seats.values()) this.#serve(seat);
      if (this.#seats.size > 0) this.#lookAgain();
    });
  }

  #serve(seat: Seat<Seen>): void {
    const { instrument, askedAtMs, deadlineMs, askers } = seat;
    const seen = this.#look(instrument, askedAtMs);
    if (seen === null && this.#parts.nowRealMs() < deadlineMs) return;
    this.#seats.delete(instrument.index);
    this.#parts.keepAwake(instrument.index, false);
    this.#askerCount -= askers.length;
    for (const answer of askers) answer(seen ?? { rejection: priceless(instrument) });
  }
}

function priceless({ venue, symbol }: Instrument): Rejection {
  return { code: 'EXCHANGE_NOT_AVAILABLE', message: `exchange ${venue} tells no price of ${symbol}` };
}

const BUSY: Rejection = { code: 'SYSTEM_BUSY', message: 'too many wait for a price' };
