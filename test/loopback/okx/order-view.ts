import { divide, formatShort, multiply, type Units } from '../decimal.js';
import type { OrderEvent } from '../exchange-events.js';
import type { LedgerFill } from '../ledger.js';
import type { LoopbackOrder, OrderState } from '../order.js';
import { wireSize } from './instruments.js';
import { CANCEL_REASONS, type TradingAccounts, wireClientId, wireOrderId } from './trading-account.js';

const STATES = {
  NEW: 'live',
  PARTIALLY_FILLED: 'partially_filled',
  FILLED: 'filled',
  CANCELED: 'canceled',
  EXPIRED: 'canceled',
  PREVENTED: 'canceled',
} as const;

/** One entry of trade/order, orders-pending and orders-history. */
export function orderEntry(trading: TradingAccounts, order: LoopbackOrder, state: OrderState): Record<string, unknown> {
  const fills = trading.fillsOf(trading.accounts.at(order.terms.account)).filter((fill) => fill.orderId === order.id);
  return entry(trading, { order, state, fills: fills.filter(({ atMs }) => atMs <= state.atMs) });
}

/** One entry of the channel `orders`. Its member `fee` is the sum of the order, `fillFee` that of the fill. */
export function orderUpdate(trading: TradingAccounts, event: OrderEvent): Record<string, unknown> {
  const { order, state, fill, change } = event;
  const own = trading.fillsOf(trading.accounts.at(order.terms.account)).filter(({ orderId }) => orderId === order.id);
  const fills = fill === null ? own : own.slice(0, own.indexOf(fill) + 1);
  const instrument = trading.instrumentOf(order);
  const notional = fill === null ? '' : formatShort(multiply(fill.price, fill.quantity));
  const shown = { ...entry(trading, { order, state, fills }), ...fillMembers(fill) };
  return {
    ...shown,
    amendResult: change === 'AMENDED' ? '0' : '',
    amendSource: change === 'AMENDED' ? '1' : '',
    code: '0',
    execType: fill === null ? '' : liquidity(fill),
    fillFee: fill === null ? '0' : formatShort(-fill.fee),
    fillFeeCcy: fill?.feeAsset ?? '',
    fillNotionalUsd: notional,
    fillPnl: formatShort(fill?.realizedPnl ?? 0n),
    lastPx: formatShort(trading.market(instrument.instId).market.lastPrice),
    msg: '',
    notionalUsd: formatShort(multiply(order.terms.price, order.terms.quantity)),
    reqId: order.terms.wireMembers?.['reqId'] ?? '',
  };

  function fillMembers(of: LedgerFill | null): object {
    return {
      fillPx: of === null ? '' : formatShort(of.price),
      fillSz: of === null ? '0' : wireSize(instrument, of.quantity),
      fillTime: of === null ? '' : String(of.atMs),
      tradeId: of === null ? '' : String(of.tradeId),
    };
  }
}

/** One entry of trade/fills and trade/fills-history. */
export function fillEntry(trading: TradingAccounts, fill: LedgerFill): Record<string, string> {
  const { instrument } = trading.market(fill.symbol);
  return {
    billId: billId(fill),
    clOrdId: wireClientId(fill.clientId),
    execType: liquidity(fill),
    fee: formatShort(-fill.fee),
    feeCcy: fill.feeAsset,
    feeRate: '',
    fillFwdPx: '',
    fillIdxPx: '',
    fillMarkPx: '',
    fillMarkVol: '',
    fillPnl: formatShort(fill.realizedPnl),
    fillPx: formatShort(fill.price),
    fillPxUsd: '',
    fillPxVol: '',
    fillSz: wireSize(instrument, fill.quantity),
    fillTime: String(fill.atMs),
    instId: instrument.instId,
    instType: instrument.instType,
    ordId: wireOrderId(fill.orderId),
    posSide: posSide(fill.positionSide),
    side: fill.side.toLowerCase(),
    subType: '1',
    tag: '',
    tradeId: String(fill.tradeId),
    tradeQuoteCcy: instrument.core.quote,
    ts: String(fill.atMs),
  };
}

