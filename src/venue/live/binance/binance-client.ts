import type { AssetCategory } from '../../../domain/exchange.js';
import type { EpochMs } from '../../../domain/time.js';
import type { VenueOrderId } from '../../../domain/ids.js';
import { type OrRejection, reject } from '../../../domain/rejection.js';
import {
  type ChildSubmission,
  type ChildTarget,
  placementClassOf,
  type RequestClass,
} from '../../../domain/venue-message.js';
import type { ListedOrder } from '../../../domain/venue-report.js';
import type { InstrumentIndex } from '../../../domain/instrument.js';
import { LIST_WAITS_MAX } from '../../../domain/limits/live.js';
import { AsyncClient } from '../async-client.js';
import type { ClientIdCodec } from '../client-id/codec.js';
import { clientIdRule } from '../client-id/client-id-rules.js';
import { causeOfEnd, isAbsence, refusalOfError } from '../dialect/binance-errors.js';
import {
  BINANCE_RECV_WINDOW_MS,
  allOrdersFields,
  type Fields,
  nameFields,
  openOrdersFields,
  orderIdFields,
  placeFields,
  readPlacement,
  symbolTradesFields,
  tradesFields,
} from '../dialect/binance-orders.js';
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
import type { AccountEvents, LiveInstruments } from '../live-exchange.js';
import { readBinanceFills, readBinanceOrder, readBinanceOrders, readPlacedFills } from '../normal/binance-account.js';
import type { ReportFinding } from '../normal/message.js';
import type { AccountRecord, FillRecord, OrderRecord } from '../normal/records.js';
import { listedOrders, placedRecord, type PlacedRecord } from '../placed-orders.js';
import { foundOrder, lotsOf, openOrders, reportedChild, reportedFill, reportedOrder } from '../reported-records.js';
import { assertWrittenAs, placedClientId } from '../wire-guard.js';
import { AbsenceCheck } from './binance-absence.js';
import { placedSince } from './binance-placed.js';
import { tradesOfOrder } from './binance-trades.js';
import type { BinanceRequests } from './binance-requests.js';
import type { BinanceCall } from './binance-rest.js';

/** The calls of one section about orders. */
export interface BinanceOrderCalls {
  readonly place: BinanceCall;
  readonly cancel: BinanceCall;
  readonly order: BinanceCall;
  readonly trades: BinanceCall;
  readonly tradesOfSymbol: BinanceCall;
  readonly openOrders: BinanceCall;
  readonly openOrdersOfSymbol: BinanceCall;
  /** Orders of one symbol, also ended ones. */
  readonly allOrders: BinanceCall;
}

export interface BinanceClientParts {
  readonly category: AssetCategory;
  readonly calls: BinanceOrderCalls;
  readonly requests: Pick<BinanceRequests, 'send'>;
  readonly instruments: Pick<LiveInstruments, 'at'>;
  readonly instrumentOf: AccountEvents['instrumentOf'];
  readonly nowMs: () => EpochMs;
  readonly onFinding: ReportFinding;
}

/** How a list is read: the class of its request, and how often it waits for the limits. */
interface ListSending {
  readonly requestClass: RequestClass;
  readonly waitsMax: number;
}

/** A list that a status request, or a connection, needs now. */
const LOOK_UP: ListSending = { requestClass: 'STATUS', waitsMax: 0 };
/** A list after a restore, which may take minutes. */
const LISTING: ListSending = { requestClass: 'ROUTINE', waitsMax: LIST_WAITS_MAX };

/** Requests about orders of one account in one section of Binance. */
export class BinanceClient extends AsyncClient {
  readonly #parts: BinanceClientParts;
  readonly #codec: ClientIdCodec;
  /** By symbol. */
  readonly #absenceChecks = new Map<string, AbsenceCheck>();

  constructor(parts: BinanceClientParts) {
    super(parts.nowMs);
    this.#parts = parts;
    this.#codec = clientIdRule('BINANCE', parts.category)!.codec;
  }

