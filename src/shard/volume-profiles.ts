import { openOf } from '../model/candle.js';
import type { Venue } from '../model/exchange.js';
import type { AccountId, CorrelationId } from '../model/ids.js';
import type { Instrument, InstrumentIndex } from '../model/instrument.js';
import type { VolumeProfile } from '../model/intent.js';
import { PROFILE_SILENCE_MS_MAX, PROFILE_WAIT_MS, VOLUME_PROFILES_MAX } from '../model/limits.js';
import type { EpochMs } from '../model/time.js';
import type { CandlesReport, VenueRequest } from '../model/venue-message.js';
import { RecentVolume } from '../strategy/recent-volume.js';
import { VolumeStudy, type Study } from '../strategy/volume-study.js';
import type { LegActor } from './sight.js';

interface Learning {
  readonly instrument: Instrument;
  /** null: not known yet, or too little to know. */
  profile: VolumeProfile | null;
  /** Midnight after the last day that was learnt from; -Infinity before anything was. */
  learntUntilMs: number;
  /** Up to when the recent volume is known. */
  recentUntilMs: number;
  /** Under way, with one page asked for; null when it is not. */
  study: Study | null;
  askedAtMs: number;
  /** Until when each order waits for the first profile, or waited. */
  readonly waiting: Map<LegActor, EpochMs>;
}

/**
 * Volume profiles of instruments, learnt from the venue's candles for the orders that need them, and learnt again when
 * another day is over; the pace of the last hours is asked for when an order begins. They are shared by all orders and kept in memory alone: after a restart the venue is asked again.
 *
 *     first look of an order ─▶ QueryCandles ─▶ Candles ─▶ next page … ─▶ profile ─▶ orders that wait
 */
export class VolumeProfiles {
  readonly #send: (request: VenueRequest) => void;
  readonly #learnings = new Map<InstrumentIndex, Learning>();

  constructor(send: (request: VenueRequest) => void) {
    this.#send = send;
  }

  /** The profile of the order's instrument as last learnt; null while there is none. Asks the venue for what is not known. */
  of(actor: LegActor, nowMs: EpochMs): VolumeProfile | null {
    const learning = this.#learning(actor);
    this.#refresh(learning, actor, nowMs);
    return learning.profile;
  }

  /** Until when the order is to wait for its first profile, or at its start for the recent pace; null when it need not, or has waited long enough. */
  awaitedUntilMs(actor: LegActor, nowMs: EpochMs): EpochMs | null {
    const learning = this.#learning(actor);
    this.#refresh(learning, actor, nowMs);
    if (isLearnt(learning) && !isPaceWanted(learning, actor, nowMs)) return null;
    const untilMs = learning.waiting.get(actor) ?? ((nowMs + PROFILE_WAIT_MS) as EpochMs);
    learning.waiting.set(actor, untilMs);
    return nowMs < untilMs ? untilMs : null;
  }

  /** True when the history of the order's instrument is known, however short it is. */
  isLearnt(actor: LegActor): boolean {
    return isLearnt(this.#learning(actor));
  }

  /** Takes in what the venue tells; returns the orders that waited for it. */
  apply(report: CandlesReport, nowMs: EpochMs): readonly LegActor[] {
    const learning = this.#learnings.get(report.instrument);
    const study = learning?.study ?? null;
    // An answer that was given up, or comes twice.
    if (learning === undefined || study === null || report.correlationId !== correlationOf(study)) return [];
    study.add(report.candles);
    if (!study.isComplete) {
      this.#ask(learning, study, report, nowMs);
      return [];
    }
    learning.profile = study.conclude(learning.profile);
    if (study.kind === 'DAYS') learning.learntUntilMs = study.untilMs;
    learning.recentUntilMs = study.kind === 'RECENT' ? study.untilMs : -Infinity;
    learning.study = null;
    const waiting = [...learning.waiting.keys()];
    learning.waiting.clear();
    return waiting;
  }

  /** The order has ended. */
  leave(actor: LegActor): void {
    this.#learnings.get(actor.instrument.index)?.waiting.delete(actor);
  }

  /** A venue was lost, or all of them, and with it what it was asked: it is asked anew, and waited for anew. */
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
    } else if (nowMs - learning.askedAtMs < PROFILE_SILENCE_MS_MAX) return;
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

  /** Forgets the instrument that was looked up first. */
  #makeRoom(): void {
    if (this.#learnings.size < VOLUME_PROFILES_MAX) return;
    const [first] = this.#learnings.keys();
    if (first !== undefined) this.#learnings.delete(first);
  }
}

/** A page is named by its first instant: an answer to the same question of an earlier life of the shard is as good. */
function correlationOf({ page }: Study): CorrelationId {
  return page.fromMs as number as CorrelationId;
}

function isLearnt({ learntUntilMs }: Learning): boolean {
  return learntUntilMs > -Infinity;
}

/** True when an order is to begin and the pace of the last hours is not known up to the last 5 minutes. */
function isPaceWanted({ profile, recentUntilMs }: Learning, { state }: LegActor, nowMs: EpochMs): boolean {
  return profile !== null && state.startedAtMs === null && recentUntilMs < openOf(nowMs, 'FIVE_MINUTE');
}
