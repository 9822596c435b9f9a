import type { StateReader, TradeIndexEntry } from '../journal/port.js';
import type { Venue } from '../domain/exchange.js';
import type { AccountId, OrderId } from '../domain/ids.js';
import { READ_INDEX_KEYS } from '../domain/limits/clients.js';
import type { ParentOrder } from '../domain/order.js';
import { tradesAt } from '../domain/order-legs.js';
import type { Rejection } from '../domain/rejection.js';
import type { DetailsWanted, OrderNames, ReadRequest } from '../domain/query.js';
import { quote } from '../api/field/json-text.js';
import { detailsText, tradeText } from '../api/order/order-details.js';
import { timelineEntryText } from '../api/order/timeline.js';

/**
 * The JSON text of an answer in pieces. Each piece costs one row: one state or event that is read, or at most
 * READ_INDEX_KEYS keys (the piece is then empty). Only the cursor over the ids of open orders outlives a piece.
 */
export type Pieces = Generator<string, void, void>;

/** Adds to the number of known rows of the answer. */
export type NoteRows = (rows: number) => void;

/** Where an answer reads its rows, and where it counts them. */
interface Rows {
  readonly reader: StateReader;
  readonly note: NoteRows;
}

/** The orders of an answer, in its order. */
interface ShownOrders {
  readonly ids: Iterable<OrderId>;
  /** Omits orders of other accounts. Absent: all orders are of one account. */
  readonly account?: AccountId;
  /** Refusals that an order shows instead of its own outcome. Absent: none. */
  readonly refusals?: ReadonlyMap<OrderId, Rejection>;
}

export function answerPieces(reader: StateReader, request: ReadRequest, note: NoteRows): Pieces {
  const rows = { reader, note };
  switch (request.kind) {
    case 'open':
      return openText(rows, request);
    case 'find':
      return findText(rows, request);
    case 'named':
      return namedText(rows, request);
    case 'trades':
      return tradesText(rows, request);
    case 'listed':
      return listedText(rows, request);
    case 'timeline':
      return timelineText(rows, request);
  }
}

type RequestOf<Kind> = Extract<ReadRequest, { readonly kind: Kind }>;

/** The ids are from one instant. An order that ends during the reading is shown in its final state. */
function* openText(rows: Rows, { account, wanted }: RequestOf<'open'>): Pieces {
  const { reader, note } = rows;
  const orderIds: OrderId[] = [];
  for (const some of reader.recent().openOrderIds(account, READ_INDEX_KEYS)) {
    for (const orderId of some) orderIds.push(orderId);
    note(some.length);
    yield '';
  }
  yield* ordersText(rows, { ids: orderIds }, wanted);
}

function* findText(rows: Rows, request: RequestOf<'find'>): Pieces {
  const { reader, note } = rows;
  const { account, fromMs, toMs, limit, wanted } = request;
  const orderIds = fromMs > toMs ? [] : reader.recent().findIds(account, fromMs, toMs, limit);
  note(orderIds.length);
  yield '';
  yield* ordersText(rows, { ids: orderIds }, wanted);
}

function* namedText(rows: Rows, { account, names, wanted }: RequestOf<'named'>): Pieces {
  const orderIds = namedIds(rows.reader, account, names);
  rows.note(orderIds.length);
  yield '';
  yield* ordersText(rows, { ids: orderIds, account }, wanted);
}

function* listedText(rows: Rows, { orderIds, refusals }: RequestOf<'listed'>): Pieces {
  rows.note(orderIds.length);
  const wanted = { withTrades: false, withFees: false, withParams: false };
  yield* ordersText(rows, { ids: orderIds as Iterable<number> as Iterable<OrderId>, refusals }, wanted);
}

/** Placeholder for the trades of an order. This character cannot occur in a JSON text. */
const TRADES_HERE = '\u0000';

