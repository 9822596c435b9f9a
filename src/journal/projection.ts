import { isOrderEvent, type EventEnvelope } from '../model/event.js';
import type { FeedMark } from '../model/feed.js';
import { isTerminal, type ParentOrder, type ParentState } from '../model/order.js';
import { encodeState } from '../wire/codec/index.js';
import { encodeObservation } from './observation-row.js';
import {
  accountOrderKey,
  accountTimeKey,
  clientIdKey,
  feedFrameKey,
  observationKey,
  orderKey,
  orderSeqKey,
  tradeKey,
} from './row-key.js';
import { encodeClientIdEntry, encodeNumber, PRESENT } from './row-value.js';
import type { StateTables } from './state-tables.js';

/** An event and where its entry lies in the journal. */
export interface PlacedEvent {
  readonly envelope: EventEnvelope;
  readonly marks: readonly FeedMark[];
  readonly position: number;
}

/**
 * Puts events and the states after them into the tables: the one way in, for a live turn and for replay, so that both
 * give the same bytes. In a transaction.
 */
export function project(tables: StateTables, events: readonly PlacedEvent[], states: Iterable<ParentState>): void {
  for (const event of events) putEvent(tables, event);
  for (const state of states) putState(tables, state);
}

function putEvent({ table }: StateTables, { envelope, marks, position }: PlacedEvent): void {
  const { event, orderId, account, venue, seq } = envelope;
  const place = encodeNumber(position);
  for (const { topic, n, venue: elsewhere } of marks) {
    table.feed.putSync(feedFrameKey(account, topic, elsewhere ?? venue, n), place);
  }
  if (event.kind === 'MarketObserved') {
    table.tape.putSync(observationKey(event.instrument, envelope.eventAtMs), encodeObservation(event, position));
  }
  // A balance names the order that caused it, but is none of that order's own events.
  if (orderId === null || !isOrderEvent(event)) return;
  table.by_order.putSync(orderSeqKey(orderId, seq), place);
  if (event.kind === 'ParentCreated') putIndices({ table }, event.order);
  if (event.kind === 'ChildFilled') table.trades.putSync(tradeKey(orderId, event.child, event.fill.tradeId), place);
}

function putIndices({ table }: Pick<StateTables, 'table'>, order: ParentOrder): void {
  const { account, orderId, clientOrderId, createdAtMs, requestDigest } = order;
  table.open.putSync(accountOrderKey(account, orderId), PRESENT);
  table.by_time.putSync(accountTimeKey(account, createdAtMs, orderId), PRESENT);
  if (clientOrderId === null) return;
  table.by_client_id.putSync(clientIdKey(account, clientOrderId), encodeClientIdEntry({ orderId, requestDigest }));
}

function putState({ table }: StateTables, state: ParentState): void {
  const { orderId, account } = state.order;
  table.orders.putSync(orderKey(orderId), encodeState(state) as Buffer);
  if (isTerminal(state.status)) table.open.removeSync(accountOrderKey(account, orderId));
}
