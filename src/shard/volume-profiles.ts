import { openOf } from '../domain/market-feed.js';
import type { Venue } from '../domain/exchange.js';
import type { AccountId, CorrelationId } from '../domain/ids.js';
import type { Instrument, InstrumentIndex } from '../domain/instrument.js';
import type { VolumeProfile } from '../domain/intent.js';
import { PROFILE_SILENCE_MS_MAX, PROFILE_WAIT_MS, VOLUME_PROFILES_MAX } from '../domain/limits/trading.js';
import type { EpochMs } from '../domain/time.js';
import type { VenueRequest } from '../domain/venue-message.js';
import type { CandlesReport } from '../domain/venue-report.js';
import { RecentVolume, type Study, VolumeStudy } from '../strategy/volume/study.js';
import type { LegActor } from './actor.js';

interface Learning {
  readonly instrument: Instrument;
  /** null: still unknown, or too little history. */
  profile: VolumeProfile | null;
  /** Midnight after the last day of the profile; -Infinity without one. */
  learntUntilMs: number;
  /** End of the known recent volume. */
  recentUntilMs: number;
  /** The study in progress, with one page requested. null: none. */
  study: Study | null;
  askedAtMs: number;
  /** End of each order's wait for the first profile. */
  readonly waiting: Map<LegActor, EpochMs>;
}

/**
 * Learns the volume profiles of instruments from the venue's candles, for the orders that need them. Learns them
 * again after each day. Requests the pace of the last hours when an order begins. All orders share the profiles. They
 * are only in memory, so a restarted shard requests the candles again.
 *
 *     first check of an order ─▶ QueryCandles ─▶ Candles ─▶ next page … ─▶ profile ─▶ waiting orders
 */
export class VolumeProfiles {
  readonly #send: (request: VenueRequest) => void;
  readonly #learnings = new Map<InstrumentIndex, Learning>();
  /** Instruments with complete candles, in order of completion. */
  readonly #concluding: Learning[] = [];

  constructor(send: (request: VenueRequest) => void) {
    this.#send = send;
  }

  /** The latest profile of the order's instrument, or null. Requests missing data from the venue. */
  of(actor: LegActor, nowMs: EpochMs): VolumeProfile | null {
    const learning = this.#learning(actor);
    this.#refresh(learning, actor, nowMs);
    return learning.profile;
  }

  /**
   * End of the order's wait for its first profile, or at its start for the recent pace. Returns null without a wait.
   */
  awaitedUntilMs(actor: LegActor, nowMs: EpochMs): EpochMs | null {
    const learning = this.#learning(actor);
    this.#refresh(learning, actor, nowMs);
    if (isLearnt(learning) && !isPaceWanted(learning, actor, nowMs)) return null;
    const untilMs = learning.waiting.get(actor) ?? ((nowMs + PROFILE_WAIT_MS) as EpochMs);
    learning.waiting.set(actor, untilMs);
    // The venue has answered, and the next turns compute the profile. Service time may run much faster than they do.
    if (learning.study?.isComplete === true) return Math.max(untilMs, nowMs + PROFILE_WAIT_MS) as EpochMs;
    return nowMs < untilMs ? untilMs : null;
  }

