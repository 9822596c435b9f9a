import { type FoldableEvent, isOrderEvent } from '../../domain/event.js';
import type { OrderId } from '../../domain/ids.js';
import { isTerminal, type ParentOrder } from '../../domain/order.js';
import type { ParentState } from '../../domain/order-state.js';
import { encodeState } from '../../wire/codec/state.js';
import { encodeOrderRow, type LatestPlaces } from './order-row.js';
import {
  accountTimeKey,
  clientIdKey,
  encodeClientIdEntry,
  encodeNumber,
  encodeObservation,
  observationKey,
  orderKey,
  orderSeqKey,
  PRESENT,
  reusedMemory,
  tradeKey,
} from './rows.js';
import type { StateTables } from './state-tables.js';

const keyMemory = reusedMemory();
const valueMemory = reusedMemory();

/** An order while its events are folded. */
export interface FoldedOrder {
  /** null: before the first event. */
  state: ParentState | null;
  /** null: the order has new terms, and must be encoded. */
  encodedOrder: Uint8Array | null;
  readonly places: LatestPlaces;
  /** The list that has the order. null: the order is not stored yet. */
  list: 'open' | 'ended' | null;
}

/** Puts an event, except for its frames and its order. Call in a transaction. */
export function putEvent({ table }: StateTables, envelope: FoldableEvent, position: number): void {
  const { event, orderId } = envelope;
  if (event.kind === 'MarketObserved') {
    const key = observationKey(event.instrument, envelope.eventAtMs, keyMemory);
    table.quotes.putSync(key, encodeObservation(event, position, valueMemory));
  }
  // A balance names the order that caused it, but it is no event of that order.
  if (orderId === null || !isOrderEvent(event)) return;
  if (event.kind === 'ParentCreated') putClientId({ table }, event.order);
  if (event.kind === 'ChildFilled') {
    const key = tradeKey(orderId, event.child, event.fill.tradeId, keyMemory);
    table.trades.putSync(key, encodeNumber(position, valueMemory));
  }
}

function putClientId({ table }: Pick<StateTables, 'table'>, order: ParentOrder): void {
  const { account, orderId, clientOrderId, requestDigest } = order;
  if (clientOrderId === null) return;
  const value = encodeClientIdEntry({ orderId, requestDigest }, valueMemory);
  table.by_client_id.putSync(clientIdKey(account, clientOrderId, keyMemory), value);
}

/** Moves the places of an order's latest events into a row of their own. Call in a transaction. */
export function putPlaces({ table }: StateTables, orderId: OrderId, places: LatestPlaces): void {
  table.by_order.putSync(orderSeqKey(orderId, places.firstSeq, keyMemory), places.encoded());
  places.clear();
}

/** Puts an order after the events of a transaction, and moves it to the list of its status. */
export function putOrder({ table }: StateTables, folded: FoldedOrder): void {
  const { encodedOrder, places, list } = folded;
  const state = folded.state!;
  const { orderId, account, createdAtMs } = state.order;
  table.orders.putSync(orderKey(orderId, keyMemory), encodeOrderRow(places, encodeState(state, encodedOrder)));
  folded.list = isTerminal(state.status) ? 'ended' : 'open';
  if (list === folded.list) return;
  const key = accountTimeKey(account, createdAtMs, orderId, keyMemory);
  if (list !== null) table[list].removeSync(key);
  table[folded.list].putSync(key, PRESENT);
}