function* ordersText(rows: Rows, { ids, account, refusals }: ShownOrders, wanted: DetailsWanted): Pieces {
  const { withTrades, withFees, withParams } = wanted;
  let before = '{"orders":[';
  for (const orderId of ids) {
    const state = rows.reader.recent().order(orderId);
    if (state === null || (account !== undefined && state.order.account !== account)) {
      yield '';
      continue;
    }
    const outcome = refusals?.get(orderId) ?? null;
    const trades = withTrades ? [TRADES_HERE] : null;
    const text = detailsText(state, { trades, withFees, withParams, outcome });
    const [head = '', tail] = text.split(TRADES_HERE);
    yield before + head;
    before = ',';
    if (tail === undefined) continue;
    yield* tradeTexts(rows, state.order, null, '');
    yield tail;
  }
  yield before === ',' ? ']}' : `${before}]}`;
}

function* tradesText(rows: Rows, request: RequestOf<'trades'>): Pieces {
  const { reader, note } = rows;
  const { account, names, venue, subaccount } = request;
  const orderIds = namedIds(reader, account, names);
  note(orderIds.length);
  yield '{"trades":[';
  let before = '';
  for (const orderId of orderIds) {
    const order = reader.recent().order(orderId)?.order;
    yield '';
    if (order === undefined || order.account !== account || !tradesAt(order, venue)) continue;
    if (subaccount !== null && order.subaccount !== subaccount) continue;
    before = yield* tradeTexts(rows, order, venue, before);
  }
  yield ']}';
}

/** The fills of an order in journal order, at one venue or at all. Returns the separator before the next fill. */
function* tradeTexts(
  { reader, note }: Rows,
  order: ParentOrder,
  at: Venue | null,
  before: string,
): Generator<string, string, void> {
  const positions: number[] = [];
  let last: TradeIndexEntry | null = null;
  for (;;) {
    const some: readonly TradeIndexEntry[] = reader.recent().tradeIndex(order.orderId, last, READ_INDEX_KEYS);
    for (const { position } of some) positions.push(position);
    note(some.length);
    if (some.length < READ_INDEX_KEYS) break;
    last = some.at(-1) ?? null;
    yield '';
  }
  let separator = before;
  for (const position of positions.sort((one, other) => one - other)) {
    const envelope = reader.recent().event(position);
    const isShown = envelope !== null && (at === null || envelope.venue === at);
    yield isShown ? separator + tradeText(order, envelope) : '';
    if (isShown) separator = ',';
  }
  return separator;
}

function* timelineText({ reader, note }: Rows, request: RequestOf<'timeline'>): Pieces {
  const { orderId, limit } = request;
  const order = reader.recent().order(orderId)?.order;
  if (order === undefined) return yield `{"order_id":${orderId},"events":[]}`;
  const name = order.clientOrderId === null ? '' : `,"client_order_id":${quote(order.clientOrderId)}`;
  yield `{"order_id":${orderId}${name},"events":[`;
  let [after, count, before] = [request.after, 0, ''];
  let isMore = true;
  note(Math.min(limit, reader.recent().eventCount(orderId, after, limit)));
  while (isMore && count < limit) {
    const [envelope] = reader.recent().events(orderId, after, 1);
    isMore = envelope !== undefined;
    if (envelope === undefined) break;
    yield before + timelineEntryText(order, envelope);
    [after, before] = [envelope.seq, ','];
    count += 1;
  }
  isMore = isMore && reader.recent().eventCount(orderId, after, 1) > 0;
  yield isMore ? `],"next_after":${after}}` : ']}';
}

/** Each order once, in the order of the names. May include orders of other accounts. */
function namedIds(reader: StateReader, account: AccountId, { orderIds, clientOrderIds }: OrderNames): OrderId[] {
  const named = new Set(orderIds);
  for (const clientOrderId of clientOrderIds) {
    const entry = reader.recent().byClientOrderId(account, clientOrderId);
    if (entry !== null) named.add(entry.orderId);
  }
  return [...named];
}
