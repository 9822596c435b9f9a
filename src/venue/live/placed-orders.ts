import type { VenueOrderId } from '../../domain/ids.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import type { Ticks } from '../../domain/quantity.js';
import { parseSteps, stepsOfUnits } from '../../domain/quantity.js';
import { type OrRejection, reject } from '../../domain/rejection.js';
import type { ListedOrder } from '../../domain/venue-report.js';
import type { ChildName, ClientIdCodec } from './client-id/codec.js';
import type { OrderRecord } from './normal/records.js';
import { lotsOf } from './reported-records.js';
import type { TradedInstrument } from './wire-guard.js';

/** An order of this service in a list of its exchange. */
export interface PlacedRecord {
  readonly name: ChildName;
  readonly record: OrderRecord;
  /** null: its market has had several lots or ticks, and nothing says which of them the order counts in. */
  readonly instrument: InstrumentIndex | null;
}

/**
 * The record as an order of this service; null: it is another's. `known`: the instrument that the child was placed
 * with. Without it the order counts in the row of its market, if the market has one row alone.
 */
export function placedRecord(
  record: OrderRecord,
  codec: ClientIdCodec,
  { known, rows }: { known: (name: ChildName) => InstrumentIndex | null; rows: readonly InstrumentIndex[] },
): PlacedRecord | null {
  const name = record.clientId === null ? null : codec.decode(record.clientId);
  if (name === null) return null;
  return { name, record, instrument: known(name) ?? (rows.length === 1 ? rows[0]! : null) };
}

/**
 * Orders as a restored service adopts them, each once: a later record of an order replaces an earlier one. Rejected:
 * one of them cannot be stated exactly.
 */
export function listedOrders(
  placed: readonly PlacedRecord[],
  at: (instrument: InstrumentIndex) => TradedInstrument,
): OrRejection<readonly ListedOrder[]> {
  const orders = new Map<string, ListedOrder>();
  for (const { name, record, instrument } of placed) {
    if (record.state === 'REJECTED') continue;
    const order = instrument === null ? null : listedOrder(name, record, { instrument, grid: at(instrument) });
    const what = `order ${name.orderId}-${name.child} of ${record.symbol}`;
    if (order === null) return reject('EXCHANGE_ERROR', `${what} does not fit the lots and ticks of its market`);
    orders.set(`${name.orderId}-${name.child}`, order);
  }
  return [...orders.values()];
}

function listedOrder(
  { orderId, child }: ChildName,
  { side, state, quantity, price, filled, venueOrderId, atMs }: OrderRecord,
  { instrument, grid }: { readonly instrument: InstrumentIndex; readonly grid: TradedInstrument },
): ListedOrder | null {
  const [placed, traded] = [lotsOf(quantity, grid), lotsOf(filled, grid)];
  const limit = price === null ? null : stepsOfUnits(parseSteps(price, grid.pricePrecision), grid.priceStep);
  const isExact = placed !== null && traded !== null && (limit === null || typeof limit === 'number');
  if (!isExact || state === 'UNKNOWN' || state === 'REJECTED') return null;
  return {
    orderId,
    child,
    instrument,
    side,
    quantity: placed,
    type: limit === null ? 'MARKET' : 'LIMIT',
    timeInForce: limit === null ? 'IOC' : 'GTC',
    limitPrice: limit as Ticks | null,
    postOnly: false,
    reduceOnly: false,
    state,
    venueOrderId: venueOrderId as VenueOrderId,
    filled: traded,
    changedAtMs: atMs,
  };
}
