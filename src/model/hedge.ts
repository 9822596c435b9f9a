import type { StrategyIntent } from './intent.js';
import type { Reason, StrategyMemory } from './order.js';
import type { Lots } from './quantity.js';
import type { Rejection } from './rejection.js';
import type { EpochMs } from './time.js';

/** Whether a pair may be let go. */
export interface Hedged {
  /** Nothing more can be hedged of what has filled. */
  readonly isHedged: boolean;
  /** What then stays unhedged, and why; null when nothing does. */
  readonly rest: Rejection | null;
}

/** What is to be done so that the legs of a pair stay in step. */
export interface HedgeDecision extends Hedged {
  /** Of the leg that is behind. */
  readonly intents: readonly Extract<StrategyIntent, { readonly kind: 'Place' }>[];
  /** True when that is the other leg, false when it is the leading one, which is so only where neither leads. */
  readonly ofFollower: boolean;
  readonly memory: StrategyMemory | null;
  readonly note: Reason | null;
  /** Why the leg that is ahead is to be withdrawn and not worked now; null when it may be. */
  readonly withdraw: Reason | null;
  /** The caps are spent: the order ends for this cause, with what is unhedged; null otherwise. */
  readonly giveUp: Rejection | null;
  /** Lots that the leading leg may have at work at most. */
  readonly leadRoom: Lots;
  /** When it wants to look again; null: after the next report. */
  readonly wakeAtMs: EpochMs | null;
}
