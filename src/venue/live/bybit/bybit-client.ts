import type { AssetCategory } from '../../../domain/exchange.js';
import type { VenueOrderId } from '../../../domain/ids.js';
import type { InstrumentIndex } from '../../../domain/instrument.js';
import { EXECUTION_PERIODS_MAX, LIST_PAGES_MAX, LIST_WAITS_MAX } from '../../../domain/limits/live.js';
import { type OrRejection, reject } from '../../../domain/rejection.js';
import type { EpochMs } from '../../../domain/time.js';
import { type ChildSubmission, type ChildTarget, placementClassOf } from '../../../domain/venue-message.js';
import type { ListedOrder } from '../../../domain/venue-report.js';
import { AsyncClient } from '../async-client.js';
import type { ChildName } from '../client-id/codec.js';
import { clientIdRule } from '../client-id/client-id-rules.js';
import { causeOfEnd, refusalOfError } from '../dialect/bybit-errors.js';
import {
  bybitCategory,
  type BybitCategory,
  type BybitFields,
  cancelFields,
  executionsFields,
  historyFields,
  lookUpFields,
  openOrdersFields,
  ORDER_LISTS,
  type OrderList,
  placeFields,
  readPlacement,
} from '../dialect/bybit-orders.js';
import type {
  CancelAnswer,
  LookUpAnswer,
  OpenOrder,
  OrderUpdate,
  PlaceAnswer,
  PlacedQuery,
  ReportedChild,
  ReportedFill,
  ReportedOrder,
} from '../exchange-client.js';
import { refusedOrUnknown, sendInTime } from '../exchange-requests.js';
import type { QueuedRequest } from '../live-exchange.js';
import {
  type BybitRecord,
  readBybitFills,
  readBybitNextPage,
  readBybitOrders,
  readBybitPlacement,
} from '../normal/bybit-account.js';
import { type ListRead, type ReportFinding, unreadable } from '../normal/message.js';
import type { FillRecord, OrderRecord } from '../normal/records.js';
import { listedOrders, placedRecord, type PlacedRecord } from '../placed-orders.js';
import { foundOrder, openOrders, reportedChild, reportedFill, reportedOrder } from '../reported-records.js';
import { assertWrittenAs, placedClientId, type TradedInstrument } from '../wire-guard.js';
import type { BybitRequests } from './bybit-requests.js';
import type { BybitCall } from './bybit-rest.js';

/** The instruments of the exchange, by both names. Spot and perpetuals share symbols. */
export interface BybitInstruments {
  at(index: InstrumentIndex): TradedInstrument;
  /** The instrument of a child. null: not listed here, or not known. */
  of(child: ChildName, exchangeSymbol: string, category: AssetCategory): InstrumentIndex | null;
}

export interface BybitClientParts {
  readonly requests: Pick<BybitRequests, 'send'>;
  readonly instruments: BybitInstruments;
  readonly nowMs: () => EpochMs;
  readonly onFinding: ReportFinding;
}

const CALLS = {
  create: { rest: 'POST /v5/order/create', socket: 'order.create', group: 'create' },
  cancel: { rest: 'POST /v5/order/cancel', socket: 'order.cancel', group: 'cancel' },
  realtime: { rest: 'GET /v5/order/realtime', group: 'read' },
  history: { rest: 'GET /v5/order/history', group: 'read' },
  executions: { rest: 'GET /v5/execution/list', group: 'read' },
} as const satisfies Readonly<Record<string, BybitCall>>;
/** The first request of each kind about a child. */
export function orderCallOf(kind: QueuedRequest['kind']): BybitCall {
  if (kind === 'Submit') return CALLS.create;
  return kind === 'Cancel' ? CALLS.cancel : CALLS.realtime;
}

const DAY_MS = 86_400_000;
/** The longest period of a list. */
const PERIOD_MS = 7 * DAY_MS;
/** How far back executions are looked for at least: the time of sending is not exact after a start of the process. */
const LOOK_BACK_MS = 6 * DAY_MS;
/** Largest difference between the clocks. */
const CLOCK_MS = 60_000;

