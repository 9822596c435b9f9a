import { markOf } from '../live-mode.js';
import { type Cell, type CellLine, filledOf, NONE, sideCell, statusCell, type TableColumn } from '../view/columns.js';
import * as figures from '../view/figures.js';
import { decimalText, instantText, priceText } from '../view/figures.js';
import { costBps, isOver, isQuarantined, progressOf, type KnownOrder, type OrderPart } from './order-row.js';

/** Costs above this stand out. */
const COST_BPS_WARNING = 10;

/**
 * The columns of the order table at an instant of service time. A narrow page shows them in this order, one below
 * another.
 */
export function orderColumns(nowMs: () => number): readonly TableColumn<KnownOrder>[] {
  return [
    { title: 'Status', cell: outcomeCell, rank: ({ row }) => row.status, isWide: true },
    { title: 'Instrument', cell: instrumentCell, rank: ({ row }) => `${row.symbol} ${row.venues.join()}` },
    { title: 'Filled', cell: filledCell, isNumber: true, rank: ({ row }) => progressOf(row) },
    { title: 'Limit', cell: limitCell, isNumber: true, rank: ({ row }) => row.limitPrice ?? -Infinity },
    { title: 'Average', cell: averageCell, isNumber: true, rank: ({ row }) => row.averagePrice },
    { title: 'vs arrival', cell: costCell, isNumber: true, rank: (order) => costOf(order) ?? -Infinity },
    { title: 'Order', cell: nameCell, rank: ({ row }) => row.orderId },
    { title: 'Created', cell: (order) => createdCell(order, nowMs()), rank: ({ row }) => row.createdAtMs },
    {
      title: 'End',
      cell: (order) => endCell(order, nowMs()),
      isNumber: true,
      rank: ({ row }) => row.endAtMs ?? Infinity,
    },
  ];
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

/** One line for each leg. */
function instrumentCell({ row }: KnownOrder): Cell {
  const [first = NONE, ...more] = row.parts.map((part) => instrumentLine(part, row.strategy));
  const mark = row.liveMode === null ? {} : { mark: markOf(row.liveMode) };
  return { ...first, ...mark, ...(more.length === 0 ? {} : { more }) };
}

function instrumentLine({ side, symbol, exchange, assetClass }: OrderPart, strategy: string): CellLine {
  const note = [exchange, ...(assetClass === 'FUTURE' ? ['future'] : []), strategy].join(' · ');
  return { ...sideCell(side), text: `${side} ${symbol}`, note };
}

function filledCell({ row }: KnownOrder): Cell {
  const share = progressOf(row);
  return { ...filledOf(row.filled, row.quantity), note: figures.percentText(share), share };
}

function limitCell({ row: { limitPrice } }: KnownOrder): Cell {
  return limitPrice === null ? NONE : { text: decimalText(limitPrice) };
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

/** Local time, with the age of the order. */
function createdCell({ row }: KnownOrder, nowMs: number): Cell {
  const cell = { text: figures.localText(row.createdAtMs), hint: instantText(row.createdAtMs) };
  if (!isOver(row) && row.startAtMs > nowMs) {
    return { ...cell, note: `starts in ${figures.spanText(row.startAtMs - nowMs)}` };
  }
  const untilMs = isOver(row) ? (row.endAtMs ?? nowMs) : nowMs;
  return { ...cell, note: `age ${figures.spanText(untilMs - row.createdAtMs)}` };
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
