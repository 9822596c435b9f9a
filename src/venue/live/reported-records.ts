import type { VenueOrderId } from '../../domain/ids.js';
import { amountOf, type Amount, AMOUNT_PRECISION, formatLots, formatTicks } from '../../domain/quantity.js';
import { type Grid, type Lots, parseSteps, stepsOfUnits, type Ticks } from '../../domain/quantity.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import type { Rejection } from '../../domain/rejection.js';
import { tradeIdsOf } from '../../domain/trade-id.js';
import type { ChildName, ClientIdCodec } from './client-id/codec.js';
import type { LookUpAnswer, OpenOrder, ReportedChild, ReportedFill, ReportedOrder } from './exchange-client.js';
import type { FillRecord, OrderRecord } from './normal/records.js';

/* Records of messages as the session sees them: quantities in lots, prices in ticks. */

/** null: not an order of this service, or its instrument is not known. */
export function reportedChild(
  { clientId, symbol }: Pick<OrderRecord, 'clientId' | 'symbol'>,
  codec: ClientIdCodec,
  instrumentOf: (child: ChildName, symbol: string) => InstrumentIndex | null,
): ReportedChild | null {
  const name = clientId === null ? null : codec.decode(clientId);
  const instrument = name === null ? null : instrumentOf(name, symbol);
  return name === null || instrument === null ? null : { ...name, instrument };
}

/** The orders of this service among open ones. Those that the model cannot represent are left out. */
export function openOrders(
  records: readonly OrderRecord[],
  childOf: (record: OrderRecord) => ReportedChild | null,
  orderOf: (child: ReportedChild, record: OrderRecord) => ReportedOrder | null,
): readonly OpenOrder[] {
  return records.flatMap((record) => {
    const child = childOf(record);
    const order = child === null ? null : orderOf(child, record);
    return child === null || order === null ? [] : [{ child, order }];
  });
}

/** `causeOf` says why the exchange ended the order. null: a state or quantity that the model cannot represent. */
export function reportedOrder(
  { venueOrderId, state, filled, reason, atMs }: OrderRecord,
  grid: Grid,
  causeOf: (reason: string) => Rejection | null,
): ReportedOrder | null {
  const lots = lotsOf(filled, grid);
  if (lots === null || state === 'UNKNOWN') return null;
  const isEnded = state === 'CANCELLED' || state === 'REJECTED';
  const cause = isEnded && reason !== null ? causeOf(reason) : null;
  return {
    venueOrderId: venueOrderId as VenueOrderId,
    state,
    filled: lots,
    cause: state === 'REJECTED' ? (cause ?? REFUSED) : cause,
    atMs,
  };
}

const REFUSED: Rejection = {
  code: 'EXCHANGE_ERROR',
  message: 'the exchange has refused the order and gives no reason',
};

/** The answer to a look-up. The fills are those of the order. */
export function foundOrder(
  order: ReportedOrder,
  records: readonly FillRecord[],
  grid: Grid,
  fillOf: (record: FillRecord) => ReportedFill | null,
): LookUpAnswer {
  const fills = records.flatMap((record) => fillOf(record) ?? []);
  const unstated = records.find((record) => !isOnGrid(record, grid));
  return { kind: 'found', order, fills, ...(unstated === undefined ? {} : { offGrid: offGridText(unstated, grid) }) };
}

function isOnGrid({ quantity, price }: FillRecord, grid: Grid): boolean {
  return lotsOf(quantity, grid) !== null && ticksOf(price, grid) !== null;
}

function offGridText({ tradeId, venueOrderId, symbol, quantity, price }: FillRecord, grid: Grid): string {
  const [lot, tick] = [formatLots(1 as Lots, grid), formatTicks(1 as Ticks, grid)];
  return (
    `trade ${tradeId} of order ${venueOrderId} in ${symbol}, ${quantity} at price ${price}, ` +
    `does not fit the lot ${lot} and the tick ${tick}`
  );
}

/**
 * null: off the grid, or without a readable fee. Money is exact: such a fill is looked up. A look-up reports one that
 * is off the grid, because no later one can state it: an exchange that makes its tick larger leaves resting orders at
 * their prices.
 */
export function reportedFill(record: FillRecord, grid: Grid, feeCurrency: string | null): ReportedFill | null {
  const quantity = lotsOf(record.quantity, grid);
  const price = ticksOf(record.price, grid);
  const fee = record.fee === null ? null : amountIn(record.fee);
  if (quantity === null || price === null || fee === null || feeCurrency === null) return null;
  const { tradeId, venueOrderId, liquidity, atMs } = record;
  const fill = {
    ...tradeIdsOf(tradeId),
    venueOrderId: venueOrderId as VenueOrderId,
    quantity,
    price,
    liquidity,
    fee,
    feeCurrency,
  };
  return { fill, atMs };
}

/** null: no multiple of a lot. */
export function lotsOf(quantity: string, { quantityPrecision, quantityStep }: Grid): Lots | null {
  const lots = stepsOfUnits(parseSteps(quantity, quantityPrecision), quantityStep);
  return typeof lots === 'number' ? (lots as Lots) : null;
}

/** null: no multiple of a tick. */
function ticksOf(price: string, { pricePrecision, priceStep }: Grid): Ticks | null {
  const ticks = stepsOfUnits(parseSteps(price, pricePrecision), priceStep);
  return typeof ticks === 'number' ? (ticks as Ticks) : null;
}

/** A canonical decimal text as an amount; negative for a rebate. null: more digits than an amount has. */
function amountIn(text: string): Amount | null {
  const isNegative = text.startsWith('-');
  const digits = isNegative ? text.slice(1) : text;
  const point = digits.indexOf('.');
  const precision = point === -1 ? 0 : digits.length - point - 1;
  if (precision > AMOUNT_PRECISION) return null;
  const units = BigInt(digits.replace('.', ''));
  return amountOf(isNegative ? -units : units, precision);
}
