import { type OrderStatus, TRADING_EXCHANGES } from '../../client/wire.js';
import { type OrderRow, isOver, isQuarantined, needsAttention } from './order-row.js';

export const BOARD_VIEWS = ['open', 'quarantined', 'attention', 'ended'] as const;
export type BoardView = (typeof BOARD_VIEWS)[number];

/** Which orders the list shows. Conditions hold together; an empty text and null hold for every order. */
export interface OrderFilter {
  /** Of any leg. */
  readonly exchange: string;
  /** Of any leg. */
  readonly side: string;
  readonly status: string;
  /** First instant of the creation, service time. */
  readonly fromMs: number | null;
  /** Last instant of the creation, service time. */
  readonly toMs: number | null;
  /** Each word must occur in a text of the order; any letter case. */
  readonly text: string;
}

export const NO_FILTER: OrderFilter = { exchange: '', side: '', status: '', fromMs: null, toMs: null, text: '' };

/** The statuses in which an order rests. The compiler reports one that is missing. */
const RESTING: Readonly<Record<Exclude<OrderStatus, 'CANCEL_REJECTED'>, true>> = {
  PENDING_NEW: true,
  ACCEPTED: true,
  PARTIALLY_FILLED: true,
  PENDING_PAUSE: true,
  PAUSED: true,
  PENDING_UNPAUSE: true,
  PENDING_CANCEL: true,
  FILLED: true,
  CANCELLED: true,
  REJECTED: true,
  EXPIRED: true,
};

/** The conditions with a choice of values. */
export const FILTER_CHOICES = {
  exchange: TRADING_EXCHANGES,
  side: ['BUY', 'SELL'],
  status: Object.keys(RESTING),
} as const;

const VIEW_TESTS: Readonly<Record<BoardView, (row: OrderRow) => boolean>> = {
  open: (row) => !isOver(row),
  quarantined: isQuarantined,
  attention: needsAttention,
  ended: isOver,
};
const MINUTE_MS = 60_000;

export function isInView(view: BoardView, row: OrderRow): boolean {
  return VIEW_TESTS[view](row);
}

/** True when the filter hides some orders. */
export function isFiltering(filter: OrderFilter): boolean {
  return (Object.keys(NO_FILTER) as (keyof OrderFilter)[]).some((name) => filter[name] !== NO_FILTER[name]);
}

/** The test of a filter, for many rows. */
export function matcherOf({ exchange, side, status, fromMs, toMs, text }: OrderFilter): (row: OrderRow) => boolean {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return (row) =>
    (exchange === '' || row.venues.includes(exchange)) &&
    (side === '' || row.parts.some((part) => part.side === side)) &&
    (status === '' || row.status === status) &&
    (fromMs === null || row.createdAtMs >= fromMs) &&
    (toMs === null || row.createdAtMs <= toMs) &&
    (words.length === 0 || mentions(row, words));
}

/** The list as the fragment of an address, such as `view=ended&exchange=OKX&from=2027-01-15T08:00Z`. */
export function fragmentOf(view: BoardView, { fromMs, toMs, text, ...choices }: OrderFilter): string {
  const values = { view: view === 'open' ? '' : view, ...choices, from: utcText(fromMs), to: utcText(toMs), text };
  const named = Object.entries(values).filter(([, value]) => value !== '');
  return new URLSearchParams(named).toString().replaceAll('%3A', ':');
}

/** The list of a fragment, with or without `#`. Unknown names and values have no effect. */
export function listOf(fragment: string): { readonly view: BoardView; readonly filter: OrderFilter } {
  const values = new URLSearchParams(fragment.replace(/^#/, ''));
  const view = BOARD_VIEWS.find((name) => name === values.get('view')) ?? 'open';
  const choice = (name: keyof typeof FILTER_CHOICES): string =>
    FILTER_CHOICES[name].find((value) => value === values.get(name)) ?? '';
  const [fromMs, lastMs] = [utcMs(values.get('from')), utcMs(values.get('to'))];
  const filter = {
    exchange: choice('exchange'),
    side: choice('side'),
    status: choice('status'),
    fromMs,
    toMs: lastMs === null ? null : lastMs + MINUTE_MS - 1,
    text: values.get('text') ?? '',
  };
  return { view, filter };
}

/** A field of local time, such as 2027-01-15T09:00; '' for null. */
export function localMinute(atMs: number | null): string {
  if (atMs === null) return '';
  return new Date(atMs - new Date(atMs).getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** The first or the last instant of a minute in local time; null without a time. */
export function instantOf(localText: string, bound: 'first' | 'last'): number | null {
  const atMs = localText === '' ? Number.NaN : new Date(localText).getTime();
  if (Number.isNaN(atMs)) return null;
  return bound === 'first' ? atMs : atMs + MINUTE_MS - 1;
}

function mentions(row: OrderRow, lowerWords: readonly string[]): boolean {
  const { orderId, clientOrderId, status, strategy, side, symbol, venues, message, errorCode } = row;
  const text = [orderId, clientOrderId, status, strategy, side, symbol, ...venues, message, errorCode]
    .join(' ')
    .toLowerCase();
  return lowerWords.every((word) => text.includes(word));
}

/** The minute of an instant. */
function utcText(atMs: number | null): string {
  return atMs === null ? '' : `${new Date(atMs).toISOString().slice(0, 16)}Z`;
}

function utcMs(text: string | null): number | null {
  const atMs = text === null || !/^\d{4}-\d\d-\d\dT\d\d:\d\dZ$/.test(text) ? Number.NaN : Date.parse(text);
  return Number.isNaN(atMs) ? null : atMs;
}
