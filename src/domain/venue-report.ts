import type { Fill } from './event.js';
import type { Venue } from './exchange.js';
import type { AccountId, OrderId, VenueOrderId } from './ids.js';
import type { InstrumentIndex } from './instrument.js';
import { EXCHANGE_TEXT_CHARACTERS_MAX, INTEGER_TEXT_CHARACTERS_MAX } from './limits/process.js';
import { EXCHANGE_END_AGAIN_MS } from './limits/trading.js';
import type { Candle, CandleInterval, FundingRate } from './market-feed.js';
import type { Side } from './order.js';
import type { PositionState } from './position.js';
import type { Amount, Lots } from './quantity.js';
import { quarantineDetail } from './quarantine.js';
import { type Rejection, REJECTION_CODES } from './rejection.js';
import type { DurationMs, EpochMs } from './time.js';
import type { AccountRef, ChildRef, ChildSubmission, QueryRejectedReport } from './venue-message.js';
/** One order of an account in the state that its exchange reports. */
export interface ListedOrder extends Omit<
  ChildSubmission,
  'account' | 'venue' | 'selfTradePrevention' | 'requestClass'
> {
  readonly state: 'OPEN' | 'FILLED' | 'CANCELLED';
  readonly venueOrderId: VenueOrderId;
  /** Traded quantity in total. */
  readonly filled: Lots;
  readonly changedAtMs: EpochMs;
}

/** How far the order history of an exchange reaches back. */
interface OrderHistory {
  /** The exchange knows every order that was placed at or after this time. 0: it forgets no order. */
  readonly knownSinceMs: EpochMs;
}

/** A page of an account's orders, in no defined order. Orders that the exchange refused are not included. */
export interface OrdersReport extends AccountRef, OrderHistory {
  readonly kind: 'Orders';
  readonly atMs: EpochMs;
  readonly orders: readonly ListedOrder[];
  /** Start of the next page; '': there is none. */
  readonly next: string;
}

export type OrderStatusAnswer =
  /** The exchange does not know the client id: the child never arrived, or it ended before the history begins. */
  | ({ readonly state: 'UNKNOWN' } & OrderHistory)
  /** The exchange has shown the order, and denies it in each look since this time. It may have traded. */
  | { readonly state: 'DENIED'; readonly venueOrderId: VenueOrderId; readonly deniedSinceMs: EpochMs }
  | { readonly state: 'OPEN'; readonly venueOrderId: VenueOrderId }
  | { readonly state: 'FILLED'; readonly venueOrderId: VenueOrderId }
  | { readonly state: 'CANCELLED'; readonly venueOrderId: VenueOrderId; readonly cause: Rejection | null }
  | { readonly state: 'REJECTED'; readonly rejection: Rejection };

/** One normalised execution report on a child. */
export type ExecutionReport = ChildRef & { readonly atMs: EpochMs } & (
    | { readonly kind: 'Accepted'; readonly venueOrderId: VenueOrderId }
    | { readonly kind: 'Rejected'; readonly rejection: Rejection }
    /** `side` and `instrument` as the venue stated them; absent: the venue stated none. */
    | {
        readonly kind: 'Filled';
        readonly fill: Fill;
        readonly side?: Side;
        readonly instrument?: InstrumentIndex;
      }
    /**
     * The child ended with leaves. cause is null when we requested the cancel or an IOC found no more liquidity.
     * `filled` is the total traded quantity of the child: a recipient with a smaller sum has missed a fill.
     */
    | {
        readonly kind: 'Cancelled';
        readonly venueOrderId: VenueOrderId;
        readonly cause: Rejection | null;
        readonly filled: Lots;
      }
    | { readonly kind: 'CancelRejected'; readonly rejection: Rejection }
    /** Comes after all fills were sent again; `filled` is their sum. */
    | { readonly kind: 'StatusAnswered'; readonly answer: OrderStatusAnswer; readonly filled: Lots }
    /** The exchange sent something about the child that no field of the model can represent. */
    | { readonly kind: 'Unreadable'; readonly detail: string }
  );

