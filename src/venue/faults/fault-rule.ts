import type { Venue } from '../../model/exchange.js';
import type { AccountId } from '../../model/ids.js';
import type { Side } from '../../model/order.js';
import type { RejectionCode } from '../../model/rejection.js';
import type { DurationMs } from '../../model/time.js';

/** Whom a fault meets; null meets everybody. */
export interface FaultTarget {
  readonly venue: Venue | null;
  /** Canonical, as `BTC/USDT`. */
  readonly symbol: string | null;
  readonly account: AccountId | null;
  readonly side: Side | null;
}

/** When a fault is at work, in service time since the venues' start: from `fromMs` on, up to but without `untilMs`. */
export interface FaultPeriod {
  readonly fromMs: DurationMs;
  /** Infinity: for ever. */
  readonly untilMs: DurationMs;
}

/** Which of the messages it meets a fault hits. */
export interface FaultAim {
  /** So many pass first. */
  readonly after: number;
  /** So many are hit at most; Infinity: all. */
  readonly count: number;
  /** Of the others each is hit with this probability, above 0, at most 1. */
  readonly probability: number;
}

export const REQUEST_KINDS = ['submit', 'cancel', 'any'] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** What happens to a single request. */
export type RequestFault =
  /** The venue refuses it. */
  | {
      readonly fault: 'reject';
      readonly request: RequestKind;
      readonly code: RejectionCode;
      readonly message: string;
      readonly retryAfterMs: DurationMs | null;
    }
  /** It never reaches the venue, and nobody says so. */
  | { readonly fault: 'unsent'; readonly request: RequestKind };

export const REPORT_KINDS = ['fill', 'acknowledgement', 'end', 'any'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** What happens to a single report on an order that nobody asked for. An answer to a question always comes whole. */
export type ReportFault =
  | { readonly fault: 'lost'; readonly report: ReportKind }
  /** It comes a second time, `byMs` later. */
  | { readonly fault: 'duplicated'; readonly report: ReportKind; readonly byMs: DurationMs }
  /** It comes `byMs` later, behind what has overtaken it. */
  | { readonly fault: 'late'; readonly report: ReportKind; readonly byMs: DurationMs }
  /** It comes behind the next report on the same order, or after REORDERED_REPORT_MS when there is none. */
  | { readonly fault: 'reordered'; readonly report: ReportKind }
  | Forgery;

export const CONTRADICTIONS = ['other-id', 'cancelled-over', 'answered-less', 'rejected', 'unknown-code'] as const;
export type FaultContradiction = (typeof CONTRADICTIONS)[number];

/** A report that contradicts what the exchange said before, or what it was asked for. */
export type Forgery =
  /** The fill is larger by the whole quantity of its child. */
  | { readonly fault: 'overfill'; readonly report: 'fill' }
  /** The fill is one percent, and at least one tick, worse than the limit of its child. A market order's stays as it is. */
  | { readonly fault: 'wrong-price'; readonly report: 'fill' }
  /** The fill names the other side. */
  | { readonly fault: 'wrong-side'; readonly report: 'fill' }
  /** The fill names a liquidity that no model has. */
  | { readonly fault: 'garbled'; readonly report: 'fill' }
  /** A copy of the report follows for a child of the same order that was never placed. */
  | { readonly fault: 'unknown-child'; readonly report: ReportKind }
  /** A second report follows, which contradicts what is known of the child. */
  | { readonly fault: 'contradict'; readonly report: ReportKind; readonly says: FaultContradiction };

/** What a whole venue, or its prices, suffer for a while. */
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

/** One line of a fault script. */
export type FaultRule = MessageFaultRule | OutageRule;

export function isOutage(rule: FaultRule): rule is OutageRule {
  return (OUTAGES as readonly string[]).includes(rule.fault);
}
