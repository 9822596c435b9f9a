import type { Balance, Position, TimelineEntry } from '../../client/wire.js';
import { markOf, type ModeMark } from '../live-mode.js';
import * as figures from './figures.js';
import { decimalText, instantText, priceText } from './figures.js';
import type { ChildProgress } from '../order/order-history.js';
import { costBps, isOver, isQuarantined, progressOf, type KnownOrder } from '../order/order-row.js';

/** Weight of a text: important texts stand out. */
export type Tone = 'plain' | 'quiet' | 'good' | 'warning' | 'bad';

/** The content of one table cell: text only, never markup. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
  /** A second, smaller line. */
  readonly note?: string;
  /** Shown while the pointer rests on the cell. */
  readonly hint?: string;
  /** Shown as a word in a frame. */
  readonly isBadge?: boolean;
  /** A word in a frame before the text. */
  readonly mark?: ModeMark;
  /** 0 to 1, drawn as a bar below the text. */
  readonly share?: number;
}

export interface TableColumn<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Cell;
  readonly isNumber?: boolean;
  /** Takes the width that the other columns leave; its text wraps. */
  readonly isWide?: boolean;
  /** Sort key; a column with one can be sorted. */
  readonly rank?: (row: Row) => number | string;
}

/** Costs above this stand out. */
const COST_BPS_WARNING = 10;
/** A liquidation price within this share of the mark price stands out. */
const LIQUIDATION_DISTANCE_WARNING = 0.1;
const NONE: Cell = { text: '–', tone: 'quiet' };

const STATUS_TONES: Readonly<Record<string, Tone>> = {
  REJECTED: 'bad',
  EXPIRED: 'warning',
  CANCELLED: 'quiet',
  PENDING_CANCEL: 'warning',
  PENDING_PAUSE: 'warning',
  PAUSED: 'warning',
  PENDING_UNPAUSE: 'warning',
  FILLED: 'good',
  PARTIALLY_FILLED: 'good',
};

const EVENT_TONES: Readonly<Record<string, Tone>> = {
  ParentRejected: 'bad',
  ParentExpired: 'warning',
  ParentCancelled: 'warning',
  ParentPaused: 'warning',
  ChildFilled: 'good',
  ChildRejected: 'bad',
  ChildUnknown: 'warning',
  ChildNeverPlaced: 'warning',
  ChildSettled: 'warning',
  ChildCancelRefused: 'warning',
  StrategyNoted: 'quiet',
};

/** A status as a badge. */
export function statusCell(status: string): Cell {
  return { text: status.replaceAll('_', ' '), tone: STATUS_TONES[status] ?? 'plain', isBadge: true };
}

/** Number of a child within its parent. */
export function shortId(childOrderId: string): string {
  return `#${childOrderId.slice(childOrderId.lastIndexOf('-') + 1)}`;
}

/** The columns of the order table at an instant of service time. */
export function orderColumns(nowMs: () => number): readonly TableColumn<KnownOrder>[] {
  return [
    { title: 'Order', cell: nameCell, rank: ({ row }) => row.orderId },
    { title: 'Status', cell: outcomeCell, rank: ({ row }) => row.status, isWide: true },
    { title: 'Instrument', cell: instrumentCell, rank: ({ row }) => row.symbol },
    { title: 'Venue', cell: venueCell, rank: ({ row }) => row.venues.join() },
    { title: 'Filled', cell: filledCell, isNumber: true, rank: ({ row }) => progressOf(row) },
    { title: 'Average', cell: averageCell, isNumber: true, rank: ({ row }) => row.averagePrice },
    { title: 'vs arrival', cell: costCell, isNumber: true, rank: (order) => costOf(order) ?? -Infinity },
    { title: 'Age', cell: (order) => ageCell(order, nowMs()), isNumber: true, rank: beginningOf },
    {
      title: 'End',
      cell: (order) => endCell(order, nowMs()),
      isNumber: true,
      rank: ({ row }) => row.endAtMs ?? Infinity,
    },
  ];
}