/**
 * Why a child ended although its order is filled: an exchange makes a reduce-only order smaller when it is larger than
 * the position.
 */
export function shrunkenOrder(): Rejection {
  const message = 'REDUCE_ONLY: the exchange has made the order smaller than the child, and has filled all of it';
  return { code: 'EXCHANGE_ERROR', message, retryAfterMs: EXCHANGE_END_AGAIN_MS as DurationMs };
}

export interface AssetBalance {
  readonly asset: string;
  readonly total: Amount;
  readonly free: Amount;
}

/** Balances of an account: all of them when `isSnapshot`, else the changed ones. `version` grows with every change. */
export interface FundsReport extends AccountRef {
  readonly kind: 'Funds';
  readonly atMs: EpochMs;
  readonly isSnapshot: boolean;
  readonly version: number;
  readonly balances: readonly AssetBalance[];
  /** The order whose report caused the change; null for a snapshot, or for a change without an order. */
  readonly causedBy: OrderId | null;
}

/** The request about the child is throttled: it is not sent yet, and not lost. */
export interface ThrottledReport extends ChildRef {
  readonly kind: 'Throttled';
  readonly atMs: EpochMs;
}

/**
 * Positions of an account: all open ones when `isSnapshot`, else the changed ones. `version` is that of the balances.
 */
export interface PositionsReport extends AccountRef {
  readonly kind: 'Positions';
  readonly atMs: EpochMs;
  readonly isSnapshot: boolean;
  readonly version: number;
  readonly positions: readonly PositionState[];
}

/** The last candle is the running one when `toMs` of the request is at or before `atMs`. */
export interface CandlesReport extends AccountRef {
  readonly kind: 'Candles';
  readonly atMs: EpochMs;
  readonly instrument: InstrumentIndex;
  readonly interval: CandleInterval;
  readonly candles: readonly Candle[];
}

export interface FundingRatesReport extends AccountRef {
  readonly kind: 'FundingRates';
  readonly atMs: EpochMs;
  readonly instrument: InstrumentIndex;
  readonly rates: readonly FundingRate[];
}

export type MarketReport = CandlesReport | FundingRatesReport;

/** Reports about an account. */
export type AccountReport = FundsReport | PositionsReport | QueryRejectedReport;

/**
 * The connection of one account, or of all, to a venue was lost or is back. Reports of the time between may be missing,
 * so shards with orders of the account at the venue request their status.
 */
export interface LinkReport {
  readonly kind: 'Link';
  readonly venue: Venue;
  /** null: all accounts. */
  readonly account: AccountId | null;
  readonly isUp: boolean;
  readonly atMs: EpochMs;
}

/** Venue → shard (and account and market reports → main thread). */
export type VenueReport = ExecutionReport | ThrottledReport | AccountReport | OrdersReport | MarketReport | LinkReport;

const CODES: ReadonlySet<unknown> = new Set(REJECTION_CODES);
const SIDES: ReadonlySet<unknown> = new Set(['BUY', 'SELL']);
const LIQUIDITIES: ReadonlySet<unknown> = new Set(['MAKER', 'TAKER']);
const ANSWERS: ReadonlySet<unknown> = new Set(['UNKNOWN', 'DENIED', 'OPEN', 'FILLED', 'CANCELLED', 'REJECTED']);
/** With the u flag a surrogate of a valid pair does not match: only a lone one does. */
const LONE_SURROGATES = /\p{Surrogate}/gu;
/** The text of a sum of several such fees with a sign fits in INTEGER_TEXT_CHARACTERS_MAX. */
const FEE_LIMIT = 10n ** BigInt(INTEGER_TEXT_CHARACTERS_MAX - 3);

/**
 * Names the first member of a report that the journal cannot store, with its value; null: it can store all of them.
 * Does not check numbers, nor rejections: `exchangeReason` makes those storable.
 */
