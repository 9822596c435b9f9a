import type { AnyEvent, BalanceChanged, LegStart, MarketObserved, PositionChanged } from '../../domain/event.js';
import type { ChildNumber, VenueOrderId } from '../../domain/ids.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import type { ParentOrder } from '../../domain/order.js';
import type { Lots } from '../../domain/quantity.js';
import type { LegMemory } from '../../domain/strategy-memory.js';
import type { sluice } from '../generated/messages.js';
import { fromWireAdopted, fromWireChildOrder, fromWireFill, fromWireLeg, fromWireReason } from './child-order.js';
import { bigInteger, integer, integerOrNull, orNull, perLeg, required, unknownKind, stepOf } from './message.js';
import { fromWireLegMemory, fromWireMemory } from './strategy-memory.js';
import { fromWireParentOrder, type ParentOrderMessage } from './parent-order.js';
import { fromWirePosition } from './account.js';
import { fromWireCancelCause, fromWireRejection } from './rejection.js';
import { CONTRADICTION, QUARANTINE_REASON, VENUE } from './enums.js';

type ChildFilled = Extract<AnyEvent, { readonly kind: 'ChildFilled' }>;
export type EnvelopeMessage = ReturnType<typeof sluice.v1.EventEnvelope.decode>;

/** Returns the event of an envelope. Throws CodecError when a required field is missing. */
export function fromWireEvent(message: EnvelopeMessage): AnyEvent {
  switch (message.kind) {
    case 'parentCreated':
      return { kind: 'ParentCreated', order: orderOf(message.parentCreated, 'ParentCreated.order') };
    case 'parentAccepted':
      return { kind: 'ParentAccepted' };
    case 'parentRejected':
      return { kind: 'ParentRejected', rejection: rejectionOf(message.parentRejected, 'ParentRejected.rejection') };
    case 'parentStarted':
      return {
        kind: 'ParentStarted',
        legs: perLeg(message.parentStarted.legs, fromWireLegStart, 'ParentStarted.legs'),
      };
    case 'parentCancelRequested':
      return {
        kind: 'ParentCancelRequested',
        cancelCause: orNull(message.parentCancelRequested.cancelCause, fromWireCancelCause),
      };
    case 'parentCancelled':
      return {
        kind: 'ParentCancelled',
        cause: orNull(message.parentCancelled.cause, fromWireRejection),
        cancelCause: orNull(message.parentCancelled.cancelCause, fromWireCancelCause),
      };
    case 'parentExpired':
      return {
        kind: 'ParentExpired',
        cause: fromWireRejection(required(message.parentExpired.cause, 'ParentExpired.cause')),
      };
    case 'parentPauseRequested':
      return { kind: 'ParentPauseRequested' };
    case 'parentPaused':
      return { kind: 'ParentPaused' };
    case 'parentResumeRequested':
      return { kind: 'ParentResumeRequested' };
    case 'parentResumed':
      return { kind: 'ParentResumed' };
    case 'parentPlanned':
      return {
        kind: 'ParentPlanned',
        memories: perLeg(message.parentPlanned.legs, fromWireLegPlan, 'ParentPlanned.legs'),
      };
    case 'parentAmendRequested':
      return {
        kind: 'ParentAmendRequested',
        order: orderOf(message.parentAmendRequested, 'ParentAmendRequested.order'),
      };
    case 'parentAmended':
      return { kind: 'ParentAmended', order: orderOf(message.parentAmended, 'ParentAmended.order') };
    case 'parentQuarantined': {
      const { code, detail } = message.parentQuarantined;
      return {
        kind: 'ParentQuarantined',
        code: QUARANTINE_REASON.name(code, 'ParentQuarantined.code'),
        detail,
      };
    }
    case 'parentReleased':
      return {
        kind: 'ParentReleased',
        cancelCause: orNull(message.parentReleased.cancelCause, fromWireCancelCause),
      };
    case 'reportContradicted': {
      const { child, contradiction, detail } = message.reportContradicted;
      return {
        kind: 'ReportContradicted',
        child: child as ChildNumber | null,
        contradiction: CONTRADICTION.name(contradiction, 'ReportContradicted.contradiction'),
        detail,
      };
    }
    case 'parentRestored':
      return { kind: 'ParentRestored', epoch: integer(message.parentRestored.epoch, 'ParentRestored.epoch') };
    case 'parentReconciled': {
      const childRoom = integer<number>(message.parentReconciled.childRoom, 'ParentReconciled.child_room');
      return { kind: 'ParentReconciled', childRoom };
    }
    case 'childAdopted':
      return { kind: 'ChildAdopted', ...fromWireAdopted(message.childAdopted) };
    case 'strategyNoted':
      return {
        kind: 'StrategyNoted',
        reason: fromWireReason(required(message.strategyNoted.reason, 'StrategyNoted.reason')),
        memory: orNull(message.strategyNoted.memory, fromWireMemory),
        leg: fromWireLeg(message.strategyNoted.leg, 'StrategyNoted.leg'),
      };
    case 'childSubmitted':
      return {
        kind: 'ChildSubmitted',
        order: fromWireChildOrder(required(message.childSubmitted.order, 'ChildSubmitted.order')),
        memory: orNull(message.childSubmitted.memory, fromWireMemory),
      };
    case 'childAccepted':
      return {
        kind: 'ChildAccepted',
        child: childOf(message.childAccepted),
        venueOrderId: message.childAccepted.venueOrderId as VenueOrderId,
      };
    case 'childRejected':
      return {
        kind: 'ChildRejected',
        child: childOf(message.childRejected),
        rejection: rejectionOf(message.childRejected, 'ChildRejected.rejection'),
      };
    case 'childFilled': {
      const filled: ChildFilled = {
        kind: 'ChildFilled',
        child: childOf(message.childFilled),
        leg: fromWireLeg(message.childFilled.leg, 'ChildFilled.leg'),
        fill: fromWireFill(required(message.childFilled.fill, 'ChildFilled.fill')),
        isLate: message.childFilled.isLate,
      };
      const { settled } = message.childFilled;
      return settled === 0 ? filled : { ...filled, settled: integer<Lots>(settled, 'ChildFilled.settled') };
    }
    case 'childCancelRequested':
      return {
        kind: 'ChildCancelRequested',
        child: childOf(message.childCancelRequested),
        reason: fromWireReason(required(message.childCancelRequested.reason, 'ChildCancelRequested.reason')),
      };
    case 'childCancelRefused':
      return {
        kind: 'ChildCancelRefused',
        child: childOf(message.childCancelRefused),
        rejection: rejectionOf(message.childCancelRefused, 'ChildCancelRefused.rejection'),
      };
    case 'childCancelled':
      return {
        kind: 'ChildCancelled',
        child: childOf(message.childCancelled),
        cause: orNull(message.childCancelled.cause, fromWireRejection),
      };
    case 'childUnknown':
      return { kind: 'ChildUnknown', child: childOf(message.childUnknown) };
    case 'childNeverPlaced':
      return { kind: 'ChildNeverPlaced', child: childOf(message.childNeverPlaced) };
    case 'childSettled': {
      const { reason, by } = message.childSettled;
      return {
        kind: 'ChildSettled',
        child: childOf(message.childSettled),
        filled: integer(message.childSettled.filled, 'ChildSettled.filled'),
        price: integerOrNull(message.childSettled.price, 'ChildSettled.price'),
        reason,
        by,
      };
    }
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

function childOf(message: { child: number }): ChildNumber {
  return message.child as ChildNumber;
}

function rejectionOf(message: { rejection: sluice.v1.Rejection | null }, field: string) {
  return fromWireRejection(required(message.rejection, field));
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