export const CHILD_COLUMNS: readonly TableColumn<ChildProgress>[] = [
  { title: 'Child', cell: ({ id }) => ({ text: shortId(id), hint: id }) },
  { title: 'Sent', cell: ({ submittedAtMs: at }) => ({ text: figures.clockText(at), hint: instantText(at) }) },
  { title: 'Status', cell: childStatusCell },
  { title: 'Side', cell: ({ side }) => sideCell(side) },
  {
    title: 'Filled',
    cell: ({ filled, quantity }) => ({ ...filledOf(filled, quantity), share: quantity > 0 ? filled / quantity : 0 }),
    isNumber: true,
  },
  {
    title: 'Price',
    cell: ({ price, kind }) => ({ text: price === null ? 'market' : decimalText(price), note: kind }),
    isNumber: true,
  },
  { title: 'Why', cell: ({ reason, detail }) => ({ text: reason, note: detail }), isWide: true },
];

export const TIMELINE_COLUMNS: readonly TableColumn<TimelineEntry>[] = [
  { title: 'Time', cell: ({ time }) => ({ text: figures.exactClockText(time), hint: instantText(time) }) },
  { title: 'Event', cell: eventCell },
  {
    title: 'Child',
    cell: ({ child_order_id: id }) => (id === undefined ? { text: '' } : { text: shortId(id), hint: id }),
  },
  {
    title: 'Quantity',
    cell: ({ quantity }) => ({ text: quantity === undefined ? '' : decimalText(quantity) }),
    isNumber: true,
  },
  { title: 'Price', cell: entryPriceCell, isNumber: true },
  { title: 'Why', cell: whyCell, isWide: true },
];

export const BALANCE_COLUMNS: readonly TableColumn<Balance>[] = [
  { title: 'Asset', cell: ({ symbol }) => ({ text: symbol }) },
  { title: 'Total', cell: ({ balance }) => ({ text: decimalText(balance) }), isNumber: true },
  { title: 'Free', cell: ({ free }) => ({ text: decimalText(free) }), isNumber: true },
  { title: 'Locked', cell: lockedCell, isNumber: true },
];

export const POSITION_COLUMNS: readonly TableColumn<Position>[] = [
  {
    title: 'Symbol',
    cell: ({ symbol, marginMode, leverage }) => ({ text: symbol, note: `${marginMode.toLowerCase()} ${leverage}×` }),
  },
  { title: 'Side', cell: ({ side }) => ({ text: side, tone: side === 'SHORT' ? 'bad' : 'good' }) },
  {
    title: 'Contracts',
    cell: ({ contracts, notional }) => ({
      text: decimalText(contracts),
      note: `worth ${figures.moneyText(notional)}`,
    }),
    isNumber: true,
  },
  { title: 'Entry', cell: ({ entryPrice }) => ({ text: priceText(entryPrice) }), isNumber: true },
  { title: 'Mark', cell: ({ markPrice }) => ({ text: priceText(markPrice) }), isNumber: true },
  {
    title: 'Unrealised',
    cell: ({ unrealizedPnl: pnl }) => ({ text: figures.moneyText(pnl), tone: pnl < 0 ? 'bad' : 'good' }),
    isNumber: true,
  },
  { title: 'Liquidation', cell: liquidationCell, isNumber: true },
];

function sideCell(side: string): Cell {
  return { text: side, tone: side === 'SELL' ? 'bad' : 'good' };
}

function filledOf(filled: number, quantity: number): Cell {
  return { text: `${decimalText(filled)} / ${decimalText(quantity)}` };
}

function nameCell({ row }: KnownOrder): Cell {
  const text = String(row.orderId);
  return row.clientOrderId === null ? { text } : { text, note: row.clientOrderId };
}

function outcomeCell({ row }: KnownOrder): Cell {
  const { status, errorCode, message, quarantine } = row;
  if (isQuarantined(row)) {
    const note = `${status.replaceAll('_', ' ')}, ${quarantine}`;
    return { text: 'QUARANTINED', tone: 'bad', isBadge: true, note };
  }
  const note = [errorCode, message].filter((part) => part !== null).join(': ');
  return note === '' ? statusCell(status) : { ...statusCell(status), note };
}

function instrumentCell({ row }: KnownOrder): Cell {
  const cell = { ...sideCell(row.side), text: `${row.side} ${row.symbol}` };
  return row.assetClass === 'FUTURE' ? { ...cell, note: 'future' } : cell;
}

