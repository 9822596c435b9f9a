import type { EventEnvelope } from '../model/event.js';
import type { OrderId } from '../model/ids.js';
import type { ParentOrder } from '../model/order.js';
import { integersAfter, lastInteger, orderKey } from './row-key.js';
import { decodeNumber } from './row-value.js';
import type { Table } from './state-tables.js';

/** One event of an order in the index. */
interface IndexedEvent {
  readonly seq: number;
  readonly position: number;
}

/**
 * Returns an order with the terms of an earlier revision; null when the event that set them is no longer kept.
 *
 * Every event says which revision holds after it, and revisions only grow. So the event that set one is found by
 * bisection: it reads some 15 events of an order that has 10,000, where a scan reads them all.
 */
export function formerTerms(
  byOrder: Table,
  read: (position: number) => EventEnvelope | null,
  orderId: OrderId,
  revision: number,
): ParentOrder | null {
  let found = lastEvent(byOrder, orderId, 0, Number.MAX_SAFE_INTEGER - 1);
  if (found === null) return null;
  // Events up to `low` have a smaller revision, or are no longer kept; `found` has at least the one that is wanted.
  let low = 0;
  while (found.seq - low > 1) {
    const middle = low + Math.floor((found.seq - low) / 2);
    const event = lastEvent(byOrder, orderId, low, middle);
    const parent = event === null ? null : (read(event.position)?.parent ?? null);
    if (event !== null && parent !== null && parent.revision >= revision) found = event;
    else low = middle;
  }
  const event = read(found.position)?.event;
  const order = event?.kind === 'ParentCreated' || event?.kind === 'ParentAmended' ? event.order : null;
  return order?.revision === revision ? order : null;
}

/** The latest event of the order with after < seq <= upTo. */
function lastEvent(byOrder: Table, orderId: OrderId, after: number, upTo: number): IndexedEvent | null {
  const { start, end } = integersAfter(orderKey(orderId), after + 1, upTo);
  // Backwards a range begins with its upper bound, which `end` is one past.
  const [row] = byOrder.getRange({
    start: end,
    end: start,
    inclusiveEnd: true,
    exclusiveStart: true,
    reverse: true,
    limit: 1,
  });
  return row === undefined ? null : { seq: lastInteger(row.key), position: decodeNumber(row.value) };
}
