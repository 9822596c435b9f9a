import type { Venue } from '../model/exchange.js';
import type { Instrument, InstrumentIndex } from '../model/instrument.js';
import { MARKET_STALE_MS, PRICE_ASKERS_MAX, PRICE_LOOK_MS, PRICE_WAIT_MS } from '../model/limits.js';
import { isCrossed, isTwoSided, type Market } from '../model/market.js';
import type { OrRejection, Rejection } from '../model/rejection.js';
import type { Clock, EpochMs } from '../model/time.js';

export interface PriceDeskParts {
  readonly read: (instrument: InstrumentIndex) => Market;
  /** Asks the venue to keep the instrument's market alive, or lets it sleep. */
  readonly keepAwake: (instrument: InstrumentIndex, isAwake: boolean) => void;
  readonly isVenueUp: (venue: Venue) => boolean;
  /** Service time. */
  readonly clock: Clock;
  readonly nowRealMs: () => number;
  /** Runs once, not before `delayMs` of real time. */
  readonly after: (delayMs: number, run: () => void) => void;
}

type PriceAnswer = (twiceMid: OrRejection<number>) => void;

/** A market that has to speak first, and who waits for it. */
interface Seat {
  readonly instrument: Instrument;
  readonly askedAtMs: EpochMs;
  readonly deadlineMs: number;
  readonly askers: PriceAnswer[];
}

/** What instruments are worth now. A market that sleeps is woken and looked at until it speaks; who waits is bounded. */
export class PriceDesk {
  readonly #parts: PriceDeskParts;
  readonly #seats = new Map<InstrumentIndex, Seat>();
  #askerCount = 0;

  constructor(parts: PriceDeskParts) {
    this.#parts = parts;
  }

  /** Twice the mid, in ticks. EXCHANGE_NOT_AVAILABLE when the market tells none within PRICE_WAIT_MS. */
  twiceMid(instrument: Instrument, answer: PriceAnswer): void {
    const { clock, isVenueUp } = this.#parts;
    const known = this.#look(instrument, clock.nowMs());
    if (known !== null) return answer(known);
    if (!isVenueUp(instrument.venue)) return answer({ rejection: priceless(instrument) });
    if (this.#askerCount >= PRICE_ASKERS_MAX) return answer({ rejection: BUSY });
    this.#askerCount += 1;
    const seat = this.#seats.get(instrument.index) ?? this.#open(instrument);
    seat.askers.push(answer);
  }

  #open(instrument: Instrument): Seat {
    const { clock, nowRealMs, keepAwake } = this.#parts;
    const seat: Seat = {
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

  /** null while the market has told nothing since a while before it was asked, or nothing that a price could be. */
  #look({ index }: Instrument, askedAtMs: EpochMs): number | null {
    const market = this.#parts.read(index);
    const isTold = market.atMs >= askedAtMs - MARKET_STALE_MS && isTwoSided(market) && !isCrossed(market);
    return isTold ? market.bid + market.ask : null;
  }

  #lookAgain(): void {
    this.#parts.after(PRICE_LOOK_MS, () => {
      for (const seat of this.#seats.values()) this.#serve(seat);
      if (this.#seats.size > 0) this.#lookAgain();
    });
  }

  #serve(seat: Seat): void {
    const { instrument, askedAtMs, deadlineMs, askers } = seat;
    const twiceMid = this.#look(instrument, askedAtMs);
    if (twiceMid === null && this.#parts.nowRealMs() < deadlineMs) return;
    this.#seats.delete(instrument.index);
    this.#parts.keepAwake(instrument.index, false);
    this.#askerCount -= askers.length;
    for (const answer of askers) answer(twiceMid ?? { rejection: priceless(instrument) });
  }
}

function priceless({ venue, symbol }: Instrument): Rejection {
  return { code: 'EXCHANGE_NOT_AVAILABLE', message: `exchange ${venue} tells no price of ${symbol}` };
}

const BUSY: Rejection = { code: 'SYSTEM_BUSY', message: 'too many wait for a price' };
