import type { VenueOrderId } from '../../../domain/ids.js';
import type { InstrumentIndex } from '../../../domain/instrument.js';
import { LIST_WAITS_MAX, OKX_LIST_PAGES_MAX } from '../../../domain/limits/live.js';
import { type OrRejection, reject } from '../../../domain/rejection.js';
import type { EpochMs } from '../../../domain/time.js';
import { type ChildSubmission, type ChildTarget, placementClassOf } from '../../../domain/venue-message.js';
import type { ListedOrder } from '../../../domain/venue-report.js';
import { AsyncClient } from '../async-client.js';
import { clientIdRule } from '../client-id/client-id-rules.js';
import { causeOfEnd, isAbsence, refusalOfError } from '../dialect/okx-errors.js';
import { baseText, nameFields, placeFields, readPlacement } from '../dialect/okx-orders.js';
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
import { afterFullPage, readPages } from '../list-pages.js';
import type { AccountEvents, LiveInstrument, LiveInstruments, QueuedRequest } from '../live-exchange.js';
import type { ListRead, ReportFinding } from '../normal/message.js';
import { type OkxFill, readOkxAcceptance, readOkxFills, readOkxOrders } from '../normal/okx.js';
import type { FillRecord, OrderRecord, VenueRecord } from '../normal/records.js';
import { listedOrders, placedRecord, type PlacedRecord } from '../placed-orders.js';
import { foundOrder, openOrders, reportedChild, reportedFill, reportedOrder } from '../reported-records.js';
import { assertWrittenAs, placedClientId } from '../wire-guard.js';
import type { OkxRequests } from './okx-requests.js';
import type { OkxCall } from './okx-rest.js';

const CALLS = {
  place: { rest: 'POST /api/v5/trade/order', socket: 'order', max: 60, isPerInstrument: true },
  cancel: { rest: 'POST /api/v5/trade/cancel-order', socket: 'cancel-order', max: 60, isPerInstrument: true },
  order: { rest: 'GET /api/v5/trade/order', max: 60 },
  openOrders: { rest: 'GET /api/v5/trade/orders-pending', max: 60 },
  recentOrders: { rest: 'GET /api/v5/trade/orders-history', max: 40 },
  oldOrders: { rest: 'GET /api/v5/trade/orders-history-archive', max: 20 },
  recentFills: { rest: 'GET /api/v5/trade/fills', max: 60 },
  oldFills: { rest: 'GET /api/v5/trade/fills-history', max: 10 },
} as const satisfies Readonly<Record<string, OkxCall>>;

/** The first request of each kind about a child. */
export function orderCallOf(kind: QueuedRequest['kind']): OkxCall {
  if (kind === 'Submit') return CALLS.place;
  return kind === 'Cancel' ? CALLS.cancel : CALLS.order;
}

/** Entries in one page of a list at most. */
const PAGE_SIZE = 100;

const HOUR_MS = 3_600_000;
/** Lists of recent orders reach back seven days and lists of recent fills three; an hour is left for clocks. */
const RECENT_ORDERS_MS = 7 * 24 * HOUR_MS - HOUR_MS;
const RECENT_FILLS_MS = 3 * 24 * HOUR_MS - HOUR_MS;
/** How far the time of an order at the exchange may lie from that of its sending. */
const SENDING_TOLERANCE_MS = 60_000;

export interface OkxClientParts {
  readonly requests: Pick<OkxRequests, 'send'>;
  readonly instruments: Pick<LiveInstruments, 'at'>;
  readonly instrumentOf: AccountEvents['instrumentOf'];
  readonly nowMs: () => EpochMs;
  /** Exchange's clock minus ours. */
  readonly clockOffsetMs: () => number;
  readonly onFinding: ReportFinding;
}

/** Requests about orders of one account at OKX, spot and perpetuals alike. */
export class OkxClient extends AsyncClient {
  readonly #parts: OkxClientParts;
  /** Spot and perpetuals share one space of client ids. */
  readonly #codec = clientIdRule('OKX', 'SPOT')!.codec;

  constructor(parts: OkxClientParts) {
    super(parts.nowMs);
    this.#parts = parts;
  }

  /** What records of the private stream say about orders of this service. A fill comes before its order. */
  updatesIn(records: readonly VenueRecord[]): OrderUpdate[] {
    let fill: FillRecord | null = null;
    const updates: OrderUpdate[] = [];
    for (const record of records) {
      if (record.kind === 'Fill') fill = record;
      if (record.kind !== 'Order') continue;
      const child = this.#childOf(record);
      const traded = child === null ? null : this.#parts.instruments.at(child.instrument);
      const order = traded === null ? null : orderOf(record, traded);
      if (child !== null && order !== null) {
        updates.push({ child, order, fill: fill === null ? null : fillOf(fill, traded!) });
      }
      fill = null;
    }
    return updates;
  }

