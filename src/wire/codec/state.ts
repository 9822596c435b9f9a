import type { ParentState } from '../../model/order.js';
import type { EpochMs } from '../../model/time.js';
import { newFollower } from '../../model/untraded.js';
import { sluice } from '../generated/messages.js';
import { bigInteger, integer, integerOrNull, integerText, timeOrNull } from './exact.js';
import { fromWireFee, toWireFee } from './fee-total.js';
import { fromWireFollower, toWireFollower } from './follower.js';
import { fromWireLiveChild, toWireLiveChild } from './live-child.js';
import { toWireNumbers } from './memory.js';
import { bytesOf, modelOf } from './message.js';
import { fromWireParentOrder, toWireParentOrder } from './parent-order.js';
import { orNull, required } from './presence.js';
import { fromWireQuarantine, toWireQuarantine } from './quarantine.js';
import { fromWireRejection, toWireRejection } from './rejection.js';
import { STATUS } from './vocabulary.js';

const wire = sluice.v1;

/** The bytes of a state: equal states have equal bytes, so that a replay can be compared with what was stored. */
export function encodeState(state: ParentState): Uint8Array {
  return bytesOf(wire.ParentState, {
    order: toWireParentOrder(state.order),
    status: STATUS.number(state.status),
    filled: state.progress.filled,
    notional: integerText(state.progress.notional),
    makerFilled: state.makerFilled,
    lastQuantity: state.lastQuantity,
    lastPrice: state.lastPrice,
    fees: state.fees.map(toWireFee),
    arrivalTwiceMid: state.arrivalTwiceMid,
    startedAtMs: state.startedAtMs,
    plannedAtMs: state.plannedAtMs === state.startedAtMs ? null : state.plannedAtMs,
    planDue: state.startedAtMs !== null && state.plannedAtMs === null,
    plannedFilled: state.plannedFilled,
    amendment: orNull(state.amendment, toWireParentOrder),
    endedAtMs: state.endedAtMs,
    childCount: state.childCount,
    epoch: state.epoch,
    reconciling: state.isReconciling,
    children: state.children.map(toWireLiveChild),
    refusals: state.refusals,
    lastRefusal: orNull(state.lastRefusal, toWireRejection),
    memory: toWireNumbers(state.memory),
    outcome: orNull(state.outcome, toWireRejection),
    lateFills: state.lateFills,
    follower: orNull(state.follower, toWireFollower),
    quarantine: orNull(state.quarantine, toWireQuarantine),
    contradictions: state.contradictions,
  });
}

export function decodeState(bytes: Uint8Array): ParentState {
  return modelOf('ParentState', wire.ParentState, fromWireState, bytes);
}

function fromWireState(message: ReturnType<typeof wire.ParentState.decode>): ParentState {
  const order = fromWireParentOrder(required(message.order, 'ParentState.order'));
  return {
    order,
    status: STATUS.name(message.status, 'ParentState.status'),
    progress: {
      filled: integer(message.filled, 'ParentState.filled'),
      notional: bigInteger(message.notional, 'ParentState.notional'),
    },
    makerFilled: integer(message.makerFilled, 'ParentState.maker_filled'),
    lastQuantity: integer(message.lastQuantity, 'ParentState.last_quantity'),
    lastPrice: integer(message.lastPrice, 'ParentState.last_price'),
    fees: message.fees.map(fromWireFee),
    arrivalTwiceMid: integerOrNull(message.arrivalTwiceMid, 'ParentState.arrival_twice_mid'),
    startedAtMs: timeOrNull(message.startedAtMs, 'ParentState.started_at_ms'),
    plannedAtMs: plannedAtOf(message),
    plannedFilled: integer(message.plannedFilled, 'ParentState.planned_filled'),
    amendment: orNull(message.amendment, fromWireParentOrder),
    endedAtMs: timeOrNull(message.endedAtMs, 'ParentState.ended_at_ms'),
    childCount: message.childCount,
    epoch: integer(message.epoch, 'ParentState.epoch'),
    isReconciling: message.reconciling,
    children: message.children.map(fromWireLiveChild),
    refusals: message.refusals,
    lastRefusal: orNull(message.lastRefusal, fromWireRejection),
    memory: message.memory,
    outcome: orNull(message.outcome, fromWireRejection),
    lateFills: message.lateFills,
    // A pair that was stored before its legs were worked has none.
    follower: orNull(message.follower, fromWireFollower) ?? newFollower(order),
    quarantine: orNull(message.quarantine, fromWireQuarantine),
    contradictions: message.contradictions,
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
