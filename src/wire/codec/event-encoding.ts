import type {
  AnyEvent,
  BalanceChanged,
  ChildEvent,
  EventOf,
  LegStart,
  MarketObserved,
  OrderEvent,
  PositionChanged,
} from '../../domain/event.js';
import type { ParentOrder } from '../../domain/order.js';
import type { sluice } from '../generated/messages.js';
import { setWireChildEvent } from './child-event-encoding.js';
import { toWireReason } from './child-order.js';
import { integerText, orNull, refuseLoneSurrogates, wireStepOf } from './message.js';
import { toWireMemory } from './strategy-memory.js';
import { toWireParentOrder } from './parent-order.js';
import { toWireCancelCause, toWireRejection } from './rejection.js';
import { toWirePosition } from './account.js';
import { CONTRADICTION, QUARANTINE_REASON, VENUE } from './enums.js';

/** An event of an order that is not an event of one child. */
type WholeOrderEvent = Exclude<OrderEvent, ChildEvent>;

/** Sets the one field of the envelope that contains the event. So no copy of the other fields is needed. */
export function setWireEvent(envelope: sluice.v1.EventEnvelope.$Properties, event: AnyEvent): void {
  switch (event.kind) {
    case 'ChildAdopted':
    case 'ChildSubmitted':
    case 'ChildAccepted':
    case 'ChildRejected':
    case 'ChildFilled':
    case 'ChildCancelRequested':
    case 'ChildCancelRefused':
    case 'ChildCancelled':
    case 'ChildUnknown':
    case 'ChildNeverPlaced':
    case 'ChildSettled':
      setWireChildEvent(envelope, event);
      return;
    case 'ParentCreated':
    case 'ParentAccepted':
    case 'ParentRejected':
    case 'ParentStarted':
    case 'ParentCancelRequested':
    case 'ParentCancelled':
    case 'ParentExpired':
    case 'ParentPauseRequested':
    case 'ParentPaused':
    case 'ParentResumeRequested':
    case 'ParentResumed':
    case 'ParentPlanned':
    case 'ParentAmendRequested':
    case 'ParentAmended':
    case 'ParentQuarantined':
    case 'ParentReleased':
    case 'ReportContradicted':
    case 'ParentRestored':
    case 'ParentReconciled':
    case 'StrategyNoted':
      setWireOrderEvent(envelope, event);
      return;
    case 'BalanceChanged':
      envelope.balanceChanged = toWireBalanceChanged(event);
      return;
    case 'PositionChanged':
      envelope.positionChanged = toWirePositionChanged(event);
      return;
    case 'MarketObserved':
      envelope.marketObserved = toWireMarketObserved(event);
      return;
    default:
      event satisfies never;
  }
}

function setWireOrderEvent(envelope: sluice.v1.EventEnvelope.$Properties, event: WholeOrderEvent): void {
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
      envelope.parentStarted = { legs: event.legs.map(toWireLegStart) };
      return;
    case 'ParentCancelRequested':
      envelope.parentCancelRequested = { cancelCause: orNull(event.cancelCause, toWireCancelCause) };
      return;
    case 'ParentCancelled':
      envelope.parentCancelled = toWireCancelled(event);
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
      envelope.reportContradicted = toWireContradicted(event);
      return;
    case 'ParentRestored':
      envelope.parentRestored = { epoch: event.epoch };
      return;
    case 'ParentReconciled':
      envelope.parentReconciled = { childRoom: event.childRoom };
      return;
    case 'StrategyNoted':
      envelope.strategyNoted = toWireNoted(event);
      return;
    default:
      event satisfies never;
  }
}

function toWireLegStart({ arrivalTwiceMid, memory }: LegStart): sluice.v1.LegStart.$Properties {
  return { arrivalTwiceMid, memory: orNull(memory, toWireMemory) };
}

function toWireCancelled(event: EventOf<'ParentCancelled'>): sluice.v1.ParentCancelled.$Properties {
  const { cause, cancelCause } = event;
  return { cause: orNull(cause, toWireRejection), cancelCause: orNull(cancelCause, toWireCancelCause) };
}

function toWireContradicted(event: EventOf<'ReportContradicted'>): sluice.v1.ReportContradicted.$Properties {
  const { child, contradiction, detail } = event;
  return { child, contradiction: CONTRADICTION.number(contradiction), detail };
}

function toWireNoted({ reason, memory, leg }: EventOf<'StrategyNoted'>): sluice.v1.StrategyNoted.$Properties {
  return { reason: toWireReason(reason), memory: orNull(memory, toWireMemory), leg };
}

function toWireBalanceChanged(event: BalanceChanged): sluice.v1.BalanceChanged.$Properties {
  return {
    venue: VENUE.number(event.venue),
    asset: event.asset,
    total: integerText(event.total),
    free: integerText(event.free),
    version: event.version,
  };
}

function toWirePositionChanged(event: PositionChanged): sluice.v1.PositionChanged.$Properties {
  return {
    venue: VENUE.number(event.venue),
    symbol: event.symbol,
    quantityPrecision: event.quantityPrecision,
    pricePrecision: event.pricePrecision,
    quantityStep: wireStepOf(event.quantityStep),
    priceStep: wireStepOf(event.priceStep),
    position: toWirePosition(event.position),
    version: event.version,
  };
}

function toWireMarketObserved(event: MarketObserved): sluice.v1.MarketObserved.$Properties {
  return {
    instrument: event.instrument,
    bid: event.bid,
    ask: event.ask,
    volume: event.volume,
    turnover: integerText(event.turnover),
  };
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
