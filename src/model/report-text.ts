import { EXCHANGE_TEXT_CHARACTERS_MAX, INTEGER_TEXT_CHARACTERS_MAX } from './limits.js';
import { quarantineDetail } from './quarantine.js';
import { REJECTION_CODES, type Rejection } from './rejection.js';
import type { ExecutionReport, QueriedState } from './venue-message.js';

const CODES: ReadonlySet<unknown> = new Set(REJECTION_CODES);
const SIDES: ReadonlySet<unknown> = new Set(['BUY', 'SELL']);
const LIQUIDITIES: ReadonlySet<unknown> = new Set(['MAKER', 'TAKER']);
const ANSWERS: ReadonlySet<unknown> = new Set(['UNKNOWN', 'OPEN', 'FILLED', 'CANCELLED', 'REJECTED']);
/** With the u flag a surrogate that is half of a pair is no match: only a lone one is. */
const LONE_SURROGATES = /\p{Surrogate}/gu;
/** Its text, a sign and a sum of some such fees are within INTEGER_TEXT_CHARACTERS_MAX. */
const FEE_LIMIT = 10n ** BigInt(INTEGER_TEXT_CHARACTERS_MAX - 3);

/**
 * Names the first member of a report that the journal cannot hold, with its value; null: it can hold all of them.
 * Numbers are not looked at, nor rejections, which `exchangeReason` makes readable.
 */
export function unreadableMember(report: ExecutionReport): string | null {
  switch (report.kind) {
    case 'Filled': {
      const { liquidity, fee, feeCurrency, venueOrderId } = report.fill;
      if (report.side !== undefined && !SIDES.has(report.side)) return said('side', report.side);
      if (!LIQUIDITIES.has(liquidity)) return said('liquidity', liquidity);
      if (typeof fee !== 'bigint' || fee >= FEE_LIMIT || fee <= -FEE_LIMIT) return said('fee', fee);
      return isText(feeCurrency) ? ofVenueOrderId(venueOrderId) : said('feeCurrency', feeCurrency);
    }
    case 'Accepted':
    case 'Cancelled':
      return ofVenueOrderId(report.venueOrderId);
    case 'QueryAnswered': {
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

/** Why a report is unreadable, with all that it says: a person must be able to act on it. */
export function unreadableDetail(report: object, member: string): string {
  return quarantineDetail(`${member} in ${reportText(report)}`);
}

/** The whole report as text. */
export function reportText(report: object): string {
  return JSON.stringify(report, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

/**
 * The reason as the journal can hold it: of a code that is not in the contract EXCHANGE_ERROR, with the code in the
 * message; a message of at most EXCHANGE_TEXT_CHARACTERS_MAX; no waiting time that is not one. Usually the same object.
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

/** The report with reasons that the journal can hold. Usually the same object. */
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
    case 'QueryAnswered': {
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

function withReadableAnswer(answer: QueriedState): QueriedState {
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