  /** True when the history of the order's instrument is known, even if it is short. */
  isLearnt(actor: LegActor): boolean {
    return isLearnt(this.#learning(actor));
  }

  /** Applies a report. Returns the orders that waited for it. */
  apply(report: CandlesReport, nowMs: EpochMs): readonly LegActor[] {
    const learning = this.#learnings.get(report.instrument);
    const study = learning?.study ?? null;
    // The answer is repeated, or its request was abandoned.
    if (learning === undefined || study === null || study.isComplete || report.correlationId !== correlationOf(study))
      return [];
    study.add(report.candles);
    if (!study.isComplete) {
      this.#ask(learning, study, report, nowMs);
      return [];
    }
    if (study.step()) return conclude(learning, study);
    this.#concluding.push(learning);
    return [];
  }

  /** True while a profile with complete candles is not computed yet. */
  get isLearning(): boolean {
    return this.#concluding.length > 0;
  }

  /**
   * Computes the next part of the oldest waiting profile, in less than a millisecond. Returns the orders that waited
   * for it when it is ready.
   */
  step(): readonly LegActor[] {
    const [learning] = this.#concluding;
    if (learning === undefined) return [];
    const { study } = learning;
    if (study !== null && !study.step()) return [];
    this.#concluding.shift();
    return study === null ? [] : conclude(learning, study);
  }

  /** Removes an order that has ended. */
  leave(actor: LegActor): void {
    this.#learnings.get(actor.instrument.index)?.waiting.delete(actor);
  }

  /** Repeats the requests to one venue, or to all, after the connection was lost. The waits begin again. */
  forget(venue: Venue | null): void {
    for (const learning of this.#learnings.values()) {
      if (venue !== null && learning.instrument.venue !== venue) continue;
      learning.askedAtMs = -Infinity;
      learning.waiting.clear();
    }
  }

  #refresh(learning: Learning, actor: LegActor, nowMs: EpochMs): void {
    if (learning.study === null) {
      if (learning.learntUntilMs < openOf(nowMs, 'ONE_DAY')) learning.study = new VolumeStudy(nowMs);
      else if (isPaceWanted(learning, actor, nowMs)) learning.study = new RecentVolume(nowMs);
      else return;
    } else if (learning.study.isComplete || nowMs - learning.askedAtMs < PROFILE_SILENCE_MS_MAX) return;
    this.#ask(learning, learning.study, actor.state.order, nowMs);
  }

  #ask(learning: Learning, study: Study, { account }: { readonly account: AccountId }, nowMs: EpochMs): void {
    learning.askedAtMs = nowMs;
    const { index: instrument, venue } = learning.instrument;
    this.#send({
      kind: 'QueryCandles',
      correlationId: correlationOf(study),
      account,
      venue,
      instrument,
      ...study.page,
    });
  }

  #learning({ instrument }: LegActor): Learning {
    const known = this.#learnings.get(instrument.index);
    if (known !== undefined) return known;
    this.#makeRoom();
    const learning = {
      instrument,
      profile: null,
      learntUntilMs: -Infinity,
      recentUntilMs: -Infinity,
      study: null,
      askedAtMs: 0,
      waiting: new Map(),
    };
    this.#learnings.set(instrument.index, learning);
    return learning;
  }

  /** Removes the instrument that was requested first, to make room. */
  #makeRoom(): void {
    if (this.#learnings.size < VOLUME_PROFILES_MAX) return;
    const [first] = this.#learnings.keys();
    if (first !== undefined) this.#learnings.delete(first);
  }
}

/**
 * The first instant of a page is its correlation id. So an answer to an earlier shard's request for the page is valid
 * too.
 */
function correlationOf({ page }: Study): CorrelationId {
  return page.fromMs as number as CorrelationId;
}

/** Stores the result. Returns the orders that waited for it. */
function conclude(learning: Learning, study: Study): readonly LegActor[] {
  learning.profile = study.conclude(learning.profile);
  if (study.kind === 'DAYS') learning.learntUntilMs = study.untilMs;
  learning.recentUntilMs = study.kind === 'RECENT' ? study.untilMs : -Infinity;
  learning.study = null;
  const waiting = [...learning.waiting.keys()];
  learning.waiting.clear();
  return waiting;
}

function isLearnt({ learntUntilMs }: Learning): boolean {
  return learntUntilMs > -Infinity;
}

/** True for an order before its start when the recent pace is older than the last 5 minutes. */
function isPaceWanted({ profile, recentUntilMs }: Learning, { state }: LegActor, nowMs: EpochMs): boolean {
  return profile !== null && state.startedAtMs === null && recentUntilMs < openOf(nowMs, 'FIVE_MINUTE');
}
