import type { AssetCategory } from '../../domain/exchange.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import { amountOf, type Amount, type Lots, parseSteps, stepsOfUnits, type Ticks } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import { tradeIdsOf } from '../../domain/trade-id.js';
import type { VenueOrderId } from '../../domain/ids.js';
import type { ChildSubmission, ChildTarget } from '../../domain/venue-message.js';
import { clientIdRule } from './client-id/client-id-rules.js';
import { isAbsence, refusalOfError } from './dialect/binance-errors.js';
import { nameFields, placeFields, readPlacement, tradesFields } from './dialect/binance-orders.js';
import type {
  Answer,
  CancelAnswer,
  ExchangeLine,
  LookUpAnswer,
  OpenOrder,
  OrderUpdate,
  PlaceAnswer,
  SeenChild,
  SeenFill,
  SeenOrder,
} from './exchange-line.js';
import { readBinanceFills, readBinanceOrder, readBinanceOrders } from './normal/binance-account.js';
import { readBinanceFrame } from './normal/binance-frame.js';
import type { ReportFinding } from './normal/message.js';
import type { FillRecord, OrderRecord } from './normal/records.js';
import { type CcxtTransport, ErrorAnswer } from './transport/ccxt-transport.js';
import { assertWrittenAs, type TradedInstrument, WrongRequest } from './wire-guard.js';

/** The instruments of the exchange, by both names. */
export interface LineInstruments {
  at(index: InstrumentIndex): TradedInstrument;
  /** null: not listed here. */
  bySymbol(exchangeSymbol: string): InstrumentIndex | null;
}

export interface BinanceSpotLineParts {
  readonly transport: Pick<CcxtTransport, 'call' | 'expectOrder'>;
  readonly instruments: LineInstruments;
  readonly nowMs: () => EpochMs;
  readonly onFinding: ReportFinding;
}

const CATEGORY: AssetCategory = 'SPOT';

/** Requests to one account at Binance spot, by REST. */
export class BinanceSpotLine implements ExchangeLine {
  readonly #parts: BinanceSpotLineParts;
  readonly #codec = clientIdRule('BINANCE', CATEGORY)!.codec;

  constructor(parts: BinanceSpotLineParts) {
    this.#parts = parts;
  }

  place(order: ChildSubmission, _expiresAtMs: EpochMs, answer: Answer<PlaceAnswer>): void {
    void this.#place(order).then((outcome) => answer(outcome, this.#parts.nowMs()));
  }

  cancel(target: ChildTarget, answer: Answer<CancelAnswer>): void {
    void this.#cancel(target).then((outcome) => answer(outcome, this.#parts.nowMs()));
  }

  lookUp(target: ChildTarget, answer: Answer<LookUpAnswer>): void {
    void this.#lookUp(target).then((outcome) => answer(outcome, this.#parts.nowMs()));
  }

  openOrders(answer: Answer<readonly OpenOrder[] | null>): void {
    void this.#openOrders().then((orders) => answer(orders, this.#parts.nowMs()));
  }

  /** What a frame of the private stream says about orders of this service. */
  updatesIn(frame: unknown): OrderUpdate[] {
    let fill: SeenFill | null = null;
    const updates: OrderUpdate[] = [];
    for (const record of readBinanceFrame(frame, this.#parts.onFinding)) {
      if (record.kind === 'Fill') fill = this.#fillOf(record);
      if (record.kind !== 'Order') continue;
      const child = this.#childOf(record);
      const order = this.#orderOf(record);
      if (child !== null && order !== null) updates.push({ child, order, fill });
    }
    return updates;
  }

  async #place(order: ChildSubmission): Promise<PlaceAnswer> {
    const clientId = this.#codec.encode(order.orderId, order.child);
    const traded = this.#parts.instruments.at(order.instrument);
    try {
      if (clientId === null) throw new WrongRequest(`no client id for child ${order.orderId}-${order.child}`);
      const fields = placeFields(order, clientId, traded);
      this.#parts.transport.expectOrder(clientId, (sent) =>
        assertWrittenAs(order, clientId, traded, readPlacement(sent, traded)),
      );
      const body = await this.#parts.transport.call('privatePostOrder', fields);
      const placed = readBinanceOrder(body, this.#parts.onFinding);
      if (placed === null) return { kind: 'unknown' };
      return { kind: 'placed', venueOrderId: placed.venueOrderId as VenueOrderId, atMs: placed.atMs };
    } catch (error) {
      // Nothing has left.
      if (error instanceof WrongRequest) {
        return { kind: 'refused', rejection: { code: 'INVALID_ORDER', message: error.message } };
      }
      const rejection = error instanceof ErrorAnswer ? refusalOfError(error.answer) : null;
      return rejection === null ? { kind: 'unknown' } : { kind: 'refused', rejection };
    }
  }

