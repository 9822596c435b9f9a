import type { Balance, Position, TimelineEntry } from '../../client/wire.js';
import type { ModeMark } from '../live-mode.js';
import * as figures from './figures.js';
import { decimalText, instantText, priceText, type Tone } from './figures.js';
import type { ChildProgress } from '../order/order-history.js';

/** A text with a second, smaller line. */
export interface CellLine {
  readonly text: string;
  readonly tone?: Tone;
  readonly note?: string;
}

/** The content of one table cell: text only, never markup. */
export interface Cell extends CellLine {
  /** Further lines, one for each further leg. */
  readonly more?: readonly CellLine[];
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

/** A liquidation price within this share of the mark price stands out. */
const LIQUIDATION_DISTANCE_WARNING = 0.1;
/** A cell without a value. */
export const NONE: Cell = { text: '–', tone: 'quiet' };

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

export function sideCell(side: string): Cell {
  return { text: side, tone: side === 'SELL' ? 'bad' : 'good' };
}

export function filledOf(filled: number, quantity: number): Cell {
  return { text: `${decimalText(filled)} / ${decimalText(quantity)}` };
}

function childStatusCell({ status, problem }: ChildProgress): Cell {
  return problem === null ? statusCell(status) : { ...statusCell(status), note: problem };
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
