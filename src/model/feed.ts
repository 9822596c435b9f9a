import type { AnyEvent } from './event.js';
import type { Venue } from './exchange.js';
import { VOLUME_UNKNOWN } from './intent.js';

/** Topics of an account: their frames are numbered without a gap and can be replayed from the journal. */
export const ACCOUNT_TOPICS = ['order', 'child_order', 'trade', 'balance', 'position', 'position_risk'] as const;
export type AccountTopic = (typeof ACCOUNT_TOPICS)[number];

/** The frame of a feed (account, topic, venue) that an event made: `n` counts from 1. A pair's go to both its venues. */
export interface FeedMark {
  readonly topic: AccountTopic;
  readonly n: number;
  /** Absent: the event's own. */
  readonly venue?: Venue;
}

const NONE: readonly AccountTopic[] = [];
const ORDER: readonly AccountTopic[] = ['order'];
const CHILD: readonly AccountTopic[] = ['child_order'];
/** A fill moves the child, the parent and the list of trades. */
const FILL: readonly AccountTopic[] = ['child_order', 'trade', 'order'];
const BALANCE: readonly AccountTopic[] = ['balance'];
const POSITION: readonly AccountTopic[] = ['position', 'position_risk'];

const TOPICS: { readonly [Kind in AnyEvent['kind']]: readonly AccountTopic[] } = {
  ParentCreated: ORDER,
  ParentAccepted: ORDER,
  ParentRejected: ORDER,
  ParentStarted: NONE,
  ParentCancelRequested: ORDER,
  ParentCancelled: ORDER,
  ParentExpired: ORDER,
  ParentPauseRequested: ORDER,
  ParentPaused: ORDER,
  ParentResumeRequested: ORDER,
  ParentResumed: ORDER,
  ParentPlanned: NONE,
  ParentAmendRequested: NONE,
  ParentRestored: NONE,
  ParentReconciled: ORDER,
  ParentAmended: ORDER,
  ParentQuarantined: ORDER,
  ParentReleased: ORDER,
  ReportContradicted: NONE,
  StrategyNoted: NONE,
  ChildSubmitted: CHILD,
  ChildAdopted: CHILD,
  ChildAccepted: CHILD,
  ChildRejected: CHILD,
  ChildFilled: FILL,
  ChildCancelRequested: CHILD,
  ChildCancelRefused: NONE,
  ChildCancelled: CHILD,
  ChildUnknown: NONE,
  ChildNeverPlaced: CHILD,
  BalanceChanged: BALANCE,
  PositionChanged: POSITION,
  MarketObserved: NONE,
};

/** Notes that tell the client of an order something about all of it; the others are for its timeline alone. */
const TOLD_NOTES: ReadonlySet<string> = new Set([VOLUME_UNKNOWN]);

/** The feeds an event makes a frame in, in the order in which their frames are sent. */
export function topicsOf(event: AnyEvent): readonly AccountTopic[] {
  if (event.kind === 'StrategyNoted' && TOLD_NOTES.has(event.reason.code)) return ORDER;
  return TOPICS[event.kind];
}