  protected async sendPlacement(order: ChildSubmission, expiresAtMs: EpochMs): Promise<PlaceAnswer> {
    const { requests, instruments, clockOffsetMs, onFinding } = this.#parts;
    const clientId = placedClientId(this.#codec, order);
    const traded = instruments.at(order.instrument);
    const outcome = await requests.send(CALLS.place, placeFields(order, clientId, traded), {
      requestClass: placementClassOf(order),
      order: {
        expiresAtMs: expiresAtMs + clockOffsetMs(),
        check: (body) => assertWrittenAs(order, clientId, traded, readPlacement(body, traded)),
      },
    });
    if (outcome.kind !== 'answer') return refusedOrUnknown(outcome, refusalOfError);
    const accepted = readOkxAcceptance(outcome.body, onFinding);
    if (accepted === null) return { kind: 'unknown' };
    return { kind: 'placed', venueOrderId: accepted.venueOrderId as VenueOrderId, atMs: accepted.atMs };
  }

  /** The answer says only that the cancel was accepted: the end comes through the stream. */
  protected async sendCancel(target: ChildTarget): Promise<CancelAnswer> {
    const outcome = await this.#parts.requests.send(CALLS.cancel, this.#nameOf(target), { requestClass: 'CANCEL' });
    if (outcome.kind !== 'answer') return refusedOrUnknown(outcome, refusalOfError);
    const accepted = readOkxAcceptance(outcome.body, this.#parts.onFinding);
    return accepted === null ? { kind: 'unknown' } : { kind: 'cancelled', order: null };
  }

  protected async sendLookUp(target: ChildTarget): Promise<LookUpAnswer> {
    const { requests, onFinding } = this.#parts;
    const found = await requests.send(CALLS.order, this.#nameOf(target), { requestClass: 'STATUS' });
    if (found.kind === 'error' && isAbsence(found.error)) return this.#inLists(target);
    if (found.kind !== 'answer') return { kind: 'unknown' };
    const record = this.#recordOf(target, readOkxOrders(found.body, onFinding).records);
    return record === undefined ? { kind: 'unknown' } : this.#found(target, record);
  }

  /** Looks for an order that its own look-up denies: among the open ones, the ended ones and the fills. */
  async #inLists(target: ChildTarget): Promise<LookUpAnswer> {
    const { nowMs } = this.#parts;
    const place = this.#placeOf(target);
    const open = await this.#pages(CALLS.openOrders, place, readOkxOrders);
    const isRecent = nowMs() - target.submittedAtMs < RECENT_ORDERS_MS;
    const list = isRecent ? CALLS.recentOrders : CALLS.oldOrders;
    const ended = await this.#pages(list, { ...place, ...this.#around(target) }, readOkxOrders);
    const fills = await this.#fills(target, this.#around(target));
    if (open === null || ended === null || fills === null) return { kind: 'unknown' };
    const record = this.#recordOf(target, [...open, ...ended]);
    if (record !== undefined) return this.#found(target, record);
    // A fill proves the order: a later look finds it.
    return this.#recordOf(target, fills) === undefined ? { kind: 'absent' } : { kind: 'unknown' };
  }

  /** The order, and its fills if it has some. */
  async #found(target: ChildTarget, record: OrderRecord): Promise<LookUpAnswer> {
    const traded = this.#parts.instruments.at(target.instrument);
    const order = orderOf(record, traded);
    if (order === null) return { kind: 'unknown' };
    if (order.filled === 0) return { kind: 'found', order, fills: [] };
    const fills = await this.#fills(target, { ordId: record.venueOrderId });
    if (fills === null) return { kind: 'unknown' };
    const inBase = fills.map((fill) => fillInBaseUnits(fill, traded));
    return foundOrder(order, inBase, traded, (fill) => reportedFill(fill, traded, fill.feeAsset));
  }

  #recordOf<Entry extends OrderRecord | OkxFill>(
    { orderId, child }: ChildTarget,
    records: readonly Entry[],
  ): Entry | undefined {
    const clientId = this.#codec.encode(orderId, child);
    return records.find((record) => record.clientId === clientId);
  }