export function unreadableMember(report: ExecutionReport): string | null {
  switch (report.kind) {
    case 'Filled': {
      const { liquidity, fee, feeCurrency, venueOrderId, exchangeTradeId } = report.fill;
      if (report.side !== undefined && !SIDES.has(report.side)) return said('side', report.side);
      if (!LIQUIDITIES.has(liquidity)) return said('liquidity', liquidity);
      if (typeof fee !== 'bigint' || fee >= FEE_LIMIT || fee <= -FEE_LIMIT) return said('fee', fee);
      if (!isText(feeCurrency)) return said('feeCurrency', feeCurrency);
      return isText(exchangeTradeId) ? ofVenueOrderId(venueOrderId) : said('exchangeTradeId', exchangeTradeId);
    }
    case 'Accepted':
    case 'Cancelled':
      return ofVenueOrderId(report.venueOrderId);
    case 'StatusAnswered': {
      const { answer } = report;
      if (!ANSWERS.has(answer.state)) return said('state', answer.state);
      return 'venueOrderId' in answer ? ofVenueOrderId(answer.venueOrderId) : null;
    }
    case 'Rejected':
    case 'CancelRejected':
    case 'Unreadable':
      return null;
    default:
      return said('kind', (report satisfies never as ExecutionReport).kind);
  }
}

/** The reason why a report is unreadable, with the whole report, so that an operator can act. */
export function unreadableDetail(report: object, member: string): string {
  return quarantineDetail(`${member} in ${reportText(report)}`);
}

/** The whole report as text. */
export function reportText(report: object): string {
  return JSON.stringify(report, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/**
 * The reason in a form that the journal can store. A code outside the contract becomes EXCHANGE_ERROR, with the code in
 * the message. A message has at most EXCHANGE_TEXT_CHARACTERS_MAX. An invalid waiting time is dropped. Usually returns
 * the same object.
 */
export function exchangeReason(rejection: Rejection): Rejection {
  const { code, message, retryAfterMs } = rejection;
  const isKnown = CODES.has(code);
  const isWaitUsable = retryAfterMs === undefined || (Number.isFinite(retryAfterMs) && retryAfterMs >= 0);
  if (isKnown && isText(message) && isWaitUsable) return rejection;
  const parts: readonly unknown[] = isKnown ? [message] : [code, message];
  const text = parts.join(': ');
  const readable: Rejection = {
    code: isKnown ? code : 'EXCHANGE_ERROR',
    message: text.slice(0, EXCHANGE_TEXT_CHARACTERS_MAX).replace(LONE_SURROGATES, '\ufffd'),
  };
  return retryAfterMs !== undefined && isWaitUsable ? { ...readable, retryAfterMs } : readable;
}

/** The report with reasons that the journal can store. Usually the same object. */
export function withReadableReason(report: ExecutionReport): ExecutionReport {
  switch (report.kind) {
    case 'Rejected':
    case 'CancelRejected': {
      const rejection = exchangeReason(report.rejection);
      return rejection === report.rejection ? report : { ...report, rejection };
    }
    case 'Cancelled': {
      const cause = report.cause && exchangeReason(report.cause);
      return cause === report.cause ? report : { ...report, cause };
    }
    case 'StatusAnswered': {
      const answer = withReadableAnswer(report.answer);
      return answer === report.answer ? report : { ...report, answer };
    }
    case 'Accepted':
    case 'Filled':
    case 'Unreadable':
      return report;
    default:
      return report satisfies never;
  }
}

function withReadableAnswer(answer: OrderStatusAnswer): OrderStatusAnswer {
  if (answer.state === 'REJECTED') {
    const rejection = exchangeReason(answer.rejection);
    return rejection === answer.rejection ? answer : { ...answer, rejection };
  }
  if (answer.state !== 'CANCELLED' || answer.cause === null) return answer;
  const cause = exchangeReason(answer.cause);
  return cause === answer.cause ? answer : { ...answer, cause };
}

function ofVenueOrderId(id: unknown): string | null {
  return isText(id) ? null : said('venueOrderId', id);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= EXCHANGE_TEXT_CHARACTERS_MAX && value.search(LONE_SURROGATES) < 0;
}

function said(member: string, value: unknown): string {
  return `${member} ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`;
}
