import type { StateReader, TradeIndexEntry } from '../../journal/port.js';
import type { Venue } from '../../model/exchange.js';
import type { AccountId, OrderId } from '../../model/ids.js';
import { READ_INDEX_KEYS } from '../../model/limits.js';
import type { ParentOrder } from '../../model/order.js';
import { tradesAt } from '../../model/pair.js';
import type { Rejection } from '../../model/rejection.js';
import type { DetailsWanted, OrderNames, ReadQuestion } from '../../route/read-question.js';
import { quote } from '../present/json-text.js';
import { detailsText } from '../present/order-details.js';
import { timelineEntryText } from '../present/timeline-entry.js';
import { tradeText } from '../present/trade-details.js';

/**
 * The JSON text of an answer in pieces. Each piece costs one row: one state or event read, or at most READ_INDEX_KEYS
 * keys, for which the piece is empty. No cursor and no snapshot outlives a piece, except that of the ids of open orders.
 */
export type Pieces = Generator<string, void, void>;

/** Takes note of rows that the answer will have. */
export type NoteRows = (rows: number) => void;

export function answerPieces(reader: StateReader, question: ReadQuestion, note: NoteRows): Pieces {
  switch (question.kind) {
    case 'open':
      return openText(reader, question, note);
    case 'find':
      return findText(reader, question, note);
    case 'named':
      return namedText(reader, question, note);
    case 'trades':
      return tradesText(reader, question, note);
    case 'listed':
      return listedText(reader, question, note);
    case 'timeline':
      return timelineText(reader, question, note);
  }
}

type QuestionOf<Kind> = Extract<ReadQuestion, { readonly kind: Kind }>;

/** The ids are those of one instant. An order that ends while the answer is read is shown as it ended. */
function* openText(reader: StateReader, { account, wanted }: QuestionOf<'open'>, note: NoteRows): Pieces {
  const orderIds: OrderId[] = [];
  for (const some of reader.openOrderIds(account, READ_INDEX_KEYS)) {
    for (const orderId of some) orderIds.push(orderId);
    note(some.length);
    yield '';
  }
  yield* ordersText(reader, orderIds, wanted, note);
}

function* findText(reader: StateReader, question: QuestionOf<'find'>, note: NoteRows): Pieces {
  const { account, fromMs, toMs, limit, wanted } = question;
  const orderIds = fromMs > toMs ? [] : reader.findIds(account, fromMs, toMs, limit);
  note(orderIds.length);
  yield '';
  yield* ordersText(reader, orderIds, wanted, note);
}

function* namedText(reader: StateReader, { account, names, wanted }: QuestionOf<'named'>, note: NoteRows): Pieces {
  const orderIds = namedIds(reader, account, names);
  note(orderIds.length);
  yield '';
  yield* ordersText(reader, orderIds, wanted, note, account);
}

function* listedText(reader: StateReader, { orderIds, refusals }: QuestionOf<'listed'>, note: NoteRows): Pieces {
  note(orderIds.length);
  const wanted = { withTrades: false, withFees: false };
  yield* ordersText(reader, orderIds as Iterable<number> as Iterable<OrderId>, wanted, note, null, refusals);
}

const NO_REFUSALS: ReadonlyMap<OrderId, Rejection> = new Map();
/** Cannot be in a JSON text: where the trades of an order are put in. */
const TRADES_HERE = '\u0000';

/** `account`: leaves out orders of other accounts; null: there are none. */
function* ordersText(
  reader: StateReader,
  orderIds: Iterable<OrderId>,
  { withTrades, withFees }: DetailsWanted,
  note: NoteRows,
  account: AccountId | null = null,
  refusals = NO_REFUSALS,
): Pieces {
  let before = '{"orders":[';
  for (const orderId of orderIds) {
    const state = reader.order(orderId);
    if (state === null || (account !== null && state.order.account !== account)) {
      yield '';
      continue;
    }
    const outcome = refusals.get(orderId) ?? null;
    const text = detailsText(state, { trades: withTrades ? [TRADES_HERE] : null, withFees, outcome });
    const [head = '', tail] = text.split(TRADES_HERE);
    yield before + head;
    before = ',';
    if (tail === undefined) continue;
    yield* tradeTexts(reader, state.order, null, note, '');
    yield tail;
  }
  yield before === ',' ? ']}' : `${before}]}`;
}

function* tradesText(reader: StateReader, question: QuestionOf<'trades'>, note: NoteRows): Pieces {
  const { account, names, venue, subaccount } = question;
  const orderIds = namedIds(reader, account, names);
  note(orderIds.length);
  yield '{"trades":[';
  let before = '';
  for (const orderId of orderIds) {
    const order = reader.order(orderId)?.order;
    yield '';
    if (order === undefined || order.account !== account || !tradesAt(order, venue)) continue;
    if (subaccount !== null && order.subaccount !== subaccount) continue;
    before = yield* tradeTexts(reader, order, venue, note, before);
  }
  yield ']}';
}

/** The fills of an order in journal order, at one venue or at all. Returns what goes before the next one. */
function* tradeTexts(
  reader: StateReader,
  order: ParentOrder,
  at: Venue | null,
  note: NoteRows,
  before: string,
): Generator<string, string, void> {
  const positions: number[] = [];
  let last: TradeIndexEntry | null = null;
  for (;;) {
    const some: readonly TradeIndexEntry[] = reader.tradeIndex(order.orderId, last, READ_INDEX_KEYS);
    for (const { position } of some) positions.push(position);
    note(some.length);
    if (some.length < READ_INDEX_KEYS) break;
    last = some.at(-1) ?? null;
    yield '';
  }
  let separator = before;
  for (const position of positions.sort((one, other) => one - other)) {
    const envelope = reader.event(position);
    const isShown = envelope !== null && (at === null || envelope.venue === at);
    yield isShown ? separator + tradeText(order, envelope) : '';
    if (isShown) separator = ',';
  }
  return separator;
}

function* timelineText(reader: StateReader, question: QuestionOf<'timeline'>, note: NoteRows): Pieces {
  const { orderId, limit } = question;
  const order = reader.order(orderId)?.order;
  if (order === undefined) return yield `{"order_id":${orderId},"events":[]}`;
  const name = order.clientOrderId === null ? '' : `,"client_order_id":${quote(order.clientOrderId)}`;
  yield `{"order_id":${orderId}${name},"events":[`;
  let [after, count, before] = [question.after, 0, ''];
  let isMore = true;
  note(Math.min(limit, reader.eventCount(orderId, after, limit)));
  while (isMore && count < limit) {
    const [envelope] = reader.events(orderId, after, 1);
    isMore = envelope !== undefined;
    if (envelope === undefined) break;
    yield before + timelineEntryText(order, envelope);
    [after, before] = [envelope.seq, ','];
    count += 1;
  }
  isMore = isMore && reader.eventCount(orderId, after, 1) > 0;
  yield isMore ? `],"next_after":${after}}` : ']}';
}

/** Each order once, in the order in which they are named; another account's may be among them. */
function namedIds(reader: StateReader, account: AccountId, { orderIds, clientOrderIds }: OrderNames): OrderId[] {
  const named = new Set(orderIds);
  for (const clientOrderId of clientOrderIds) {
    const entry = reader.byClientOrderId(account, clientOrderId);
    if (entry !== null) named.add(entry.orderId);
  }
  return [...named];
}