  /** What records of the private stream say about orders of this service. */
  updatesIn(records: readonly AccountRecord[]): OrderUpdate[] {
    let traded: FillRecord | null = null;
    const updates: OrderUpdate[] = [];
    for (const record of records) {
      // A fill comes before its order.
      if (record.kind === 'Fill') traded = record;
      if (record.kind !== 'Order') continue;
      const child = this.#childOf(record);
      if (child === null) continue;
      const order = this.#orderOf(child, record);
      if (order !== null) updates.push({ child, order, fill: traded === null ? null : this.#fillOf(child, traded) });
    }
    return updates;
  }

  /** Binance counts the expiry from the timestamp of the request, which is the time of its sending. */
  protected async sendPlacement(order: ChildSubmission): Promise<PlaceAnswer> {
    const { calls, requests, instruments, onFinding } = this.#parts;
    const traded = instruments.at(order.instrument);
    const clientId = placedClientId(this.#codec, order);
    const outcome = await requests.send(calls.place, placeFields(order, clientId, traded), {
      requestClass: placementClassOf(order),
      check: (sent) => assertWrittenAs(order, clientId, traded, readPlacement(sent, traded)),
    });
    if (outcome.kind !== 'answer') return refusedOrUnknown(outcome, refusalOfError);
    const placed = readBinanceOrder(outcome.body, onFinding);
    if (placed === null) return { kind: 'unknown' };
    const answer = { kind: 'placed', venueOrderId: placed.venueOrderId as VenueOrderId, atMs: placed.atMs } as const;
    const seen = this.#orderOf(order, placed);
    if (seen === null) return answer;
    const fills = readPlacedFills(outcome.body, placed, onFinding).flatMap((fill) => this.#fillOf(order, fill) ?? []);
    return { ...answer, result: { order: seen, fills } };
  }

  protected async sendCancel(target: ChildTarget): Promise<CancelAnswer> {
    const outcome = await this.#parts.requests.send(this.#parts.calls.cancel, this.#nameOf(target), {
      requestClass: 'CANCEL',
    });
    if (outcome.kind !== 'answer') return refusedOrUnknown(outcome, refusalOfError);
    const record = readBinanceOrder(outcome.body, this.#parts.onFinding);
    return { kind: 'cancelled', order: record === null ? null : this.#orderOf(target, record) };
  }

  protected async sendLookUp(target: ChildTarget): Promise<LookUpAnswer> {
    const { calls, requests, onFinding } = this.#parts;
    const found = await requests.send(calls.order, this.#nameOf(target), { requestClass: 'STATUS' });
    if (found.kind === 'error' && isAbsence(found.error)) return { kind: 'absent' };
    if (found.kind !== 'answer') return { kind: 'unknown' };
    const record = readBinanceOrder(found.body, onFinding);
    return record === null ? { kind: 'unknown' } : this.#found(target, record);
  }

  protected override async findInLists(target: ChildTarget): Promise<LookUpAnswer> {
    const { instruments, nowMs } = this.#parts;
    const symbol = instruments.at(target.instrument).exchangeSymbol;
    const check = this.#absenceChecks.get(symbol) ?? this.#newAbsenceCheck(symbol);
    const clientId = this.#codec.encode(target.orderId, target.child) ?? '';
    const record = await check.find({ clientId, submittedAtMs: target.submittedAtMs }, nowMs());
    if (record === 'ABSENT') return { kind: 'absent' };
    return record === 'UNKNOWN' ? { kind: 'unknown' } : this.#found(target, record);
  }

  #newAbsenceCheck(symbol: string): AbsenceCheck {
    const { calls, requests, onFinding } = this.#parts;
    const check = new AbsenceCheck({
      open: () => this.#records(calls.openOrdersOfSymbol, openOrdersFields(symbol), LOOK_UP),
      placed: (range) => this.#records(calls.allOrders, allOrdersFields(symbol, range), LOOK_UP),
      trades: async (range) => {
        const page = await requests.send(calls.tradesOfSymbol, symbolTradesFields(symbol, range), {
          requestClass: 'STATUS',
        });
        if (page.kind !== 'answer') return null;
        const { records, isComplete } = readBinanceFills(page.body, onFinding);
        return isComplete ? records : null;
      },
      named: async (venueOrderId) => {
        const named = await requests.send(calls.order, orderIdFields(symbol, venueOrderId), { requestClass: 'STATUS' });
        return named.kind === 'answer' ? readBinanceOrder(named.body, onFinding) : null;
      },
    });
    this.#absenceChecks.set(symbol, check);
    return check;
  }

  /** null: not read completely. */
  async #records(
    call: BinanceCall,
    fields: Fields,
    { requestClass, waitsMax }: ListSending,
  ): Promise<readonly OrderRecord[] | null> {
    const { requests, onFinding } = this.#parts;
    const outcome = await sendInTime(() => requests.send(call, fields, { requestClass }), waitsMax);
    if (outcome.kind !== 'answer') return null;
    const { records, isComplete } = readBinanceOrders(outcome.body, onFinding);
    return isComplete ? records : null;
  }

  /** The order, and its trades if it has some. */
  async #found(target: ChildTarget, record: OrderRecord): Promise<LookUpAnswer> {
    const order = this.#orderOf(target, record);
    if (order === null) return { kind: 'unknown' };
    if (order.filled === 0) return { kind: 'found', order, fills: [] };
    const trades = await this.#tradesOf(target, record);
    if (trades === null) return { kind: 'unknown' };
    return foundOrder(order, [...trades], this.#parts.instruments.at(target.instrument), (fill) =>
      this.#fillOf(target, fill),
    );
  }

  /** null: a page was not read. */
  #tradesOf(target: ChildTarget, { venueOrderId, filled }: OrderRecord): Promise<Iterable<FillRecord> | null> {
    const { calls, requests, instruments, nowMs, onFinding } = this.#parts;
    const traded = instruments.at(target.instrument);
    return tradesOfOrder({
      isFuture: traded.isFuture,
      submittedAtMs: target.submittedAtMs,
      nowMs: nowMs(),
      read: async (range) => {
        const fields = tradesFields(venueOrderId, traded, range);
        const page = await requests.send(calls.trades, fields, { requestClass: 'STATUS' });
        return page.kind === 'answer' ? readBinanceFills(page.body, onFinding).records : null;
      },
      isWhole: (trades) => {
        let sum = 0;
        for (const { quantity } of trades) sum += lotsOf(quantity, traded) ?? 0;
        return sum === lotsOf(filled, traded);
      },
    });
  }

  protected async readOpenOrders(): Promise<readonly OpenOrder[] | null> {
    const records = await this.#records(this.#parts.calls.openOrders, { recvWindow: RECV_WINDOW }, LOOK_UP);
    if (records === null) return null;
    return openOrders(
      records,
      (record) => this.#childOf(record),
      (child, record) => this.#orderOf(child, record),
    );
  }

  /** The open orders first: one that ends meanwhile is in a later list with its end. */
  protected async readOrders({ instruments, sinceMs }: PlacedQuery): Promise<OrRejection<readonly ListedOrder[]>> {
    const { calls, nowMs } = this.#parts;
    const open = await this.#records(calls.openOrders, { recvWindow: RECV_WINDOW }, LISTING);
    if (open === null) return NOT_LISTED;
    const records = [...open];
    for (const symbol of new Set(instruments.map((index) => this.#parts.instruments.at(index).exchangeSymbol))) {
      // One after the other: the exchange limits requests.
      // oxlint-disable-next-line no-await-in-loop
      const placed = await placedSince(
        (range) => this.#records(calls.allOrders, allOrdersFields(symbol, range), LISTING),
        sinceMs,
        nowMs,
      );
      if (placed === null) return NOT_LISTED;
      records.push(...placed);
    }
    const own = records.flatMap((record) => this.#placedOf(record, instruments) ?? []);
    return listedOrders(own, (index) => this.#parts.instruments.at(index));
  }

  #placedOf(record: OrderRecord, instruments: readonly InstrumentIndex[]): PlacedRecord | null {
    const { symbol } = record;
    return placedRecord(record, this.#codec, {
      known: (name) => this.#parts.instrumentOf(name, symbol),
      rows: instruments.filter((index) => this.#parts.instruments.at(index).exchangeSymbol === symbol),
    });
  }

  #nameOf({ orderId, child, instrument }: ChildTarget) {
    return nameFields(this.#codec.encode(orderId, child) ?? '', this.#parts.instruments.at(instrument));
  }

  #childOf(record: OrderRecord): ReportedChild | null {
    return reportedChild(record, this.#codec, (name, symbol) => this.#parts.instrumentOf(name, symbol));
  }

  /** null: a state or quantity that the model cannot represent. */
  #orderOf({ instrument }: Pick<ReportedChild, 'instrument'>, record: OrderRecord): ReportedOrder | null {
    return reportedOrder(record, this.#parts.instruments.at(instrument), causeOfEnd);
  }

  #fillOf({ instrument }: Pick<ReportedChild, 'instrument'>, record: FillRecord): ReportedFill | null {
    return reportedFill(record, this.#parts.instruments.at(instrument), record.feeAsset ?? '');
  }
}

const NOT_LISTED = reject('EXCHANGE_NOT_AVAILABLE', 'BINANCE has not listed all orders of the account');
const RECV_WINDOW = String(BINANCE_RECV_WINDOW_MS);