/** A list that could not be read whole says nothing. */
class IncompleteList extends Error {
  override readonly name = 'IncompleteList';
}

/** Requests about orders of one account at Bybit, spot and perpetuals. */
export class BybitClient extends AsyncClient {
  readonly #parts: BybitClientParts;
  // Both products have one rule.
  readonly #codec = clientIdRule('BYBIT', 'SPOT')!.codec;

  constructor(parts: BybitClientParts) {
    super(parts.nowMs);
    this.#parts = parts;
  }

  /** What records of the private stream say about orders of this service. */
  updatesIn(records: readonly BybitRecord[]): OrderUpdate[] {
    return records.flatMap(({ product, record }) => {
      if (record.kind !== 'Order' && record.kind !== 'Fill') return [];
      if (product === null) {
        unreadable({ venue: 'BYBIT', type: record.kind, report: this.#parts.onFinding }, 'the product is missing');
        return [];
      }
      const child = product === 'OTHER' ? null : this.#childOf(record, product);
      if (child === null) return [];
      return record.kind === 'Order' ? this.#orderUpdate(child, record) : this.#fillUpdate(child, record);
    });
  }

  #orderUpdate(child: ReportedChild, record: OrderRecord): OrderUpdate[] {
    const order = this.#orderOf(child, record);
    return order === null ? [] : [{ child, order, fill: null }];
  }

  /** A fill comes without its order. The order was open then, and more of it than the fill is not known. */
  #fillUpdate(child: ReportedChild, record: FillRecord): OrderUpdate[] {
    const fill = this.#fillOf(child, record);
    if (fill === null) return [];
    const { quantity: filled } = fill.fill;
    const venueOrderId = record.venueOrderId as VenueOrderId;
    return [{ child, order: { venueOrderId, state: 'OPEN', filled, cause: null, atMs: record.atMs }, fill }];
  }

