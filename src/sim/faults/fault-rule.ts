import type { Venue } from '../../domain/exchange.js';
import type { AccountId } from '../../domain/ids.js';
import type { Side } from '../../domain/order.js';
import type { RejectionCode } from '../../domain/rejection.js';
import type { DurationMs } from '../../domain/time.js';

/** Requests and reports that a fault applies to; null matches all. */
export interface FaultTarget {
  readonly venue: Venue | null;
  /** Canonical symbol, for example `BTC/USDT`. */
  readonly symbol: string | null;
  readonly account: AccountId | null;
  readonly side: Side | null;
}

/** Active period in service time since the venues' start: from `fromMs` up to, but not including, `untilMs`. */
export interface FaultPeriod {
  readonly fromMs: DurationMs;
  /** Infinity: without end. */
  readonly untilMs: DurationMs;
}

/** Selects which matching messages a fault hits. */
export interface FaultAim {
  /** Number of matching messages that pass first. */
  readonly after: number;
  /** Number of hits at most; Infinity: all. */
  readonly count: number;
  /** Probability of a hit for each remaining message, above 0 and at most 1. */
  readonly probability: number;
}

export const REQUEST_KINDS = ['submit', 'cancel', 'any'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** Fault of a single request. */
export type RequestFault =
  /** The venue refuses the request. */
  | {
      readonly fault: 'reject';
      readonly request: RequestKind;
      readonly code: RejectionCode;
      readonly message: string;
      readonly retryAfterMs: DurationMs | null;
    }
  /** The request never reaches the venue, and no answer comes. */
  | { readonly fault: 'unsent'; readonly request: RequestKind };

export const REPORT_KINDS = ['fill', 'acknowledgement', 'end', 'any'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** Fault of a single unsolicited report on an order. Answers to queries are never changed. */
export type ReportFault =
  | { readonly fault: 'lost'; readonly report: ReportKind }
  /** A copy follows `byMs` later. */
  | { readonly fault: 'duplicated'; readonly report: ReportKind; readonly byMs: DurationMs }
  /** The report arrives `byMs` later; later reports may overtake it. */
  | { readonly fault: 'late'; readonly report: ReportKind; readonly byMs: DurationMs }
  /** The report arrives after the next report on the same order, or after REORDERED_REPORT_MS when there is none. */
  | { readonly fault: 'reordered'; readonly report: ReportKind }
  | Forgery;

export const CONTRADICTIONS = ['other-id', 'cancelled-over', 'answered-less', 'rejected', 'unknown-code'] as const;
export type FaultContradiction = (typeof CONTRADICTIONS)[number];

/** A report that contradicts an earlier report or the request. */
export type Forgery =
  /** The fill quantity grows by the child's whole quantity. */
  | { readonly fault: 'overfill'; readonly report: 'fill' }
  /**
   * The fill is one percent, and at least one tick, worse than the child's limit. A fill of a market order stays
   * unchanged.
   */
  | { readonly fault: 'wrong-price'; readonly report: 'fill' }
  /** The fill names the opposite side. */
  | { readonly fault: 'wrong-side'; readonly report: 'fill' }
  /** The fill names an unknown liquidity kind. */
  | { readonly fault: 'garbled'; readonly report: 'fill' }
  /** A copy of the report follows, for a child of the same order that was never placed. */
  | { readonly fault: 'unknown-child'; readonly report: ReportKind }
  /** A second report follows that contradicts the known state of the child. */
  | { readonly fault: 'contradict'; readonly report: ReportKind; readonly says: FaultContradiction };

/** Faults of a whole venue or of its prices for a period. */
export const OUTAGES = [
  'ban',
  'disconnect',
  'maintenance',
  'restart',
  'stale-book',
  'sequence-gap',
  'crossed-book',
] as const;
export type Outage = (typeof OUTAGES)[number];

export type MessageFaultRule = FaultTarget & FaultPeriod & FaultAim & (RequestFault | ReportFault);
export type OutageRule = FaultTarget & FaultPeriod & { readonly fault: Outage };

export type FaultRule = MessageFaultRule | OutageRule;

export function isOutage(rule: FaultRule): rule is OutageRule {
  return (OUTAGES as readonly string[]).includes(rule.fault);
}
