import type { Amount, Lots, Ticks } from '../../domain/quantity.js';
import { assert, type Rejection, type RejectionCode } from '../../domain/rejection.js';
import type { VenueOrderId, VenueTradeId } from '../../domain/ids.js';
import type { SelfTradePrevention } from '../../domain/instrument.js';
import type { EpochMs } from '../../domain/time.js';
import type { ChildRef, ChildSubmission } from '../../domain/venue-message.js';
import { RowReader, RowWriter } from '../store/row-codec.js';
import type { TermsLookup } from '../account/account-registry.js';
import type { TradingTerms } from '../account/trading-terms.js';
import type { VenueAccount } from '../account/venue-account.js';
import { VenueOrder, type FillRecord, type VenueOrderState } from './venue-order.js';

/** Flag bits; without flags: a LIMIT GTC buy order. */
const SELL = 1;
const MARKET = 2;
const IOC = 4;
const POST_ONLY = 8;
const REDUCE_ONLY = 16;
/** The bits above contain the number of the prevention mode. */
const PREVENTION_SHIFT = 5;
const PREVENTIONS: readonly SelfTradePrevention[] = [
  'NONE',
  'EXPIRE_TAKER',
  'EXPIRE_MAKER',
  'EXPIRE_BOTH',
  'DECREMENT',
];
const STATES = ['OPEN', 'FILLED', 'CANCELLED', 'REJECTED'] as const;

export interface OrderContext {
  readonly account: VenueAccount;
  readonly terms: TermsLookup;
}

const writer = new RowWriter();

/**
 * The row's key names the order. The row stores the symbol, because an instrument index may change with the catalogue.
 */
export function encodeOrder(order: VenueOrder): Uint8Array {
  const { submission, terms } = order;
  writer
    .text(terms.instrument.symbol)
    .byte(flagsOf(submission))
    .number(submission.quantity)
    .number(submission.limitPrice ?? 0)
    .number(order.sequence)
    .number(order.filled)
    .number(order.prevented)
    .number(order.storedFills);
  writeState(order.state);
  writeFills(order.freshFills);
  writer.number(order.changedAtMs);
  return writer.take();
}

export function decodeOrder(bytes: Uint8Array, ref: ChildRef, context: OrderContext): VenueOrder {
  const row = new RowReader(bytes);
  const terms = context.terms(ref.venue, row.text());
  const submission = readSubmission(row, ref, terms);
  const sequence = row.number();
  const filled = row.number() as Lots;
  const prevented = row.number() as Lots;
  const storedFills = row.number();
  const order = new VenueOrder(context.account, terms, submission, { sequence, state: readState(row) });
  order.filled = filled;
  order.prevented = prevented;
  order.storedFills = storedFills;
  order.freshFills = readFills(row, order);
  order.changedAtMs = row.number() as EpochMs;
  return order;
}

/** The fills that one commit adds to an order that stays open. */
export function encodeFills(fills: readonly FillRecord[]): Uint8Array {
  writeFills(fills);
  return writer.take();
}

export function decodeFills(bytes: Uint8Array, order: VenueOrder): FillRecord[] {
  return readFills(new RowReader(bytes), order);
}

function flagsOf(submission: ChildSubmission): number {
  const { side, type, timeInForce, postOnly, reduceOnly, selfTradePrevention } = submission;
  return (
    (side === 'SELL' ? SELL : 0) |
    (type === 'MARKET' ? MARKET : 0) |
    (timeInForce === 'IOC' ? IOC : 0) |
    (postOnly ? POST_ONLY : 0) |
    (reduceOnly ? REDUCE_ONLY : 0) |
    (PREVENTIONS.indexOf(selfTradePrevention) << PREVENTION_SHIFT)
  );
}

function readSubmission(row: RowReader, ref: ChildRef, { instrument }: TradingTerms): ChildSubmission {
  const { account, venue, orderId, child } = ref;
  const flags = row.byte();
  const quantity = row.number() as Lots;
  const limitPrice = row.number() as Ticks;
  const selfTradePrevention = PREVENTIONS[flags >> PREVENTION_SHIFT];
  assert(selfTradePrevention !== undefined, 'a stored order has a mode of self-trade prevention');
  return {
    account,
    venue,
    orderId,
    child,
    instrument: instrument.index,
    side: (flags & SELL) === 0 ? 'BUY' : 'SELL',
    quantity,
    type: (flags & MARKET) === 0 ? 'LIMIT' : 'MARKET',
    timeInForce: (flags & IOC) === 0 ? 'GTC' : 'IOC',
    limitPrice: limitPrice === 0 ? null : limitPrice,
    postOnly: (flags & POST_ONLY) !== 0,
    reduceOnly: (flags & REDUCE_ONLY) !== 0,
    selfTradePrevention,
  };
}

function writeState(state: VenueOrderState): void {
  const venueOrderId = state.state === 'REJECTED' ? '' : state.venueOrderId;
  const reason = reasonOf(state);
  writer
    .byte(STATES.indexOf(state.state))
    .text(venueOrderId)
    .text(reason?.code ?? '')
    .text(reason?.message ?? '');
}

function reasonOf(state: VenueOrderState): Rejection | null {
  if (state.state === 'REJECTED') return state.rejection;
  return state.state === 'CANCELLED' ? state.cause : null;
}

function readState(row: RowReader): VenueOrderState {
  const state = STATES[row.byte()];
  assert(state !== undefined, 'a stored order has a state');
  const venueOrderId = row.text() as VenueOrderId;
  const rejection: Rejection = { code: row.text() as RejectionCode, message: row.text() };
  if (state === 'REJECTED') return { state, rejection };
  if (state === 'CANCELLED') return { state, venueOrderId, cause: rejection.message === '' ? null : rejection };
  return { state, venueOrderId };
}

function writeFills(fills: readonly FillRecord[]): void {
  writer.number(fills.length);
  for (const { fill, atMs } of fills) {
    writer
      .number(fill.tradeId)
      .number(fill.quantity)
      .number(fill.price)
      .byte(fill.liquidity === 'MAKER' ? 0 : 1)
      .integer(fill.fee)
      .number(atMs);
  }
}

function readFills(row: RowReader, { state, terms }: VenueOrder): FillRecord[] {
  const count = row.number();
  const feeCurrency = terms.instrument.quote;
  return Array.from({ length: count }, () => {
    assert(state.state !== 'REJECTED', 'a rejected order has no fills');
    const fill = {
      tradeId: row.number() as VenueTradeId,
      exchangeTradeId: '',
      venueOrderId: state.venueOrderId,
      quantity: row.number() as Lots,
      price: row.number() as Ticks,
      liquidity: row.byte() === 0 ? ('MAKER' as const) : ('TAKER' as const),
      fee: row.integer() as Amount,
      feeCurrency,
    };
    return { fill, atMs: row.number() as EpochMs };
  });
}
