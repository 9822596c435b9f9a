import type { AccountId } from '../../model/ids.js';
import type { EpochMs } from '../../model/time.js';
import { NO_ORDER_ID, type ParentOrderDraft } from '../port.js';
import type { OrderRequest } from './order-request.js';
import { echoOf } from './request-echo.js';
import { endOf, startOf } from './trade-times.js';

/** The order that a request makes when it is accepted at `nowMs`, service time. */
export function draftOf(
  request: OrderRequest,
  requestDigest: string,
  account: AccountId,
  nowMs: EpochMs,
): ParentOrderDraft {
  const { clientOrderId, subject, terms, times, clip, params } = request;
  const { instrument } = subject;
  const startAtMs = startOf(times, nowMs);
  return {
    orderId: NO_ORDER_ID,
    account,
    clientOrderId,
    venue: subject.venue,
    subaccount: subject.subaccount,
    instrument: instrument.index,
    symbol: subject.symbol,
    assetCategory: subject.assetCategory,
    quantityPrecision: instrument.quantityPrecision,
    pricePrecision: instrument.pricePrecision,
    side: terms.side,
    quantity: terms.quantity,
    strategy: terms.strategy,
    limitPrice: terms.limitPrice,
    createdAtMs: nowMs,
    startAtMs,
    // What triggers the order starts its duration.
    endAtMs: params.trigger === null ? endOf(times, startAtMs) : times.endAtMs,
    durationMs: params.durationMs,
    clip,
    style: params.style,
    urgency: params.urgency,
    randomizeQuantity: params.randomizeQuantity,
    postOnly: params.postOnly,
    reduceOnly: params.reduceOnly,
    would: params.would,
    trigger: params.trigger,
    placement: params.placement,
    ladder: params.ladder,
    imbalanceThresholdPpm: params.imbalanceThresholdPpm,
    priceLockBps: params.priceLockBps,
    pair: null,
    requestEcho: echoOf(request),
    revision: 0,
    requestDigest,
  };
}