function venueCell({ row }: KnownOrder): Cell {
  const cell = { text: row.venues.join(' + '), note: row.strategy };
  return row.liveMode === null ? cell : { ...cell, mark: markOf(row.liveMode) };
}

function filledCell({ row }: KnownOrder): Cell {
  const share = progressOf(row);
  return { ...filledOf(row.filled, row.quantity), note: figures.percentText(share), share };
}

function averageCell({ row, origin }: KnownOrder): Cell {
  const arrival = origin.arrivalPrice === null ? {} : { note: `arrival ${priceText(origin.arrivalPrice)}` };
  return row.averagePrice > 0
    ? { text: priceText(row.averagePrice), hint: decimalText(row.averagePrice), ...arrival }
    : { ...NONE, ...arrival };
}

function costOf({ row, origin }: KnownOrder): number | null {
  return costBps(row.side, row.averagePrice, origin.arrivalPrice);
}

function costCell(order: KnownOrder): Cell {
  const bps = costOf(order);
  if (bps === null) return NONE;
  const hint = 'Average price against the arrival price; positive is cost.';
  const tone = bps > COST_BPS_WARNING ? 'bad' : bps <= 0 ? 'good' : 'plain';
  return { text: figures.basisPointsText(bps), tone, hint };
}

function beginningOf({ row, origin }: KnownOrder): number {
  return origin.createdAtMs ?? row.startAtMs;
}

function ageCell(order: KnownOrder, nowMs: number): Cell {
  const beganAtMs = beginningOf(order);
  const hasEnded = isOver(order.row);
  const untilMs = hasEnded ? (order.row.endAtMs ?? nowMs) : nowMs;
  if (!hasEnded && beganAtMs > untilMs)
    return { text: `starts in ${figures.spanText(beganAtMs - untilMs)}`, tone: 'quiet' };
  return { text: figures.spanText(untilMs - beganAtMs), hint: `since ${instantText(beganAtMs)}` };
}

function endCell({ row }: KnownOrder, nowMs: number): Cell {
  if (row.endAtMs === null) return { text: 'open end', tone: 'quiet' };
  const hint = instantText(row.endAtMs);
  const clock = figures.clockText(row.endAtMs);
  if (isOver(row)) return { text: clock, hint };
  const leftMs = row.endAtMs - nowMs;
  if (leftMs < 0) return { text: 'overdue', tone: 'bad', hint };
  return { text: `in ${figures.spanText(leftMs)}`, note: clock, hint };
}

function childStatusCell({ status, trouble }: ChildProgress): Cell {
  return trouble === null ? statusCell(status) : { ...statusCell(status), note: trouble };
}

function eventCell({ event, is_late: isLate }: TimelineEntry): Cell {
  const words = event.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return { text: isLate === true ? `${words}, late` : words, tone: EVENT_TONES[event] ?? 'plain' };
}

function entryPriceCell({ price, arrival_price: arrival }: TimelineEntry): Cell {
  if (arrival !== undefined) return { text: priceText(arrival), note: 'arrival' };
  return { text: price === undefined ? '' : decimalText(price) };
}

function whyCell({ reason, detail, error_code: code, message, taker_or_maker: liquidity }: TimelineEntry): Cell {
  const text = [reason, code, liquidity].filter((part) => part !== undefined).join(' ');
  const note = [figures.detailText(detail), message].filter((part) => part !== undefined && part !== '').join(' ');
  return note === '' ? { text } : { text, note, ...(code === undefined ? {} : { tone: 'bad' }) };
}

function lockedCell({ balance, free }: Balance): Cell {
  const share = balance > 0 ? Math.max(0, 1 - free / balance) : 0;
  return share > 0 ? { text: decimalText(figures.difference(balance, free)), share } : NONE;
}

function liquidationCell({ liquidationPrice, markPrice }: Position): Cell {
  if (liquidationPrice === 0) return { text: 'none', tone: 'quiet' };
  const distance = Math.abs(liquidationPrice - markPrice) / markPrice;
  return { text: priceText(liquidationPrice), tone: distance < LIQUIDATION_DISTANCE_WARNING ? 'bad' : 'plain' };
}
