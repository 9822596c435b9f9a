import type { Amount } from '../model/amount.js';
import type { Venue } from '../model/exchange.js';
import type { VenueTradeId } from '../model/ids.js';
import type { ChildType, Liquidity, Side, TimeInForce } from '../model/order.js';
import type { Lots, Ticks } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';
import type { ChildRef, ChildSubmission } from '../model/venue-message.js';
import { decodeRow, encodeRow } from './row-text.js';
import type { TradingTerms } from './trading-terms.js';
import type { VenueAccount } from './venue-account.js';
import { VenueOrder, type FillRecord, type Standing } from './venue-order.js';

/** The key names the order. The symbol stands for the instrument: its index is the catalogue's affair. */
type OrderRow = [
  symbol: string,
  side: Side,
  quantity: Lots,
  type: ChildType,
  timeInForce: TimeInForce,
  limitPrice: Ticks | null,
  flags: number,
  sequence: number,
  filled: Lots,
  storedFills: number,
  standing: Standing,
  freshFills: FillRow[],
];

type FillRow = [tradeId: VenueTradeId, quantity: Lots, price: Ticks, liquidity: Liquidity, fee: string, atMs: EpochMs];

const POST_ONLY = 1;
const REDUCE_ONLY = 2;

export type TermsLookup = (venue: Venue, symbol: string) => TradingTerms;

export function encodeOrder({
  submission,
  terms,
  sequence,
  filled,
  storedFills,
  standing,
  freshFills,
}: VenueOrder): Uint8Array {
  const { side, quantity, type, timeInForce, limitPrice } = submission;
  const row: OrderRow = [
    terms.instrument.symbol,
    side,
    quantity,
    type,
    timeInForce,
    limitPrice,
    (submission.postOnly ? POST_ONLY : 0) | (submission.reduceOnly ? REDUCE_ONLY : 0),
    sequence,
    filled,
    storedFills,
    standing,
    freshFills.map(fillRow),
  ];
  return encodeRow(row);
}

interface OrderContext {
  readonly account: VenueAccount;
  readonly terms: TermsLookup;
}

export function decodeOrder(bytes: Uint8Array, ref: ChildRef, context: OrderContext): VenueOrder {
  const [symbol, side, quantity, type, timeInForce, limitPrice, flags, ...state] = decodeRow(bytes) as OrderRow;
  const [sequence, filled, storedFills, standing, freshFills] = state;
  const { account, venue, orderId, child } = ref;
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
  const order = new VenueOrder(context.account, terms, submission, { sequence, standing });
  order.filled = filled;
  order.storedFills = storedFills;
  order.freshFills = freshFills.map((row) => fillRecord(row, order));
  return order;
}

/** The fills that one commit adds to an order which stays open. */
export function encodeFills(fills: readonly FillRecord[]): Uint8Array {
  return encodeRow(fills.map(fillRow));
}

export function decodeFills(bytes: Uint8Array, order: VenueOrder): FillRecord[] {
  return (decodeRow(bytes) as FillRow[]).map((row) => fillRecord(row, order));
}

function fillRow({ fill, atMs }: FillRecord): FillRow {
  return [fill.tradeId, fill.quantity, fill.price, fill.liquidity, fill.fee.toString(), atMs];
}

function fillRecord([tradeId, quantity, price, liquidity, fee, atMs]: FillRow, order: VenueOrder): FillRecord {
  const { venueOrderId, terms } = order;
  const feeCurrency = terms.instrument.quote;
  return { fill: { tradeId, venueOrderId, quantity, price, liquidity, fee: BigInt(fee) as Amount, feeCurrency }, atMs };
}
