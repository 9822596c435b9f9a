import type { ChildNumber, VenueOrderId } from '../../domain/ids.js';
import {
  type FeeTotal,
  isUntouched,
  type LegState,
  type LiveChild,
  NO_SETTLED,
  type ParentState,
  type SettledChild,
} from '../../domain/order-state.js';
import type { EpochMs } from '../../domain/time.js';
import { sluice } from '../generated/messages.js';
import { fromWireChildOrder, toWireChildOrder } from './child-order.js';
import { afterField, fieldBytes, ORDER_TAG, writeFieldHead } from './encoded-order.js';
import { LIVE_CHILD_STATE, STATUS } from './enums.js';
import {
  bigInteger,
  bytesOf,
  integer,
  integerOrNull,
  integerText,
  modelOf,
  orNull,
  perLeg,
  required,
  timeOrNull,
} from './message.js';
import { fromWireParentOrder, toWireParentOrder } from './parent-order.js';
import {
  fromWireCancelCause,
  fromWireQuarantine,
  fromWireRejection,
  toWireCancelCause,
  toWireQuarantine,
  toWireRejection,
} from './rejection.js';
import { fromWireHedgeMemory, fromWireLegMemory, toWireHedgeMemory, toWireMemory } from './strategy-memory.js';

const wire = sluice.v1;

/**
 * The bytes of a state: equal states have equal bytes, so that a replay can be compared with what was stored.
 * `encodedOrder`: the bytes of the state's order. They are copied, so that the order is not encoded again.
 */
export function encodeState(state: ParentState, encodedOrder: Uint8Array | null = null): Uint8Array {
  if (encodedOrder === null || !isUntouched(state)) return encodeWhole(state, encodedOrder);
  const kind = STATUS.number(state.status) * LEGS_MAX + state.legs.length - 1;
  const rest = (restOfUntouched[kind] ??= afterOrderIn(encodeWhole(state, encodedOrder)));
  const bytes = Buffer.allocUnsafe(fieldBytes(encodedOrder.length) + rest.length);
  const orderAt = writeFieldHead(bytes, 0, ORDER_TAG, encodedOrder.length);
  bytes.set(encodedOrder, orderAt);
  bytes.set(rest, orderAt + encodedOrder.length);
  return bytes;
}

const LEGS_MAX = 2;
/** Bytes after the order, which all untouched states of a status and a number of legs have in common. */
const restOfUntouched: Uint8Array[] = [];

/** A copy of the bytes after the order of a state. */
function afterOrderIn(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes.subarray(afterField(bytes, 0)));
}

const NONE_SETTLED: sluice.v1.SettledChild.$Properties[] = [];

function encodeWhole(state: ParentState, encodedOrder: Uint8Array | null): Uint8Array {
  return bytesOf(encodedOrder === null ? wire.ParentState : afterOrder(encodedOrder), {
    ...(encodedOrder === null && { order: toWireParentOrder(state.order) }),
    status: STATUS.number(state.status),
    legs: state.legs.map(toWireLegState),
    startedAtMs: state.startedAtMs,
    plannedAtMs: state.plannedAtMs === state.startedAtMs ? null : state.plannedAtMs,
    planDue: state.startedAtMs !== null && state.plannedAtMs === null,
    amendment: orNull(state.amendment, toWireParentOrder),
    endedAtMs: state.endedAtMs,
    epoch: state.epoch,
    reconciling: state.isReconciling,
    outcome: orNull(state.outcome, toWireRejection),
    lateFills: state.lateFills,
    hedge: orNull(state.hedge, toWireHedgeMemory),
    quarantine: orNull(state.quarantine, toWireQuarantine),
    contradictions: state.contradictions,
    cancelCause: orNull(state.cancelCause, toWireCancelCause),
    settled: state.settled.length === 0 ? NONE_SETTLED : state.settled.map(({ child, unseen }) => ({ child, unseen })),
  });
}

/** Writes the encoded order in its place, which is the first, before the other fields. */
function afterOrder(encodedOrder: Uint8Array): Pick<typeof wire.ParentState, 'encode'> {
  return {
    encode: (message, writer) => wire.ParentState.encode(message, writer!.uint32(ORDER_TAG).bytes(encodedOrder)),
  };
}

export function decodeState(bytes: Uint8Array): ParentState {
  return modelOf('ParentState', wire.ParentState, fromWireState, bytes);
}

