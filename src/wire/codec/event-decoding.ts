import type { CancelCause } from '../../domain/cancel-cause.js';
import type {
  AnyEvent,
  BalanceChanged,
  EventOf,
  LegStart,
  MarketObserved,
  PositionChanged,
} from '../../domain/event.js';
import type { ChildNumber } from '../../domain/ids.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import type { ParentOrder } from '../../domain/order.js';
import type { LegMemory } from '../../domain/strategy-memory.js';
import type { sluice } from '../generated/messages.js';
import { fromWireChildEvent } from './child-event-decoding.js';
import { fromWireLeg, fromWireReason } from './child-order.js';
import { bigInteger, integer, orNull, perLeg, required, unknownKind, stepOf } from './message.js';
import { fromWireLegMemory, fromWireMemory } from './strategy-memory.js';
import { fromWireParentOrder, type ParentOrderMessage } from './parent-order.js';
import { fromWirePosition } from './account.js';
import { fromWireCancelCause, fromWireRejection, rejectionOf } from './rejection.js';
import { CONTRADICTION, QUARANTINE_REASON, VENUE } from './enums.js';

export type EnvelopeMessage = ReturnType<typeof sluice.v1.EventEnvelope.decode>;

/** Returns the event of an envelope. Throws CodecError when a required field is missing. */
export function fromWireEvent(message: EnvelopeMessage): AnyEvent {
  switch (message.kind) {
    case 'childAdopted':
    case 'childSubmitted':
    case 'childAccepted':
    case 'childRejected':
    case 'childFilled':
    case 'childCancelRequested':
    case 'childCancelRefused':
    case 'childCancelled':
    case 'childUnknown':
    case 'childNeverPlaced':
    case 'childSettled':
      return fromWireChildEvent(message);
    case 'parentCreated':
      return { kind: 'ParentCreated', order: orderOf(message.parentCreated, 'ParentCreated.order') };
    case 'parentAccepted':
      return { kind: 'ParentAccepted' };
    case 'parentRejected':
      return { kind: 'ParentRejected', rejection: rejectionOf(message.parentRejected, 'ParentRejected.rejection') };
    case 'parentStarted':
      return startedOf(message.parentStarted);
    case 'parentCancelRequested':
      return { kind: 'ParentCancelRequested', cancelCause: cancelCauseOf(message.parentCancelRequested) };
    case 'parentCancelled':
      return cancelledOf(message.parentCancelled);
    case 'parentExpired':
      return expiredOf(message.parentExpired);
    case 'parentPauseRequested':
      return { kind: 'ParentPauseRequested' };
    case 'parentPaused':
      return { kind: 'ParentPaused' };
    case 'parentResumeRequested':
      return { kind: 'ParentResumeRequested' };
    case 'parentResumed':
      return { kind: 'ParentResumed' };
    case 'parentPlanned':
      return plannedOf(message.parentPlanned);
    case 'parentAmendRequested':
      return {
        kind: 'ParentAmendRequested',
        order: orderOf(message.parentAmendRequested, 'ParentAmendRequested.order'),
      };
    case 'parentAmended':
      return { kind: 'ParentAmended', order: orderOf(message.parentAmended, 'ParentAmended.order') };
    case 'parentQuarantined':
      return quarantinedOf(message.parentQuarantined);
    case 'parentReleased':
      return { kind: 'ParentReleased', cancelCause: cancelCauseOf(message.parentReleased) };
    case 'reportContradicted':
      return contradictedOf(message.reportContradicted);
    case 'parentRestored':
      return { kind: 'ParentRestored', epoch: integer(message.parentRestored.epoch, 'ParentRestored.epoch') };
    case 'parentReconciled':
      return reconciledOf(message.parentReconciled);
    case 'strategyNoted':
      return strategyNotedOf(message.strategyNoted);
    case 'balanceChanged':
      return balanceChangedOf(message.balanceChanged);
    case 'positionChanged':
      return positionChangedOf(message.positionChanged);
    case 'marketObserved':
      return marketObservedOf(message.marketObserved);
    case undefined:
      break;
  }
  return unknownKind('EventEnvelope');
}

function orderOf({ order }: { order: ParentOrderMessage | null }, field: string): ParentOrder {
  return fromWireParentOrder(required(order, field));
}

