import type { Amount } from '../model/amount.js';
import type { OrderEvent } from '../model/event.js';
import type { Venue } from '../model/exchange.js';
import type { ChildNumber } from '../model/ids.js';
import type { Instrument } from '../model/instrument.js';
import type { Hedged, HedgeDecision } from '../model/hedge.js';
import type { StrategyDecision } from '../model/intent.js';
import type { Market } from '../model/market.js';
import type { ParentOrder, StrategyMemory } from '../model/order.js';
import type { QuarantineReason } from '../model/quarantine.js';
import type { QuestionClass } from '../model/request-class.js';
import type { EpochMs } from '../model/time.js';
import type { AdoptedChild } from '../model/command.js';
import type { ChildRef, ChildSubmission, ExecutionReport } from '../model/venue-message.js';

/** By what an order, or a leg of it, is admitted. */
export interface AdmissionGrounds {
  readonly isVenueUp: boolean;
  readonly market: Market;
  /** Free balance of an asset at the venue; null counts as none. */
  readonly freeOf: (asset: string) => Amount | null;
}

export interface LegGrounds extends AdmissionGrounds {
  readonly instrument: Instrument;
}

/** What the legs of a pair trade: the leading one's, and the other's. */
export interface LegInstruments {
  readonly lead: Instrument;
  readonly follower: Instrument;
}

/** Everything that can happen to a parent order. */
export type OrderInput =
  | { readonly kind: 'Create'; readonly order: ParentOrder }
  /** Funds and venue are looked at. */
  | ({ readonly kind: 'Admit' } & AdmissionGrounds)
  /** The same for each leg of a pair, in the order of its legs. */
  | { readonly kind: 'AdmitPair'; readonly legs: readonly LegGrounds[] }
  /** The order may trade from now on; the market is two-sided. */
  | { readonly kind: 'Start'; readonly market: Market; readonly memory: StrategyMemory }
  /** Of a pair: behind a Hedge at the same market, which says whether anything more can be hedged. */
  | {
      readonly kind: 'Work';
      readonly decision: StrategyDecision;
      readonly hedged?: Hedged;
      /** Present when it is the word of the strategy of a pair's other leg: what that trades. */
      readonly follower?: Instrument;
    }
  /** What the hedge of a pair wants. */
  | { readonly kind: 'Hedge'; readonly decision: HedgeDecision; readonly instruments: LegInstruments }
  | { readonly kind: 'Cancel' }
  | { readonly kind: 'Pause' }
  | { readonly kind: 'Resume' }
  /** The order with its new terms, which are right by themselves; funds that are not known yet refuse none of them. */
  | {
      readonly kind: 'Amend';
      readonly order: ParentOrder;
      readonly grounds: AdmissionGrounds;
      /** Present for a pair: those of its other leg. */
      readonly follower?: LegGrounds;
    }
  /** What the strategy begins anew with; passed over unless that is due. */
  | { readonly kind: 'Plan'; readonly memory: StrategyMemory }
  /** Its end time has passed; repeated until it has ended. */
  | { readonly kind: 'Expire' }
  /** Fills already recorded have been dropped; everything else may come twice, late or out of order. */
  | { readonly kind: 'Report'; readonly report: ExecutionReport }
  /** The venue has told nothing of these children for longer than it should; those that have ended are passed over. */
  | { readonly kind: 'Silence'; readonly children: readonly ChildNumber[] }
  /** The order is set apart; passed over when it already is, or has ended. */
  | { readonly kind: 'Quarantine'; readonly reason: QuarantineReason; readonly detail: string }
  /** A report on a quarantined order could not be applied: it is recorded as text. */
  | { readonly kind: 'Unusable'; readonly report: ExecutionReport; readonly detail: string }
  /** An operator ends the quarantine. */
  | { readonly kind: 'Release' }
  /** One venue, or all of them. */
  | { readonly kind: 'VenueLost'; readonly venue: Venue | null }
  | { readonly kind: 'VenueBack'; readonly venue: Venue | null }
  /** The data comes from a backup: nothing is believed to be complete until the exchanges have been asked. */
  | { readonly kind: 'Restore'; readonly epoch: number }
  /** Children that an exchange knows, in the order of their numbers; those that are known here are passed over. */
  | {
      readonly kind: 'Reconcile';
      readonly children: readonly AdoptedChild[];
      /** How many child numbers of each leg are left out. null: more children follow. */
      readonly childRoom: number | null;
    }
  /** The process has restarted: the venue was lost and is back. */
  | { readonly kind: 'Recover' };

/** What is sent to the venue once the events are durable. */
export type OrderEffect =
  | { readonly kind: 'Submit'; readonly submission: ChildSubmission }
  | { readonly kind: 'Cancel'; readonly ref: ChildRef }
  /** Asking earlier than `notBeforeMs` is right too, but likely to get the same answer as the last time. */
  | {
      readonly kind: 'Query';
      readonly ref: ChildRef;
      readonly requestClass: QuestionClass;
      readonly notBeforeMs: EpochMs;
    };

/** Facts to record and, after that, what to send. Both empty: nothing changed. */
export interface Decision {
  readonly events: readonly OrderEvent[];
  readonly effects: readonly OrderEffect[];
}

export interface DecideContext {
  readonly nowMs: EpochMs;
  readonly instrument: Instrument;
}