function fromWireState(message: ReturnType<typeof wire.ParentState.decode>): ParentState {
  return {
    order: fromWireParentOrder(required(message.order, 'ParentState.order')),
    status: STATUS.name(message.status, 'ParentState.status'),
    legs: perLeg(message.legs, fromWireLegState, 'ParentState.legs'),
    startedAtMs: timeOrNull(message.startedAtMs, 'ParentState.started_at_ms'),
    plannedAtMs: plannedAtOf(message),
    amendment: orNull(message.amendment, fromWireParentOrder),
    endedAtMs: timeOrNull(message.endedAtMs, 'ParentState.ended_at_ms'),
    epoch: integer(message.epoch, 'ParentState.epoch'),
    isReconciling: message.reconciling,
    outcome: orNull(message.outcome, fromWireRejection),
    lateFills: message.lateFills,
    hedge: orNull(message.hedge, fromWireHedgeMemory),
    quarantine: orNull(message.quarantine, fromWireQuarantine),
    contradictions: message.contradictions,
    cancelCause: orNull(message.cancelCause, fromWireCancelCause),
    settled: message.settled.length === 0 ? NO_SETTLED : message.settled.map(fromWireSettled),
  };
}

/** Most orders are planned once, when they start: that costs no byte. */
function plannedAtOf({
  plannedAtMs,
  startedAtMs,
  planDue,
}: ReturnType<typeof wire.ParentState.decode>): EpochMs | null {
  return planDue ? null : timeOrNull(plannedAtMs ?? startedAtMs, 'ParentState.planned_at_ms');
}

function fromWireSettled({ child, unseen }: sluice.v1.SettledChild): SettledChild {
  return { child: child as ChildNumber, unseen: integer(unseen, 'SettledChild.unseen') };
}

function toWireFee(fee: FeeTotal): sluice.v1.FeeTotal.$Properties {
  return { currency: fee.currency, amount: integerText(fee.amount) };
}

function fromWireFee(message: sluice.v1.FeeTotal): FeeTotal {
  return { currency: message.currency, amount: bigInteger(message.amount, 'FeeTotal.amount') };
}

function toWireLegState(leg: LegState): sluice.v1.LegState.$Properties {
  return {
    filled: leg.progress.filled,
    notional: integerText(leg.progress.notional),
    makerFilled: leg.makerFilled,
    lastQuantity: leg.lastQuantity,
    lastPrice: leg.lastPrice,
    fees: leg.fees.map(toWireFee),
    arrivalTwiceMid: leg.arrivalTwiceMid,
    plannedFilled: leg.plannedFilled,
    childCount: leg.childCount,
    children: leg.children.map(toWireLiveChild),
    refusals: leg.refusals,
    lastRefusal: orNull(leg.lastRefusal, toWireRejection),
    memory: orNull(leg.memory, toWireMemory),
  };
}

function fromWireLegState(message: sluice.v1.LegState): LegState {
  return {
    progress: {
      filled: integer(message.filled, 'LegState.filled'),
      notional: bigInteger(message.notional, 'LegState.notional'),
    },
    makerFilled: integer(message.makerFilled, 'LegState.maker_filled'),
    lastQuantity: integer(message.lastQuantity, 'LegState.last_quantity'),
    lastPrice: integer(message.lastPrice, 'LegState.last_price'),
    fees: message.fees.map(fromWireFee),
    arrivalTwiceMid: integerOrNull(message.arrivalTwiceMid, 'LegState.arrival_twice_mid'),
    plannedFilled: integer(message.plannedFilled, 'LegState.planned_filled'),
    childCount: message.childCount,
    children: message.children.map(fromWireLiveChild),
    refusals: message.refusals,
    lastRefusal: orNull(message.lastRefusal, fromWireRejection),
    memory: orNull(message.memory, fromWireLegMemory),
  };
}

function toWireLiveChild(child: LiveChild): sluice.v1.LiveChild.$Properties {
  return {
    order: toWireChildOrder(child.order),
    filled: child.progress.filled,
    notional: integerText(child.progress.notional),
    state: LIVE_CHILD_STATE.number(child.state),
    venueOrderId: child.state === 'IN_FLIGHT' ? null : child.venueOrderId,
    cancelWanted: child.state === 'UNKNOWN' && child.cancelWanted,
  };
}

function fromWireLiveChild(message: sluice.v1.LiveChild): LiveChild {
  const order = fromWireChildOrder(required(message.order, 'LiveChild.order'));
  const progress: LiveChild['progress'] = {
    filled: integer(message.filled, 'LiveChild.filled'),
    notional: bigInteger(message.notional, 'LiveChild.notional'),
  };
  const state = LIVE_CHILD_STATE.name(message.state, 'LiveChild.state');
  const venueOrderId = message.venueOrderId as VenueOrderId | null;
  switch (state) {
    case 'IN_FLIGHT':
      return { order, progress, state };
    case 'OPEN':
      return { order, progress, state, venueOrderId: required(venueOrderId, 'LiveChild.venue_order_id') };
    case 'CANCEL_IN_FLIGHT':
      return { order, progress, state, venueOrderId };
    case 'UNKNOWN':
      return { order, progress, state, venueOrderId, cancelWanted: message.cancelWanted };
  }
}
