import type { AnyEvent } from '../../domain/event.js';
import type { ParentOrder } from '../../domain/order.js';
import type { sluice } from '../generated/messages.js';
import { toWireAdopted, toWireChildOrder, toWireFill, toWireReason } from './child-order.js';
import { integerText, orNull, refuseLoneSurrogates, wireStepOf } from './message.js';
import { toWireMemory } from './strategy-memory.js';
import { toWireParentOrder } from './parent-order.js';
import { toWireCancelCause, toWireRejection } from './rejection.js';
import { toWirePosition } from './account.js';
import { CONTRADICTION, QUARANTINE_REASON, VENUE } from './enums.js';

/** Sets the one field of the envelope that contains the event. So no copy of the other fields is needed. */
export function setWireEvent(envelope: sluice.v1.EventEnvelope.$Properties, event: AnyEvent): void {
  switch (event.kind) {
    case 'ParentCreated':
      refuseUnreadable(event.order);
      envelope.parentCreated = { order: toWireParentOrder(event.order) };
      return;
    case 'ParentAccepted':
      envelope.parentAccepted = {};
      return;
    case 'ParentRejected':
      envelope.parentRejected = { rejection: toWireRejection(event.rejection) };
      return;
    case 'ParentStarted':
      envelope.parentStarted = {
        legs: event.legs.map(({ arrivalTwiceMid, memory }) => ({
          arrivalTwiceMid,
          memory: orNull(memory, toWireMemory),
        })),
      };
      return;
    case 'ParentCancelRequested':
      envelope.parentCancelRequested = { cancelCause: orNull(event.cancelCause, toWireCancelCause) };
      return;
    case 'ParentCancelled':
      envelope.parentCancelled = {
        cause: orNull(event.cause, toWireRejection),
        cancelCause: orNull(event.cancelCause, toWireCancelCause),
      };
      return;
    case 'ParentExpired':
      envelope.parentExpired = { cause: toWireRejection(event.cause) };
      return;
    case 'ParentPauseRequested':
      envelope.parentPauseRequested = {};
      return;
    case 'ParentPaused':
      envelope.parentPaused = {};
      return;
    case 'ParentResumeRequested':
      envelope.parentResumeRequested = {};
      return;
    case 'ParentResumed':
      envelope.parentResumed = {};
      return;
    case 'ParentPlanned':
      envelope.parentPlanned = { legs: event.memories.map((memory) => ({ memory: orNull(memory, toWireMemory) })) };
      return;
    case 'ParentAmendRequested':
      envelope.parentAmendRequested = { order: toWireParentOrder(event.order) };
      return;
    case 'ParentAmended':
      envelope.parentAmended = { order: toWireParentOrder(event.order) };
      return;
    case 'ParentQuarantined':
      envelope.parentQuarantined = { code: QUARANTINE_REASON.number(event.code), detail: event.detail };
      return;
    case 'ParentReleased':
      envelope.parentReleased = { cancelCause: orNull(event.cancelCause, toWireCancelCause) };
      return;
    case 'ReportContradicted':
      envelope.reportContradicted = {
        child: event.child,
        contradiction: CONTRADICTION.number(event.contradiction),
        detail: event.detail,
      };
      return;
    case 'ParentRestored':
      envelope.parentRestored = { epoch: event.epoch };
      return;
    case 'ParentReconciled':
      envelope.parentReconciled = { childRoom: event.childRoom };
      return;
    case 'ChildAdopted':
      envelope.childAdopted = toWireAdopted(event);
      return;
    case 'StrategyNoted':
      envelope.strategyNoted = {
        reason: toWireReason(event.reason),
        memory: orNull(event.memory, toWireMemory),
        leg: event.leg,
      };
      return;
    case 'ChildSubmitted':
      envelope.childSubmitted = { order: toWireChildOrder(event.order), memory: orNull(event.memory, toWireMemory) };
      return;
    case 'ChildAccepted':
      envelope.childAccepted = { child: event.child, venueOrderId: event.venueOrderId };
      return;
    case 'ChildRejected':
      envelope.childRejected = { child: event.child, rejection: toWireRejection(event.rejection) };
      return;
    case 'ChildFilled':
      envelope.childFilled = { child: event.child, leg: event.leg, fill: toWireFill(event.fill), isLate: event.isLate };
      if (event.settled !== undefined) envelope.childFilled.settled = event.settled;
      return;
    case 'ChildCancelRequested':
      envelope.childCancelRequested = { child: event.child, reason: toWireReason(event.reason) };
      return;
    case 'ChildCancelRefused':
      envelope.childCancelRefused = { child: event.child, rejection: toWireRejection(event.rejection) };
      return;
    case 'ChildCancelled':
      envelope.childCancelled = { child: event.child, cause: orNull(event.cause, toWireRejection) };
      return;
    case 'ChildUnknown':
      envelope.childUnknown = { child: event.child };
      return;
    case 'ChildNeverPlaced':
      envelope.childNeverPlaced = { child: event.child };
      return;
    case 'ChildSettled': {
      const { child, filled, price, reason, by } = event;
      envelope.childSettled = { child, filled, price, reason, by };
      return;
    }
    case 'BalanceChanged':
      envelope.balanceChanged = {
        venue: VENUE.number(event.venue),
        asset: event.asset,
        total: integerText(event.total),
        free: integerText(event.free),
        version: event.version,
      };
      return;
    case 'PositionChanged':
      envelope.positionChanged = {
        venue: VENUE.number(event.venue),
        symbol: event.symbol,
        quantityPrecision: event.quantityPrecision,
        pricePrecision: event.pricePrecision,
        quantityStep: wireStepOf(event.quantityStep),
        priceStep: wireStepOf(event.priceStep),
        position: toWirePosition(event.position),
        version: event.version,
      };
      return;
    case 'MarketObserved':
      envelope.marketObserved = {
        instrument: event.instrument,
        bid: event.bid,
        ask: event.ask,
        volume: event.volume,
        turnover: integerText(event.turnover),
      };
      return;
    default:
      event satisfies never;
  }
}

/** Throws CodecError when a client's text is not valid Unicode: it could be written but not read. */
function refuseUnreadable({ clientOrderId, subaccount, pair, legs }: ParentOrder): void {
  refuseLoneSurrogates(clientOrderId, 'ParentOrder.client_order_id');
  refuseLoneSurrogates(subaccount, 'ParentOrder.subaccount');
  refuseLoneSurrogates(pair?.requestEcho ?? null, 'Pair.request_echo');
  for (const { symbol, requestEcho } of legs) {
    refuseLoneSurrogates(symbol, 'Leg.symbol');
    refuseLoneSurrogates(requestEcho, 'Leg.request_echo');
  }
}
