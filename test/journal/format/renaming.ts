import type { AnyEvent } from '../../../src/domain/event.js';
import type { ClientOrderId } from '../../../src/domain/ids.js';
import type { ParentOrder } from '../../../src/domain/order.js';
import { encodeOrderRow, latestPlacesIn, stateIn } from '../../../src/journal/state/order-row.js';
import type { FormatStep, StoredRow } from '../../../src/storage/format/format-steps.js';
import { decodeEvent, encodeEvent } from '../../../src/wire/codec/envelope.js';
import { encodeState } from '../../../src/wire/codec/state.js';

/**
 * A step of a pretended later release: it gives every client order id a new prefix, in entries and in rows. So a
 * verification of upgraded data compares the lifted rows with a replay of the lifted entries. The rows of the other
 * stores are copied as they are.
 */
export function renaming(prefix: string): FormatStep {
  const renamed = (order: ParentOrder): ParentOrder =>
    order.clientOrderId === null
      ? order
      : { ...order, clientOrderId: `${prefix}${order.clientOrderId}` as ClientOrderId };
  const eventOf = (event: AnyEvent): AnyEvent =>
    'order' in event && 'legs' in event.order ? ({ ...event, order: renamed(event.order) } as AnyEvent) : event;
  const stateRow = (row: StoredRow): StoredRow => {
    if (row.table === 'orders') {
      const state = stateIn(row.value);
      const amendment = state.amendment === null ? null : renamed(state.amendment);
      const bytes = encodeState({ ...state, order: renamed(state.order), amendment });
      return { ...row, value: Buffer.from(encodeOrderRow(latestPlacesIn(row.value), bytes)) };
    }
    if (row.table !== 'by_client_id') return row;
    const accountEnd = 1 + row.key[0]!;
    const key = Buffer.concat([row.key.subarray(0, accountEnd), Buffer.from(prefix), row.key.subarray(accountEnd)]);
    return { ...row, key };
  };
  return {
    entry: (payload) => {
      const envelope = decodeEvent(payload);
      return encodeEvent({ ...envelope, event: eventOf(envelope.event) });
    },
    rows: {
      state: (row) => [stateRow(row)],
      identity: (row) => [row],
      venue: (row) => [row],
    },
  };
}