function cancelCauseOf({ cancelCause }: { cancelCause: sluice.v1.CancelCause | null }): CancelCause | null {
  return orNull(cancelCause, fromWireCancelCause);
}

function startedOf({ legs }: sluice.v1.ParentStarted): EventOf<'ParentStarted'> {
  return { kind: 'ParentStarted', legs: perLeg(legs, fromWireLegStart, 'ParentStarted.legs') };
}

function plannedOf({ legs }: sluice.v1.ParentPlanned): EventOf<'ParentPlanned'> {
  return { kind: 'ParentPlanned', memories: perLeg(legs, fromWireLegPlan, 'ParentPlanned.legs') };
}

function cancelledOf(message: sluice.v1.ParentCancelled): EventOf<'ParentCancelled'> {
  const cause = orNull(message.cause, fromWireRejection);
  return { kind: 'ParentCancelled', cause, cancelCause: cancelCauseOf(message) };
}

function expiredOf({ cause }: sluice.v1.ParentExpired): EventOf<'ParentExpired'> {
  return { kind: 'ParentExpired', cause: fromWireRejection(required(cause, 'ParentExpired.cause')) };
}

function quarantinedOf({ code, detail }: sluice.v1.ParentQuarantined): EventOf<'ParentQuarantined'> {
  return { kind: 'ParentQuarantined', code: QUARANTINE_REASON.name(code, 'ParentQuarantined.code'), detail };
}

function contradictedOf(message: sluice.v1.ReportContradicted): EventOf<'ReportContradicted'> {
  const { child, contradiction, detail } = message;
  return {
    kind: 'ReportContradicted',
    child: child as ChildNumber | null,
    contradiction: CONTRADICTION.name(contradiction, 'ReportContradicted.contradiction'),
    detail,
  };
}

function reconciledOf({ childRoom }: sluice.v1.ParentReconciled): EventOf<'ParentReconciled'> {
  return { kind: 'ParentReconciled', childRoom: integer(childRoom, 'ParentReconciled.child_room') };
}

function strategyNotedOf({ reason, memory, leg }: sluice.v1.StrategyNoted): EventOf<'StrategyNoted'> {
  return {
    kind: 'StrategyNoted',
    reason: fromWireReason(required(reason, 'StrategyNoted.reason')),
    memory: orNull(memory, fromWireMemory),
    leg: fromWireLeg(leg, 'StrategyNoted.leg'),
  };
}

function balanceChangedOf(message: sluice.v1.BalanceChanged): BalanceChanged {
  return {
    kind: 'BalanceChanged',
    venue: VENUE.name(message.venue, 'BalanceChanged.venue'),
    asset: message.asset,
    total: bigInteger(message.total, 'BalanceChanged.total'),
    free: bigInteger(message.free, 'BalanceChanged.free'),
    version: integer(message.version, 'BalanceChanged.version'),
  };
}

function positionChangedOf(message: sluice.v1.PositionChanged): PositionChanged {
  return {
    kind: 'PositionChanged',
    venue: VENUE.name(message.venue, 'PositionChanged.venue'),
    symbol: message.symbol,
    quantityPrecision: message.quantityPrecision,
    pricePrecision: message.pricePrecision,
    quantityStep: stepOf(message.quantityStep, 'quantity_step'),
    priceStep: stepOf(message.priceStep, 'price_step'),
    position: fromWirePosition(required(message.position, 'PositionChanged.position')),
    version: integer(message.version, 'PositionChanged.version'),
  };
}

function marketObservedOf(message: sluice.v1.MarketObserved): MarketObserved {
  return {
    kind: 'MarketObserved',
    instrument: message.instrument as InstrumentIndex,
    bid: integer(message.bid, 'MarketObserved.bid'),
    ask: integer(message.ask, 'MarketObserved.ask'),
    volume: integer(message.volume, 'MarketObserved.volume'),
    turnover: bigInteger(message.turnover, 'MarketObserved.turnover'),
  };
}

function fromWireLegStart(message: sluice.v1.LegStart): LegStart {
  return {
    arrivalTwiceMid: integer(message.arrivalTwiceMid, 'LegStart.arrival_twice_mid'),
    memory: orNull(message.memory, fromWireLegMemory),
  };
}

function fromWireLegPlan({ memory }: sluice.v1.LegPlan): LegMemory | null {
  return orNull(memory, fromWireLegMemory);
}
