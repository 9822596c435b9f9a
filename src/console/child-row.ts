import type { TimelineEntry } from '../client/wire.js';
import { sideCell, statusCell, type Cell, type Column } from './cell.js';
import { clockText, instantText, priceText, quantityText } from './figures.js';

/** One child order, folded from its parent's timeline. */
export interface ChildRow {
  readonly id: string;
  readonly submittedAtMs: number;
  readonly side: string;
  readonly quantity: number;
  /** null: at the market. */
  readonly price: number | null;
  /** For example LIMIT IOC. */
  readonly kind: string;
  /** Why the strategy placed it. */
  readonly reason: string;
  readonly detail: string;
  readonly status: string;
  readonly filled: number;
  /** What was wrong with it, when something was. */
  readonly trouble: string | null;
}

/** Takes further entries in; the children are kept by their id, oldest first. */
export function foldChildren(children: Map<string, ChildRow>, entries: readonly TimelineEntry[]): void {
  for (const entry of entries) {
    const { child_order_id: id } = entry;
    if (id === undefined) continue;
    const known = entry.event === 'ChildSubmitted' ? submitted(id, entry) : children.get(id);
    if (known === undefined) continue;
    const trouble = [entry.error_code, entry.message].filter((part) => part !== undefined).join(': ');
    children.set(id, {
      ...known,
      status: entry.child_status ?? known.status,
      filled: entry.child_filled_quantity ?? known.filled,
      trouble: trouble === '' ? known.trouble : trouble,
    });
  }
}

function submitted(id: string, entry: TimelineEntry): ChildRow {
  return {
    id,
    submittedAtMs: entry.time,
    side: entry.side ?? '',
    quantity: entry.quantity ?? 0,
    price: entry.price ?? null,
    kind: [entry.order_type, entry.tif, entry.post_only === true ? 'post-only' : ''].filter(Boolean).join(' '),
    reason: entry.reason ?? '',
    detail: entry.detail ?? '',
    status: entry.child_status ?? 'PENDING_NEW',
    filled: 0,
    trouble: null,
  };
}

export const CHILD_COLUMNS: readonly Column<ChildRow>[] = [
  { title: 'Child', cell: ({ id }) => ({ text: shortId(id), hint: id }) },
  { title: 'Sent', cell: ({ submittedAtMs: at }) => ({ text: clockText(at), hint: instantText(at) }) },
  { title: 'Status', cell: standingCell },
  { title: 'Side', cell: ({ side }) => sideCell(side) },
  { title: 'Filled', cell: filledCell, isNumber: true },
  { title: 'Price', cell: priceCell, isNumber: true },
  { title: 'Why', cell: ({ reason, detail }) => ({ text: reason, hint: detail }) },
];

/** The number of a child within its parent. */
export function shortId(childOrderId: string): string {
  return `#${childOrderId.slice(childOrderId.lastIndexOf('-') + 1)}`;
}

function priceCell({ price, kind }: ChildRow): Cell {
  return { text: price === null ? 'market' : priceText(price), note: kind };
}

function standingCell({ status, trouble }: ChildRow): Cell {
  return trouble === null ? statusCell(status) : { ...statusCell(status), note: trouble, hint: trouble };
}

function filledCell({ filled, quantity }: ChildRow): Cell {
  return { text: `${quantityText(filled)} / ${quantityText(quantity)}`, share: quantity > 0 ? filled / quantity : 0 };
}
