import type { Amount } from '../model/amount.js';
import type { Venue } from '../model/exchange.js';
import type { AccountId, ChildNumber, OrderId, VenueOrderId, VenueTradeId } from '../model/ids.js';
import type { ChildType, Liquidity, Side, TimeInForce } from '../model/order.js';
import type { Lots, Ticks } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';
import type { ChildSubmission } from '../model/venue-message.js';
import { decodeRow, encodeRow } from './row-text.js';
import type { TradingTerms } from './trading-terms.js';
import type { VenueAccount } from './venue-account.js';
import { VenueOrder, type FillRecord, type Standing } from './venue-order.js';

/** The symbol stands for the instrument: its index is the catalogue's affair. */
type OrderRow = [
  account: AccountId,
  venue: Venue,
  symbol: string,
  orderId: OrderId,
  child: ChildNumber,
  side: Side,
  quantity: Lots,
  type: ChildType,
  timeInForce: TimeInForce,
  limitPrice: Ticks | null,
  flags: number,
  sequence: number,
  filled: Lots,
  fillCount: number,
  standing: Standing,
];

const POST_ONLY = 1;
const REDUCE_ONLY = 2;

/** Gives the account and the terms that a stored order belongs to. */
export interface OrderContext {
  account(account: AccountId, venue: Venue): VenueAccount;
  terms(venue: Venue, symbol: string): TradingTerms;
}

export function encodeOrder(order: VenueOrder): Uint8Array {
  const { submission, terms, sequence, filled, standing } = order;
  const { account, venue, orderId, child, side, quantity, type, timeInForce, limitPrice } = submission;
  const flags = (submission.postOnly ? POST_ONLY : 0) | (submission.reduceOnly ? REDUCE_ONLY : 0);
  const fillCount = order.storedFills + order.freshFills.length;
  const { symbol } = terms.instrument;
  const row: OrderRow = [
    account,
    venue,
    symbol,
    orderId,
    child,
    side,
    quantity,
    type,
    timeInForce,
    limitPrice,
    flags,
    sequence,
    filled,
    fillCount,
    standing,
  ];
  return encodeRow(row);
}

export function decodeOrder(bytes: Uint8Array, context: OrderContext): VenueOrder {
  const [account, venue, symbol, orderId, child, side, quantity, type, timeInForce, limitPrice, flags, ...state] =
    decodeRow(bytes) as OrderRow;
  const [sequence, filled, fillCount, standing] = state;
  const terms = context.terms(venue, symbol);
  const submission: ChildSubmission = {
    account,
    venue,
    orderId,
    child,
    instrument: terms.instrument.index,
    side,
    quantity,
    type,
    timeInForce,
    limitPrice,
    postOnly: (flags & POST_ONLY) !== 0,
    reduceOnly: (flags & REDUCE_ONLY) !== 0,
  };
  const order = new VenueOrder(context.account(account, venue), terms, submission, { sequence, standing });
  order.filled = filled;
  order.storedFills = fillCount;
  return order;
}

type FillRow = [tradeId: VenueTradeId, quantity: Lots, price: Ticks, liquidity: Liquidity, fee: string, atMs: EpochMs];

/** The fills that one commit adds to an order. */
export function encodeFills(fills: readonly FillRecord[]): Uint8Array {
  const rows = fills.map(({ fill, atMs }): FillRow => [
    fill.tradeId,
    fill.quantity,
    fill.price,
    fill.liquidity,
    fill.fee.toString(),
    atMs,
  ]);
  return encodeRow(rows);
}

export function decodeFills(bytes: Uint8Array, feeCurrency: string, venueOrderId: VenueOrderId): FillRecord[] {
  return (decodeRow(bytes) as FillRow[]).map(([tradeId, quantity, price, liquidity, fee, atMs]) => ({
    fill: { tradeId, venueOrderId, quantity, price, liquidity, fee: BigInt(fee) as Amount, feeCurrency },
    atMs,
  }));
}