  /** Bybit counts the expiry from the timestamp of the request, which is the time of its sending. */
  protected async sendPlacement(order: ChildSubmission): Promise<PlaceAnswer> {
    const { requests, instruments, onFinding } = this.#parts;
    const traded = instruments.at(order.instrument);
    const clientId = placedClientId(this.#codec, order);
    const outcome = await requests.send(CALLS.create, placeFields(order, clientId, traded), {
      requestClass: placementClassOf(order),
      check: (sent) => assertWrittenAs(order, clientId, traded, readPlacement(sent, traded)),
    });
    if (outcome.kind !== 'answer') return refusedOrUnknown(outcome, refusalOfError);
    const placed = readBybitPlacement(outcome.body, onFinding);
    if (placed === null || placed.clientId !== clientId) return { kind: 'unknown' };
    return { kind: 'placed', venueOrderId: placed.venueOrderId as VenueOrderId, atMs: placed.atMs };
  }

  /** The exchange cancels later: the end comes through the stream. */
  protected async sendCancel(target: ChildTarget): Promise<CancelAnswer> {
    const { clientId, traded } = this.#nameOf(target);
    const fields = cancelFields(clientId, traded);
    const outcome = await this.#parts.requests.send(CALLS.cancel, fields, { requestClass: 'CANCEL' });
    if (outcome.kind !== 'answer') return refusedOrUnknown(outcome, refusalOfError);
    return { kind: 'cancelled', order: null };
  }

  /** The order among the open and recent ones, then among the ended ones, and its executions if it has some. */
  protected async sendLookUp(target: ChildTarget): Promise<LookUpAnswer> {
    const { clientId, traded } = this.#nameOf(target);
    try {
      const record =
        (await this.#find(CALLS.realtime, clientId, traded)) ?? (await this.#find(CALLS.history, clientId, traded));
      if (record === null) {
        // An order that has traded exists, even if no list of orders shows it.
        const executions = await this.#executions(clientId, traded, target.submittedAtMs);
        return executions.length === 0 ? { kind: 'absent' } : { kind: 'unknown' };
      }
      const order = this.#orderOf(target, record);
      if (order === null) return { kind: 'unknown' };
      if (order.filled === 0) return { kind: 'found', order, fills: [] };
      const executions = await this.#executions(clientId, traded, target.submittedAtMs);
      const own = executions.filter(({ venueOrderId }) => venueOrderId === record.venueOrderId);
      return foundOrder(order, own, traded, (fill) => this.#fillOf(target, fill));
    } catch {
      return { kind: 'unknown' };
    }
  }

  async #find(call: BybitCall, clientId: string, traded: TradedInstrument): Promise<OrderRecord | null> {
    const answer = await this.#read(call, lookUpFields(clientId, traded));
    const { records, isComplete } = readBybitOrders(answer, this.#parts.onFinding);
    const found = records.find((record) => record.clientId === clientId && record.symbol === traded.exchangeSymbol);
    if (found === undefined && !isComplete) throw new IncompleteList('an order of the list is not readable');
    return found ?? null;
  }

  /** All executions of an order, period after period: a list takes at most 7 days. */
  async #executions(clientId: string, traded: TradedInstrument, submittedAtMs: number): Promise<readonly FillRecord[]> {
    const untilMs = this.#parts.nowMs() + CLOCK_MS;
    const executions: FillRecord[] = [];
    let fromMs = Math.min(submittedAtMs - CLOCK_MS, untilMs - LOOK_BACK_MS);
    for (let count = 0; fromMs < untilMs; count += 1) {
      if (count >= EXECUTION_PERIODS_MAX) throw new IncompleteList('the order is older than the list of executions');
      const period = { fromMs, toMs: Math.min(fromMs + PERIOD_MS, untilMs) };
      const found = await this.#pages(
        CALLS.executions,
        (cursor) => executionsFields(clientId, traded, { period, cursor }),
        readBybitFills,
      );
      executions.push(...found.filter((fill) => fill.clientId === clientId));
      fromMs = period.toMs;
    }
    return executions;
  }

  protected async readOpenOrders(): Promise<readonly OpenOrder[] | null> {
    try {
      const lists = await Promise.all(ORDER_LISTS.map((list) => this.#openIn(list)));
      return lists.flat();
    } catch {
      return null;
    }
  }

  /** The open orders first: one that ends meanwhile is in a later list with its end. */
  protected async readOrders({ instruments, sinceMs }: PlacedQuery): Promise<OrRejection<readonly ListedOrder[]>> {
    const placed: PlacedRecord[] = [];
    try {
      for (const list of ORDER_LISTS) {
        // One after the other: the exchange limits requests.
        // oxlint-disable-next-line no-await-in-loop
        const open = await this.#recordsIn((cursor) => [CALLS.realtime, openOrdersFields(list, cursor)]);
        placed.push(...open.flatMap((record) => this.#placedOf(record, list.category, instruments) ?? []));
      }
      for (const index of instruments) {
        const traded = this.#parts.instruments.at(index);
        for (let fromMs: number = sinceMs; fromMs <= this.#parts.nowMs(); fromMs += PERIOD_MS) {
          const period = { fromMs, toMs: fromMs + PERIOD_MS };
          // oxlint-disable-next-line no-await-in-loop
          const ended = await this.#recordsIn((cursor) => [CALLS.history, historyFields(traded, { period, cursor })]);
          placed.push(...ended.flatMap((record) => this.#placedOf(record, bybitCategory(traded), instruments) ?? []));
        }
      }
    } catch {
      return reject('EXCHANGE_NOT_AVAILABLE', 'BYBIT has not listed all orders of the account');
    }
    return listedOrders(placed, (index) => this.#parts.instruments.at(index));
  }

  #placedOf(record: OrderRecord, of: BybitCategory, instruments: readonly InstrumentIndex[]): PlacedRecord | null {
    const { symbol } = record;
    return placedRecord(record, this.#codec, {
      known: (name) => this.#parts.instruments.of(name, symbol, of === 'spot' ? 'SPOT' : 'FUTURE'),
      rows: instruments.filter((index) => {
        const traded = this.#parts.instruments.at(index);
        return traded.exchangeSymbol === symbol && bybitCategory(traded) === of;
      }),
    });
  }

  /** Reads page after page, and waits for the limit of requests. Throws when one is missing or not readable. */
  #recordsIn(requestOf: (cursor: string | null) => readonly [BybitCall, BybitFields]): Promise<readonly OrderRecord[]> {
    const [call] = requestOf(null);
    return this.#pages(call, (cursor) => requestOf(cursor)[1], readBybitOrders, LIST_WAITS_MAX);
  }

  async #openIn(list: OrderList): Promise<readonly OpenOrder[]> {
    const category: AssetCategory = list.category === 'spot' ? 'SPOT' : 'FUTURE';
    const records = await this.#pages(CALLS.realtime, (cursor) => openOrdersFields(list, cursor), readBybitOrders);
    return openOrders(
      records,
      (record) => this.#childOf(record, category),
      (child, record) => this.#orderOf(child, record),
    );
  }

  /** Reads page after page. Throws when one is missing or not readable. */
  async #pages<Item>(
    call: BybitCall,
    fieldsOf: (cursor: string | null) => BybitFields,
    read: (answer: unknown, report: ReportFinding) => ListRead<Item>,
    waitsMax = 0,
  ): Promise<readonly Item[]> {
    const { onFinding } = this.#parts;
    const items: Item[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < LIST_PAGES_MAX; page += 1) {
      const answer: unknown = await this.#read(call, fieldsOf(cursor), waitsMax);
      const { records, isComplete } = read(answer, onFinding);
      if (!isComplete) throw new IncompleteList('an element of the list is not readable');
      items.push(...records);
      const next = readBybitNextPage(answer);
      if (next === null || next === cursor) return items;
      cursor = next;
    }
    throw new IncompleteList('the list has too many pages');
  }

  /** Waits for the limit of requests. Throws when there is no answer. */
  async #read(call: BybitCall, fields: BybitFields, waitsMax = 0): Promise<unknown> {
    const { requests } = this.#parts;
    const requestClass = waitsMax === 0 ? 'STATUS' : 'ROUTINE';
    const outcome = await sendInTime(() => requests.send(call, fields, { requestClass }), waitsMax);
    if (outcome.kind !== 'answer') throw new IncompleteList('the list was not answered');
    return outcome.body;
  }

  #nameOf({ orderId, child, instrument }: ChildTarget) {
    return {
      clientId: this.#codec.encode(orderId, child) ?? '',
      traded: this.#parts.instruments.at(instrument),
    };
  }

  #childOf(record: Pick<OrderRecord, 'clientId' | 'symbol'>, category: AssetCategory): ReportedChild | null {
    return reportedChild(record, this.#codec, (name, symbol) => this.#parts.instruments.of(name, symbol, category));
  }

  #orderOf({ instrument }: Pick<ReportedChild, 'instrument'>, record: OrderRecord): ReportedOrder | null {
    return reportedOrder(record, this.#parts.instruments.at(instrument), causeOfEnd);
  }

  #fillOf({ instrument }: Pick<ReportedChild, 'instrument'>, record: FillRecord): ReportedFill | null {
    const traded = this.#parts.instruments.at(instrument);
    return reportedFill(record, traded, record.feeAsset ?? settleCoinOf(traded));
  }
}

/** Fees of perpetuals are paid in the coin of settlement. null: a fee of spot says its coin. */
function settleCoinOf({ isFuture, exchangeSymbol }: TradedInstrument): string | null {
  if (!isFuture) return null;
  return exchangeSymbol.endsWith('USDT') ? 'USDT' : 'USDC';
}
