import { divide, formatUnits, multiply, placesOf, type Units } from '../decimal.js';
import type { LedgerFill } from '../ledger.js';
import type { Market } from '../market.js';
import type { LoopbackOrder, OrderState, OrderTerms } from '../order.js';
import { executionId, orderIdText } from './exchange-ids.js';
import type { Category } from './instruments.js';
import { shownClientId } from './order-form.js';

/** An order as a request may see it. */
export interface ReportedOrder {
  readonly order: LoopbackOrder;
  readonly state: OrderState;
}

const SIDES = { BUY: 'Buy', SELL: 'Sell' } as const;
const SMP_TYPES = {
  NONE: 'None',
  EXPIRE_TAKER: 'CancelTaker',
  EXPIRE_MAKER: 'CancelMaker',
  EXPIRE_BOTH: 'CancelBoth',
  DECREMENT: 'None',
} as const;
const POSITION_INDEX = { BOTH: 0, LONG: 1, SHORT: 2 } as const;

export function positionIndex({ positionSide }: Pick<OrderTerms, 'positionSide'>): number {
  return POSITION_INDEX[positionSide];
}

/** How an order ended, in the words of Bybit. */
interface End {
  readonly orderStatus: string;
  readonly cancelType: string;
  readonly rejectReason: string;
}

function endOf(category: Category, { order: { terms }, state }: ReportedOrder): End {
  const open = { cancelType: 'UNKNOWN', rejectReason: 'EC_NoError' };
  const ended = category === 'spot' && state.filled > 0n ? 'PartiallyFilledCanceled' : 'Cancelled';
  switch (state.status) {
    case 'NEW':
      return { orderStatus: 'New', ...open };
    case 'PARTIALLY_FILLED':
      return { orderStatus: 'PartiallyFilled', ...open };
    case 'FILLED':
      return { orderStatus: 'Filled', ...open };
    case 'CANCELED':
      return { orderStatus: ended, cancelType: 'CancelByUser', rejectReason: 'EC_PerCancelRequest' };
    case 'PREVENTED':
      return { orderStatus: ended, cancelType: 'CancelBySmp', rejectReason: 'EC_NoError' };
    case 'EXPIRED':
      if (terms.isPostOnly) {
        const orderStatus = category === 'spot' ? 'Rejected' : 'Cancelled';
        return { orderStatus, cancelType: 'UNKNOWN', rejectReason: 'EC_PostOnlyWillTakeLiquidity' };
      }
      if (terms.timeInForce === 'GTC' && terms.type === 'LIMIT') {
        return { orderStatus: ended, cancelType: 'CancelByAdmin', rejectReason: 'EC_NoError' };
      }
      return {
        orderStatus: ended,
        cancelType: 'UNKNOWN',
        rejectReason: terms.timeInForce === 'FOK' ? 'EC_CancelForNoFullFill' : 'EC_NoImmediateQtyToFill',
      };
    default:
      state.status satisfies never;
      throw new RangeError('no such status');
  }
}

/** Texts with as many digits as the instrument has. */
function writerOf({ instrument }: OrderTerms) {
  return {
    price: (value: Units) => formatUnits(value, placesOf(instrument.tick)),
    quantity: (value: Units) => formatUnits(value, placesOf(instrument.lot)),
  };
}

/** An order in answers to look-ups, and in the stream. `fee` is what its fills have cost. */
export function orderRow(category: Category, seen: ReportedOrder, fee: Units): Record<string, unknown> {
  const { order, state } = seen;
  const { terms } = order;
  const write = writerOf(terms);
  const end = endOf(category, seen);
  const isOpen = end.orderStatus === 'New' || end.orderStatus === 'PartiallyFilled';
  const leaves = isOpen ? terms.quantity - state.filled : 0n;
  return {
    orderId: orderIdText(category, order.id),
    orderLinkId: shownClientId(terms),
    blockTradeId: '',
    symbol: terms.instrument.symbol,
    price: write.price(terms.price),
    qty: write.quantity(terms.quantity),
    side: SIDES[terms.side],
    isLeverage: category === 'spot' ? '0' : '',
    positionIdx: positionIndex(terms),
    ...end,
    avgPrice: state.filled === 0n ? '' : write.price(divide(state.quoteFilled, state.filled)),
    leavesQty: write.quantity(leaves),
    leavesValue: formatUnits(multiply(leaves, terms.price)),
    cumExecQty: write.quantity(state.filled),
    cumExecValue: formatUnits(state.quoteFilled),
    cumExecFee: formatUnits(fee),
    timeInForce: terms.wireTimeInForce,
    orderType: terms.wireType,
    stopOrderType: '',
    orderIv: '',
    marketUnit: terms.quoteQuantity > 0n ? 'quoteCoin' : '',
    triggerPrice: '',
    takeProfit: '',
    stopLoss: '',
    tpLimitPrice: '',
    slLimitPrice: '',
    tpTriggerBy: '',
    slTriggerBy: '',
    triggerDirection: 0,
    triggerBy: '',
    lastPriceOnCreated: '',
    reduceOnly: terms.isReduceOnly,
    closeOnTrigger: false,
    placeType: '',
    smpType: SMP_TYPES[terms.prevention],
    smpGroup: 0,
    smpOrderId: '',
    createdTime: String(order.acceptedAtMs),
    updatedTime: String(state.atMs),
    // Spot orders lack these two members.
    ...(category === 'linear' && { createType: 'CreateByUser', tpslMode: '' }),
  };
}

/** One fill in execution/list, and in the stream. `leaves` is what the order had left after it. */
export function executionRow(
  category: Category,
  fill: LedgerFill,
  { order, leaves, market }: { order: LoopbackOrder; leaves: Units; market: Market },
): Record<string, unknown> {
  const { terms } = order;
  const write = writerOf(terms);
  const { instrument } = terms;
  return {
    symbol: fill.symbol,
    orderType: terms.wireType,
    underlyingPrice: '',
    orderLinkId: shownClientId(terms),
    side: SIDES[fill.side],
    indexPrice: '',
    orderId: orderIdText(category, fill.orderId),
    stopOrderType: category === 'spot' ? '' : 'UNKNOWN',
    leavesQty: write.quantity(leaves),
    execTime: String(fill.atMs),
    feeCurrency: category === 'spot' ? fill.feeAsset : '',
    isMaker: fill.isMaker,
    execFee: formatUnits(fill.fee),
    feeRate: formatUnits(fill.isMaker ? instrument.makerRate : instrument.takerRate, 6),
    execId: executionId(category, fill),
    tradeIv: '',
    blockTradeId: '',
    markPrice: write.price(market.lastPrice),
    execPrice: write.price(fill.price),
    markIv: '',
    orderQty: write.quantity(terms.quantity),
    orderPrice: write.price(terms.price),
    execValue: formatUnits(fill.quoteQuantity),
    execType: 'Trade',
    execQty: write.quantity(fill.quantity),
    closedSize: '',
    extraFees: '',
    seq: market.updateId,
    ...(category === 'linear' && { createType: 'CreateByUser' }),
  };
}