/** Bills are numbered over all instruments: by time, order and trade. */
export function billId({ atMs, orderId, tradeId }: LedgerFill): string {
  return (BigInt(atMs) * 1_000_000n + BigInt((orderId * 100 + tradeId) % 1_000_000)).toString();
}

export function posSide(side: LedgerFill['positionSide']): string {
  return side === 'BOTH' ? 'net' : side.toLowerCase();
}

function liquidity({ isMaker }: LedgerFill): string {
  return isMaker ? 'M' : 'T';
}

interface Shown {
  readonly order: LoopbackOrder;
  readonly state: OrderState;
  /** The fills up to this state. */
  readonly fills: readonly LedgerFill[];
}

function entry(trading: TradingAccounts, { order, state, fills }: Shown): Record<string, unknown> {
  const { terms } = order;
  const wire = terms.wireMembers ?? {};
  const instrument = trading.instrumentOf(order);
  const isSpot = instrument.instType === 'SPOT';
  const source = trading.cancelSource(order, state);
  const last = fills.at(-1);
  const sum = (of: (fill: LedgerFill) => Units): Units => fills.reduce((total, fill) => total + of(fill), 0n);
  return {
    accFillSz: wireSize(instrument, state.filled),
    algoClOrdId: '',
    algoId: '',
    attachAlgoClOrdId: '',
    attachAlgoOrds: [],
    avgPx: state.filled === 0n ? '' : formatShort(divide(state.quoteFilled, state.filled)),
    cTime: String(order.acceptedAtMs),
    cancelSource: source,
    cancelSourceReason: CANCEL_REASONS[source] ?? '',
    category: 'normal',
    ccy: '',
    clOrdId: wireClientId(terms.clientId),
    fee: formatShort(-sum(({ fee }) => fee)),
    feeCcy: isSpot && terms.side === 'BUY' ? terms.instrument.base : terms.instrument.quote,
    fillPx: last === undefined ? '' : formatShort(last.price),
    fillSz: last === undefined ? '0' : wireSize(instrument, last.quantity),
    fillTime: last === undefined ? '' : String(last.atMs),
    instId: instrument.instId,
    instType: instrument.instType,
    isTpLimit: 'false',
    lever: isSpot ? '' : String(trading.swapClearing.leverage(terms.account, terms.instrument.symbol)),
    linkedAlgoOrd: { algoId: '' },
    ordId: wireOrderId(order.id),
    ordType: terms.wireType,
    pnl: formatShort(sum(({ realizedPnl }) => realizedPnl)),
    posSide: isSpot ? '' : posSide(terms.positionSide),
    px: terms.type === 'MARKET' ? '' : formatShort(terms.price),
    pxType: '',
    pxUsd: '',
    pxVol: '',
    quickMgnType: '',
    rebate: '0',
    rebateCcy: terms.instrument.quote,
    reduceOnly: String(terms.isReduceOnly),
    side: terms.side.toLowerCase(),
    slOrdPx: '',
    slTriggerPx: '',
    slTriggerPxType: '',
    source: '',
    state: STATES[state.status],
    stpId: '',
    stpMode: wire['stpMode'] ?? 'cancel_maker',
    sz: wire['tgtCcy'] === 'quote_ccy' ? (wire['sz'] ?? '') : wireSize(instrument, terms.quantity),
    tag: wire['tag'] ?? '',
    tdMode: wire['tdMode'] ?? '',
    tgtCcy: wire['tgtCcy'] ?? '',
    tpOrdPx: '',
    tpTriggerPx: '',
    tpTriggerPxType: '',
    tradeId: last === undefined ? '' : String(last.tradeId),
    tradeQuoteCcy: terms.instrument.quote,
    uTime: String(state.atMs),
  };
}