  #fills(target: ChildTarget, fields: Readonly<Record<string, string>>): Promise<readonly OkxFill[] | null> {
    const isRecent = this.#parts.nowMs() - target.submittedAtMs < RECENT_FILLS_MS;
    return this.#pages(
      isRecent ? CALLS.recentFills : CALLS.oldFills,
      { ...this.#placeOf(target), ...fields },
      readOkxFills,
    );
  }

  protected async readOpenOrders(): Promise<readonly OpenOrder[] | null> {
    const records = await this.#pages(CALLS.openOrders, {}, readOkxOrders);
    if (records === null) return null;
    return openOrders(
      records,
      (record) => this.#childOf(record),
      ({ instrument }, record) => orderOf(record, this.#parts.instruments.at(instrument)),
    );
  }

  /** The open orders first: one that ends meanwhile is in a later list with its end. */
  protected async readOrders({ instruments, sinceMs }: PlacedQuery): Promise<OrRejection<readonly ListedOrder[]>> {
    const { nowMs, clockOffsetMs } = this.#parts;
    const open = await this.#pages(CALLS.openOrders, {}, readOkxOrders, LIST_WAITS_MAX);
    if (open === null) return notListed();
    const placed = open.flatMap((record) => this.#placedOf(record, instruments));
    const list = nowMs() - sinceMs < RECENT_ORDERS_MS ? CALLS.recentOrders : CALLS.oldOrders;
    const begin = String(Math.round(sinceMs + clockOffsetMs()) - SENDING_TOLERANCE_MS);
    for (const instrument of instruments) {
      // One after the other: the exchange limits requests.
      // oxlint-disable-next-line no-await-in-loop
      const ended = await this.#pages(list, { ...this.#placeOf({ instrument }), begin }, readOkxOrders, LIST_WAITS_MAX);
      if (ended === null) return notListed();
      placed.push(...ended.flatMap((record) => this.#placedOf(record, instruments)));
    }
    return listedOrders(placed, (index) => this.#parts.instruments.at(index));
  }

  #placedOf(record: OrderRecord, instruments: readonly InstrumentIndex[]): PlacedRecord[] {
    const { symbol } = record;
    const tradedOf = (index: InstrumentIndex): LiveInstrument => this.#parts.instruments.at(index);
    const placed = placedRecord(record, this.#codec, {
      known: (name) => this.#parts.instrumentOf(name, symbol),
      rows: instruments.filter((index) => tradedOf(index).exchangeSymbol === symbol),
    });
    if (placed === null || placed.instrument === null) return placed === null ? [] : [placed];
    return [{ ...placed, record: inBaseUnits(record, tradedOf(placed.instrument)) }];
  }

  /** All pages of a list; null: one has failed, is not readable, or there are too many. */
  async #pages<Entry extends OrderRecord | OkxFill>(
    call: OkxCall,
    fields: Readonly<Record<string, string>>,
    readList: (answer: unknown, report: ReportFinding) => ListRead<Entry>,
    waitsMax = 0,
  ): Promise<readonly Entry[] | null> {
    const { requests, onFinding } = this.#parts;
    return readPages<Readonly<Record<string, string>>, Entry>(
      async (range) => {
        const page = { ...fields, limit: String(PAGE_SIZE), ...range };
        const requestClass = waitsMax === 0 ? 'STATUS' : 'ROUTINE';
        const send = () => requests.send(call, page, { requestClass });
        const outcome = await sendInTime(send, waitsMax);
        if (outcome.kind !== 'answer') return null;
        const { records, isComplete } = readList(outcome.body, onFinding);
        return isComplete ? records : null;
      },
      {
        first: {},
        next: afterFullPage<Readonly<Record<string, string>>, Entry>(PAGE_SIZE, (last) => ({
          after: last.kind === 'Fill' ? last.billId : last.venueOrderId,
        })),
        pagesMax: OKX_LIST_PAGES_MAX,
      },
    );
  }

  #nameOf({ orderId, child, instrument }: ChildTarget) {
    return nameFields(this.#codec.encode(orderId, child) ?? '', this.#parts.instruments.at(instrument));
  }

  #placeOf({ instrument }: Pick<ChildTarget, 'instrument'>) {
    const { isFuture, exchangeSymbol } = this.#parts.instruments.at(instrument);
    return { instType: isFuture ? 'SWAP' : 'SPOT', instId: exchangeSymbol };
  }

  /** The time in which an order that was sent then arrived, with a tolerance. */
  #around({ submittedAtMs }: ChildTarget) {
    const sentAtMs = Math.round(submittedAtMs + this.#parts.clockOffsetMs());
    return { begin: String(sentAtMs - SENDING_TOLERANCE_MS), end: String(sentAtMs + SENDING_TOLERANCE_MS) };
  }

  #childOf(record: OrderRecord): ReportedChild | null {
    return reportedChild(record, this.#codec, (name, symbol) => this.#parts.instrumentOf(name, symbol));
  }
}

function notListed(): OrRejection<never> {
  return reject('EXCHANGE_NOT_AVAILABLE', 'OKX has not listed all orders of the account');
}

/** OKX states quantities of perpetuals in contracts. */
function inBaseUnits(record: OrderRecord, traded: LiveInstrument): OrderRecord {
  return { ...record, quantity: baseText(record.quantity, traded), filled: baseText(record.filled, traded) };
}

function fillInBaseUnits(record: FillRecord, traded: LiveInstrument): FillRecord {
  return { ...record, quantity: baseText(record.quantity, traded) };
}

/** null: a state or quantity that the model cannot represent. */
function orderOf(record: OrderRecord, traded: LiveInstrument): ReportedOrder | null {
  return reportedOrder(inBaseUnits(record, traded), traded, causeOfEnd);
}

function fillOf(record: FillRecord, traded: LiveInstrument): ReportedFill | null {
  return reportedFill(fillInBaseUnits(record, traded), traded, record.feeAsset);
}