  async #cancel(target: ChildTarget): Promise<CancelAnswer> {
    try {
      const body = await this.#parts.transport.call('privateDeleteOrder', this.#nameOf(target));
      const record = readBinanceOrder(body, this.#parts.onFinding);
      return { kind: 'cancelled', order: record === null ? null : this.#orderOf(record) };
    } catch (error) {
      const rejection = error instanceof ErrorAnswer ? refusalOfError(error.answer) : null;
      return rejection === null ? { kind: 'unknown' } : { kind: 'refused', rejection };
    }
  }

  /** The order, and its trades if it has some. */
  async #lookUp(target: ChildTarget): Promise<LookUpAnswer> {
    const { transport, instruments, onFinding } = this.#parts;
    try {
      const record = readBinanceOrder(await transport.call('privateGetOrder', this.#nameOf(target)), onFinding);
      const order = record === null ? null : this.#orderOf(record);
      if (record === null || order === null) return { kind: 'unknown' };
      if (order.filled === 0) return { kind: 'found', order, fills: [] };
      const traded = instruments.at(target.instrument);
      const trades = await transport.call('privateGetMyTrades', tradesFields(record.venueOrderId, traded));
      const { records } = readBinanceFills(trades, onFinding);
      return { kind: 'found', order, fills: records.flatMap((fill) => this.#fillOf(fill) ?? []) };
    } catch (error) {
      return error instanceof ErrorAnswer && isAbsence(error.answer) ? { kind: 'absent' } : { kind: 'unknown' };
    }
  }

  async #openOrders(): Promise<readonly OpenOrder[] | null> {
    const { transport, onFinding } = this.#parts;
    try {
      const { records, isComplete } = readBinanceOrders(await transport.call('privateGetOpenOrders', {}), onFinding);
      if (!isComplete) return null;
      return records.flatMap((record) => {
        const [child, order] = [this.#childOf(record), this.#orderOf(record)];
        return child === null || order === null ? [] : [{ child, order }];
      });
    } catch {
      return null;
    }
  }

  #nameOf({ orderId, child, instrument }: ChildTarget) {
    return nameFields(this.#codec.encode(orderId, child) ?? '', this.#parts.instruments.at(instrument));
  }

  /** null: not an order of this service, or of an instrument that it does not list. */
  #childOf({ clientId, symbol }: OrderRecord): SeenChild | null {
    const name = clientId === null ? null : this.#codec.decode(clientId);
    const instrument = this.#parts.instruments.bySymbol(symbol);
    return name === null || instrument === null ? null : { ...name, instrument };
  }

  /** null: a state or quantity that the model cannot represent. */
  #orderOf({ symbol, venueOrderId, state, filled, reason, atMs }: OrderRecord): SeenOrder | null {
    const lots = this.#lotsOf(symbol, filled);
    if (lots === null || state === 'UNKNOWN' || state === 'REJECTED') return null;
    const cause =
      state === 'CANCELLED' && reason !== null ? ({ code: 'EXCHANGE_ERROR', message: reason } as const) : null;
    return { venueOrderId: venueOrderId as VenueOrderId, state, filled: lots, cause, atMs };
  }

  #fillOf({
    symbol,
    tradeId,
    venueOrderId,
    quantity,
    price,
    liquidity,
    fee,
    feeAsset,
    atMs,
  }: FillRecord): SeenFill | null {
    const index = this.#parts.instruments.bySymbol(symbol);
    const lots = this.#lotsOf(symbol, quantity);
    if (index === null || lots === null) return null;
    const { pricePrecision, priceStep } = this.#parts.instruments.at(index);
    const ticks = stepsOfUnits(parseSteps(price, pricePrecision), priceStep);
    const charged = fee === null ? null : feeOf(fee);
    // Money is exact: a fill without a readable fee is looked up.
    if (typeof ticks !== 'number' || charged === null) return null;
    const fill = {
      ...tradeIdsOf(tradeId),
      venueOrderId: venueOrderId as VenueOrderId,
      quantity: lots,
      price: ticks as Ticks,
      liquidity,
      fee: charged,
      feeCurrency: feeAsset ?? '',
    };
    return { fill, atMs };
  }

  #lotsOf(symbol: string, quantity: string): Lots | null {
    const index = this.#parts.instruments.bySymbol(symbol);
    if (index === null) return null;
    const { quantityPrecision, quantityStep } = this.#parts.instruments.at(index);
    const lots = stepsOfUnits(parseSteps(quantity, quantityPrecision), quantityStep);
    return typeof lots === 'number' ? (lots as Lots) : null;
  }
}

/** A fee as an amount; a rebate is negative. null: more digits than Binance states. */
function feeOf(text: string): Amount | null {
  const isRebate = text.startsWith('-');
  const units = parseSteps(isRebate ? text.slice(1) : text, FEE_PRECISION);
  if (typeof units !== 'number') return null;
  return amountOf(isRebate ? -units : units, FEE_PRECISION);
}

/** Digits of fees at Binance. */
const FEE_PRECISION = 8;
