import { type Candle, openOf } from '../domain/market-feed.js';
import type { AccountId } from '../domain/ids.js';
import type { Instrument, InstrumentIndex } from '../domain/instrument.js';
import type { VolumeProfile } from '../domain/intent.js';
import { VOLUME_WAITERS_MAX } from '../domain/limits/process.js';
import { PROFILE_WAIT_MS, VOLUME_PROFILES_MAX } from '../domain/limits/trading.js';
import { isRejected, type OrRejection } from '../domain/rejection.js';
import type { Clock } from '../domain/time.js';
import { type CandlePage, RecentVolume, type Study, VolumeStudy } from '../strategy/volume/study.js';

export interface VolumeServiceParts {
  /** Requests one page of candles from a venue. */
  readonly candles: (
    query: CandlePage &
      Pick<Instrument, 'venue'> & { readonly account: AccountId; readonly instrument: InstrumentIndex },
    answer: (result: OrRejection<readonly Candle[]>) => void,
  ) => void;
  /** Service time. */
  readonly clock: Clock;
  /** Calls `run` once, after at least `delayMs` of real time. */
  readonly after: (delayMs: number, run: () => void) => void;
}

type VolumeAnswer = (profile: VolumeProfile | null) => void;

/** Known volume of one instrument and the callers that wait for a better profile. */
interface KnownVolume {
  readonly instrument: Instrument;
  profile: VolumeProfile | null;
  /** End of the last day studied (midnight), and end of the recent hours studied; -Infinity before a study. */
  learntUntilMs: number;
  recentUntilMs: number;
  isStudying: boolean;
  readonly waiting: Set<VolumeAnswer>;
}

/**
 * Volume profiles for the main thread. Learns them from the venue's candles, as the shards do, and shares them between
 * callers. A caller waits a bounded time for a fresher profile than the known one.
 */
export class VolumeService {
  readonly #parts: VolumeServiceParts;
  readonly #volumes = new Map<InstrumentIndex, KnownVolume>();

  constructor(parts: VolumeServiceParts) {
    this.#parts = parts;
  }

  /**
   * Answers once, within PROFILE_WAIT_MS of real time; null while no profile is known. Candles are requested for
   * `account`.
   */
  volume(instrument: Instrument, account: AccountId, answer: VolumeAnswer): void {
    const entry = this.#volumeOf(instrument);
    if (this.#isCurrent(entry) || entry.waiting.size >= VOLUME_WAITERS_MAX) return answer(entry.profile);
    // A separate function object for each call, because one callback may wait twice.
    const listener: VolumeAnswer = (profile) => answer(profile);
    entry.waiting.add(listener);
    this.#parts.after(PROFILE_WAIT_MS, () => {
      if (entry.waiting.delete(listener)) listener(entry.profile);
    });
    if (!entry.isStudying) this.#learn(entry, account);
  }

  #isCurrent({ learntUntilMs, recentUntilMs, profile }: KnownVolume): boolean {
    const nowMs = this.#parts.clock.nowMs();
    if (learntUntilMs < openOf(nowMs, 'ONE_DAY')) return false;
    return profile === null || recentUntilMs >= openOf(nowMs, 'FIVE_MINUTE');
  }

  /** Studies the past days first, then the recent hours. */
  #learn(entry: KnownVolume, account: AccountId): void {
    const nowMs = this.#parts.clock.nowMs();
    entry.isStudying = true;
    const study = entry.learntUntilMs < openOf(nowMs, 'ONE_DAY') ? new VolumeStudy(nowMs) : new RecentVolume(nowMs);
    this.#nextPage(entry, study, account);
  }

  #nextPage(entry: KnownVolume, study: Study, account: AccountId): void {
    const { index: instrument, venue } = entry.instrument;
    this.#parts.candles({ account, venue, instrument, ...study.page }, (candles) => {
      // After a failed page, the next caller starts a new study.
      if (isRejected(candles)) return this.#settle(entry);
      study.add(candles);
      if (study.isComplete) this.#conclude(entry, study, account);
      else this.#nextPage(entry, study, account);
    });
  }

  /** Runs in steps of less than a millisecond, so the thread answers other requests in between. */
  #conclude(entry: KnownVolume, study: Study, account: AccountId): void {
    if (!study.step()) return this.#parts.after(0, () => this.#conclude(entry, study, account));
    entry.profile = study.conclude(entry.profile);
    if (study.kind === 'DAYS') entry.learntUntilMs = study.untilMs;
    entry.recentUntilMs = study.kind === 'RECENT' ? study.untilMs : -Infinity;
    if (this.#isCurrent(entry)) this.#settle(entry);
    else this.#learn(entry, account);
  }

  #settle(entry: KnownVolume): void {
    entry.isStudying = false;
    const waiting = [...entry.waiting];
    entry.waiting.clear();
    for (const listener of waiting) listener(entry.profile);
  }

  #volumeOf(instrument: Instrument): KnownVolume {
    const known = this.#volumes.get(instrument.index);
    if (known !== undefined) return known;
    const [first] = this.#volumes.keys();
    if (this.#volumes.size >= VOLUME_PROFILES_MAX && first !== undefined) this.#volumes.delete(first);
    const entry: KnownVolume = {
      instrument,
      profile: null,
      learntUntilMs: -Infinity,
      recentUntilMs: -Infinity,
      isStudying: false,
      waiting: new Set(),
    };
    this.#volumes.set(instrument.index, entry);
    return entry;
  }
}
