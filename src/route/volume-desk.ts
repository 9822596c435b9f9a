import { openOf, type Candle } from '../model/candle.js';
import type { AccountId } from '../model/ids.js';
import type { Instrument, InstrumentIndex } from '../model/instrument.js';
import type { VolumeProfile } from '../model/intent.js';
import { PROFILE_WAIT_MS, VOLUME_ASKERS_MAX, VOLUME_PROFILES_MAX } from '../model/limits.js';
import { isRejected, type OrRejection } from '../model/rejection.js';
import type { Clock } from '../model/time.js';
import { RecentVolume } from '../strategy/recent-volume.js';
import { VolumeStudy, type CandlePage, type Study } from '../strategy/volume-study.js';

export interface VolumeDeskParts {
  /** Asks a venue for a page of candles. */
  readonly candles: (
    question: CandlePage &
      Pick<Instrument, 'venue'> & { readonly account: AccountId; readonly instrument: InstrumentIndex },
    answer: (result: OrRejection<readonly Candle[]>) => void,
  ) => void;
  /** Service time. */
  readonly clock: Clock;
  /** Runs once, not before `delayMs` of real time. */
  readonly after: (delayMs: number, run: () => void) => void;
}

type VolumeAnswer = (profile: VolumeProfile | null) => void;

/** One instrument's volume: what is known of it, and who waits for more. */
interface Seat {
  readonly instrument: Instrument;
  profile: VolumeProfile | null;
  /** Midnight after the last day that was learnt from, and up to when the recent hours are known. */
  learntUntilMs: number;
  recentUntilMs: number;
  isAsking: boolean;
  readonly askers: Set<VolumeAnswer>;
}

/**
 * Volume profiles for who asks on the main thread, learnt from the venue's candles as the shards learn theirs, and shared
 * by all who ask. Who asks waits a moment for a better answer than the one that is known, and no longer.
 */
export class VolumeDesk {
  readonly #parts: VolumeDeskParts;
  readonly #seats = new Map<InstrumentIndex, Seat>();

  constructor(parts: VolumeDeskParts) {
    this.#parts = parts;
  }

  /** Answers once, within PROFILE_WAIT_MS of real time; null while nothing is known. The account is who the venue is told asks. */
  volume(instrument: Instrument, account: AccountId, answer: VolumeAnswer): void {
    const seat = this.#seatOf(instrument);
    if (this.#isCurrent(seat) || seat.askers.size >= VOLUME_ASKERS_MAX) return answer(seat.profile);
    // A function of its own: the same one may ask twice.
    const asker: VolumeAnswer = (profile) => answer(profile);
    seat.askers.add(asker);
    this.#parts.after(PROFILE_WAIT_MS, () => {
      if (seat.askers.delete(asker)) asker(seat.profile);
    });
    if (!seat.isAsking) this.#learn(seat, account);
  }

  #isCurrent({ learntUntilMs, recentUntilMs, profile }: Seat): boolean {
    const nowMs = this.#parts.clock.nowMs();
    if (learntUntilMs < openOf(nowMs, 'ONE_DAY')) return false;
    return profile === null || recentUntilMs >= openOf(nowMs, 'FIVE_MINUTE');
  }

  /** The days first, then the last hours. */
  #learn(seat: Seat, account: AccountId): void {
    const nowMs = this.#parts.clock.nowMs();
    seat.isAsking = true;
    const study = seat.learntUntilMs < openOf(nowMs, 'ONE_DAY') ? new VolumeStudy(nowMs) : new RecentVolume(nowMs);
    this.#nextPage(seat, study, account);
  }

  #nextPage(seat: Seat, study: Study, account: AccountId): void {
    const { index: instrument, venue } = seat.instrument;
    this.#parts.candles({ account, venue, instrument, ...study.page }, (candles) => {
      // A venue that does not answer is asked again by who asks next.
      if (isRejected(candles)) return this.#settle(seat);
      study.add(candles);
      if (!study.isComplete) return this.#nextPage(seat, study, account);
      seat.profile = study.conclude(seat.profile);
      if (study.kind === 'DAYS') seat.learntUntilMs = study.untilMs;
      seat.recentUntilMs = study.kind === 'RECENT' ? study.untilMs : -Infinity;
      if (this.#isCurrent(seat)) this.#settle(seat);
      else this.#learn(seat, account);
    });
  }

  #settle(seat: Seat): void {
    seat.isAsking = false;
    const askers = [...seat.askers];
    seat.askers.clear();
    for (const asker of askers) asker(seat.profile);
  }

  #seatOf(instrument: Instrument): Seat {
    const known = this.#seats.get(instrument.index);
    if (known !== undefined) return known;
    const [first] = this.#seats.keys();
    if (this.#seats.size >= VOLUME_PROFILES_MAX && first !== undefined) this.#seats.delete(first);
    const seat: Seat = {
      instrument,
      profile: null,
      learntUntilMs: -Infinity,
      recentUntilMs: -Infinity,
      isAsking: false,
      askers: new Set(),
    };
    this.#seats.set(instrument.index, seat);
    return seat;
  }
}
