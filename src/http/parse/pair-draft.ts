import { formatAmount } from '../../model/amount.js';
import type { AccountId } from '../../model/ids.js';
import type { OrderLeg } from '../../model/pair.js';
import type { Lots } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import type { ParentOrderDraft } from '../port.js';
import { draftOf } from './order-draft.js';
import type { LegRequest } from './order-leg.js';
import { pairEcho } from './pair-params.js';
import type { PairRequest } from './pair-request.js';
import { echoOf } from './request-echo.js';

/** The order that a multi-leg request makes when it is accepted at `nowMs`, service time; `quantities` are those of its legs. */
export function pairDraftOf(
  request: PairRequest,
  quantities: readonly [Lots, Lots],
  requestDigest: string,
  account: AccountId,
  nowMs: EpochMs,
): ParentOrderDraft {
  const { clientOrderId, legs, leadingIndex, isLed, times, params } = request;
  const leading = legs[leadingIndex];
  const terms = { ...leading.terms, quantity: quantities[leadingIndex] };
  const draft = draftOf({ ...leading, clientOrderId, terms, times }, requestDigest, account, nowMs);
  return {
    ...draft,
    requestEcho: pairEcho(params),
    pair: { ...params, leadingIndex, isLed, legs: [legOf(legs[0], quantities[0]), legOf(legs[1], quantities[1])] },
  };
}

function legOf(request: LegRequest, quantity: Lots): OrderLeg {
  const { subject, terms, target, clip, params } = request;
  const { venue, symbol, assetCategory, instrument } = subject;
  return {
    venue,
    instrument: instrument.index,
    symbol,
    assetCategory,
    quantityPrecision: instrument.quantityPrecision,
    pricePrecision: instrument.pricePrecision,
    side: terms.side,
    targetValue: formatAmount(target.value),
    ccy: target.ccy,
    isBaseTarget: target.ccy === instrument.base,
    quantity,
    limitPrice: terms.limitPrice,
    strategy: terms.strategy,
    clip,
    durationMs: params.durationMs,
    style: params.style,
    urgency: params.urgency,
    randomizeQuantity: params.randomizeQuantity,
    would: params.would,
    trigger: params.trigger,
    placement: params.placement,
    requestEcho: echoOf(request),
  };
}
