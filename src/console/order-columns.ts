import { sideCell, statusCell, type Cell, type Column } from './cell.js';
import { basisPointsText, clockText, instantText, percentText, priceText, quantityText, spanText } from './figures.js';
import type { KnownOrder } from './order-board.js';
import { costBps } from './order-origin.js';
import { isOver, isQuarantined, progressOf } from './order-row.js';

/** Costs beyond this stand out. */
const COST_BPS_WARNING = 10;

/** The columns of the order table, as things stand at an instant of service time. */
export function orderColumns(nowMs: () => number): readonly Column<KnownOrder>[] {
  return [
    { title: 'Order', cell: nameCell, rank: ({ row }) => row.orderId },
    { title: 'Status', cell: ({ row }) => outcomeCell(row), rank: ({ row }) => row.status },
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

function nameCell({ row }: KnownOrder): Cell {
  const text = String(row.orderId);
  return row.clientOrderId === null ? { text } : { text, note: row.clientOrderId, hint: row.clientOrderId };
}

function outcomeCell(row: KnownOrder['row']): Cell {
  const { status, errorCode, message, quarantine } = row;
  if (isQuarantined(row)) {
    const note = `${status.replaceAll('_', ' ')}, ${quarantine}`;
    return { text: 'QUARANTINED', tone: 'bad', isBadge: true, note, hint: note };
  }
  const note = [errorCode, message].filter((part) => part !== null).join(': ');
  return note === '' ? statusCell(status) : { ...statusCell(status), note, hint: note };
}

function instrumentCell({ row }: KnownOrder): Cell {
  const cell = { ...sideCell(row.side), text: `${row.side} ${row.symbol}` };
  return row.assetClass === 'FUTURE' ? { ...cell, note: 'future' } : cell;
}

function venueCell({ row }: KnownOrder): Cell {
  return { text: row.venues.join(' + '), note: row.strategy };
}

function filledCell({ row }: KnownOrder): Cell {
  const share = progressOf(row);
  const text = `${quantityText(row.filled)} / ${quantityText(row.quantity)}`;
  return { text, note: percentText(share), share };
}

function averageCell({ row, origin }: KnownOrder): Cell {
  const arrival = origin.arrivalPrice === null ? {} : { note: `arrival ${priceText(origin.arrivalPrice)}` };
  return row.averagePrice > 0
    ? { text: priceText(row.averagePrice), hint: String(row.averagePrice), ...arrival }
    : { text: '–', tone: 'quiet', ...arrival };
}

function costOf({ row, origin }: KnownOrder): number | null {
  return costBps(row.side, row.averagePrice, origin.arrivalPrice);
}

function costCell(order: KnownOrder): Cell {
  const bps = costOf(order);
  if (bps === null) return { text: '–', tone: 'quiet' };
  const hint = 'Average price against the arrival price; positive is cost.';
  const tone = bps > COST_BPS_WARNING ? 'bad' : bps <= 0 ? 'good' : 'plain';
  return { text: basisPointsText(bps), tone, hint };
}

function beginningOf({ row, origin }: KnownOrder): number {
  return origin.createdAtMs ?? row.startAtMs;
}

function ageCell(order: KnownOrder, nowMs: number): Cell {
  const beganAtMs = beginningOf(order);
  const untilMs = isOver(order.row) ? (order.row.endAtMs ?? nowMs) : nowMs;
  if (beganAtMs > untilMs) return { text: `starts in ${spanText(beganAtMs - untilMs)}`, tone: 'quiet' };
  return { text: spanText(untilMs - beganAtMs), hint: `since ${instantText(beganAtMs)}` };
}

function endCell({ row }: KnownOrder, nowMs: number): Cell {
  if (row.endAtMs === null) return { text: 'open end', tone: 'quiet' };
  const hint = instantText(row.endAtMs);
  if (isOver(row)) return { text: clockText(row.endAtMs), hint };
  const leftMs = row.endAtMs - nowMs;
  if (leftMs < 0) return { text: 'overdue', tone: 'bad', hint };
  return { text: `in ${spanText(leftMs)}`, note: clockText(row.endAtMs), hint };
}
