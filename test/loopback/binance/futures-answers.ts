import { divide, formatShort, formatUnits, placesOf, type Units } from '../decimal.js';
import type { FuturesClearing, Position } from '../futures-clearing.js';
import type { LoopbackInstrument } from '../instrument.js';
import type { LedgerFill } from '../ledger.js';
import type { LoopbackOrder, OrderState } from '../order.js';
import { type ReportedOrder, wireStatus } from './order-view.js';

export function averagePrice({ filled, quoteFilled }: OrderState): Units {
  return divide(quoteFilled, filled);
}

/**
 * An order in the answers to new orders, cancels, look-ups and lists. Only look-ups and lists have the time of
 * acceptance.
 */
export function futuresOrderAnswer({ order, state }: ReportedOrder, { hasTime }: { hasTime: boolean }): object {
  const { terms, acceptedAtMs } = order;
  const { instrument } = terms;
  const price = (value: Units): string => formatUnits(value, placesOf(instrument.tick));
  const quantity = (value: Units): string => formatUnits(value, placesOf(instrument.lot));
  return {
    orderId: order.id,
    symbol: instrument.symbol,
    status: wireStatus(state.status),
    clientOrderId: terms.clientId,
    price: price(terms.price),
    avgPrice: formatUnits(averagePrice(state), 5),
    origQty: quantity(terms.quantity),
    executedQty: quantity(state.filled),
    ...(!hasTime && { cumQty: quantity(state.filled) }),
    cumQuote: formatUnits(state.quoteFilled, 5),
    timeInForce: terms.wireTimeInForce,
    type: terms.wireType,
    reduceOnly: terms.isReduceOnly,
    closePosition: false,
    side: terms.side,
    positionSide: terms.positionSide,
    stopPrice: price(0n),
    workingType: 'CONTRACT_PRICE',
    priceProtect: false,
    origType: terms.wireType,
    priceMatch: 'NONE',
    selfTradePreventionMode: terms.prevention,
    goodTillDate: 0,
    ...(hasTime && { time: acceptedAtMs }),
    updateTime: state.atMs,
  };
}

/** The order as it was when it reached the book: what an ACK shows. */
export function acknowledged(order: LoopbackOrder): ReportedOrder {
  return { order, state: { atMs: order.acceptedAtMs, status: 'NEW', filled: 0n, quoteFilled: 0n, isWorking: true } };
}

export function futuresTradeAnswer(fill: LedgerFill, instrument: LoopbackInstrument): object {
  return {
    symbol: fill.symbol,
    id: fill.tradeId,
    orderId: fill.orderId,
    side: fill.side,
    price: formatUnits(fill.price, placesOf(instrument.tick)),
    qty: formatUnits(fill.quantity, placesOf(instrument.lot)),
    realizedPnl: formatUnits(fill.realizedPnl),
    quoteQty: formatShort(fill.quoteQuantity),
    commission: formatUnits(fill.fee),
    commissionAsset: fill.feeAsset,
    time: fill.atMs,
    positionSide: fill.positionSide,
    maker: fill.isMaker,
    buyer: fill.side === 'BUY',
  };
}

/** One asset of one futures wallet. */
export interface AssetRow {
  readonly account: number;
  readonly asset: string;
  readonly wallet: Units;
  readonly updatedAtMs: number;
}

/** One asset in the account answers. The version 2 has one member more. */
export function assetAnswer(
  clearing: FuturesClearing,
  { account, asset, wallet, updatedAtMs }: AssetRow,
  { isV2 }: { isV2: boolean },
): Record<string, unknown> {
  const positions = asset === 'USDT' ? clearing.openPositions(account) : [];
  const profit = positions.reduce((sum, position) => sum + clearing.unrealized(position), 0n);
  const margin = positions.reduce((sum, position) => sum + clearing.initialMargin(account, position), 0n);
  const orders = asset === 'USDT' ? clearing.orderMargin(account) : 0n;
  const available = formatUnits(asset === 'USDT' ? clearing.available(account, asset) : wallet);
  return {
    asset,
    walletBalance: formatUnits(wallet),
    unrealizedProfit: formatUnits(profit),
    marginBalance: formatUnits(wallet + profit),
    maintMargin: formatUnits(margin / 10n),
    initialMargin: formatUnits(margin + orders),
    positionInitialMargin: formatUnits(margin),
    openOrderInitialMargin: formatUnits(orders),
    crossWalletBalance: formatUnits(wallet),
    crossUnPnl: formatUnits(profit),
    availableBalance: available,
    maxWithdrawAmount: available,
    ...(isV2 && { marginAvailable: true }),
    // Clients take an asset with the time 0 for one that the account never had.
    updateTime: updatedAtMs,
  };
}

const MAX_NOTIONAL = '250000000';

/** A position in `/fapi/v2/account`. */
export function accountPositionV2(clearing: FuturesClearing, account: number, position: Position): object {
  const margin = formatUnits(clearing.initialMargin(account, position));
  return {
    symbol: position.symbol,
    initialMargin: margin,
    maintMargin: formatUnits(clearing.initialMargin(account, position) / 10n),
    unrealizedProfit: formatUnits(clearing.unrealized(position)),
    positionInitialMargin: margin,
    openOrderInitialMargin: '0',
    leverage: String(clearing.leverage(account, position.symbol)),
    isolated: false,
    entryPrice: formatUnits(position.entryPrice, 5),
    maxNotional: MAX_NOTIONAL,
    bidNotional: '0',
    askNotional: '0',
    positionSide: position.side,
    positionAmt: formatShort(position.amount),
    updateTime: position.updatedAtMs,
  };
}

/** A position in `/fapi/v3/account`. */
export function accountPositionV3(
  clearing: FuturesClearing,
  { account, position, mark }: { account: number; position: Position; mark: Units },
): object {
  const margin = clearing.initialMargin(account, position);
  return {
    symbol: position.symbol,
    positionSide: position.side,
    positionAmt: formatShort(position.amount),
    unrealizedProfit: formatUnits(clearing.unrealized(position)),
    isolatedMargin: '0',
    notional: formatShort((position.amount * mark) / 100_000_000n),
    isolatedWallet: '0',
    initialMargin: formatUnits(margin),
    maintMargin: formatUnits(margin / 10n),
    updateTime: position.updatedAtMs,
  };
}

/** A position in `positionRisk`, of version 2 or 3. */
export function riskAnswer(
  clearing: FuturesClearing,
  { account, position, mark }: { account: number; position: Position; mark: Units },
  { isV2 }: { isV2: boolean },
): object {
  const margin = formatUnits(clearing.initialMargin(account, position));
  const head = {
    symbol: position.symbol,
    positionAmt: formatShort(position.amount),
    entryPrice: formatUnits(position.entryPrice, 5),
    breakEvenPrice: formatUnits(position.entryPrice, 5),
    markPrice: formatUnits(mark),
    unRealizedProfit: formatUnits(clearing.unrealized(position)),
    liquidationPrice: '0',
    isolatedMargin: '0.00000000',
    positionSide: position.side,
    notional: formatShort((position.amount * mark) / 100_000_000n),
    isolatedWallet: '0',
    updateTime: position.updatedAtMs,
  };
  if (isV2) {
    const leverage = String(clearing.leverage(account, position.symbol));
    return { ...head, leverage, maxNotionalValue: MAX_NOTIONAL, marginType: 'cross', isAutoAddMargin: 'false' };
  }
  return {
    ...head,
    marginAsset: 'USDT',
    initialMargin: margin,
    maintMargin: formatUnits(clearing.initialMargin(account, position) / 10n),
    positionInitialMargin: margin,
    openOrderInitialMargin: '0',
    adl: 0,
    bidNotional: '0',
    askNotional: '0',
  };
}
