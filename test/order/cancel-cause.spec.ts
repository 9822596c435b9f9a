import { describe, expect, it } from 'vitest';
import { KILL_SWITCH_CAUSE, OPERATOR_CAUSE, requestedBy, serviceCause } from '../../src/domain/cancel-cause.js';
import type { OrderEvent } from '../../src/domain/event.js';
import type { ApiKeyId } from '../../src/domain/ids.js';
import type { ParentState } from '../../src/domain/order-state.js';
import { record } from '../../src/order/snapshot.js';
import { CONTEXT, endOf, when } from './deciding.js';
import { cancelled, cancelWanted, created, filled, given, rejectionOf, submitted, WORKABLE } from './orders.js';

const CLIENT = requestedBy('CLIENT', 'key-1' as ApiKeyId);
const REQUESTED: OrderEvent = { kind: 'ParentCancelRequested', cancelCause: CLIENT };
const QUARANTINED: OrderEvent = { kind: 'ParentQuarantined', code: 'UNEXPECTED_ERROR', detail: 'a fault' };

/** The state after the events of a decision on it. */
function after(state: ParentState, input: Parameters<typeof when>[1]): ParentState {
  return when(state, input).events.reduce((before, event) => record(before, event, CONTEXT.nowMs).state, state);
}

describe('the cause of a cancel', () => {
  it('is stored by the event of its request, and stays when the order is CANCELLED', () => {
    const { events } = when(given([created()]), { kind: 'Cancel', cancelCause: KILL_SWITCH_CAUSE });
    expect(events).toEqual([
      { kind: 'ParentCancelRequested', cancelCause: KILL_SWITCH_CAUSE },
      { kind: 'ParentCancelled', cause: null, cancelCause: null },
    ]);
    const state = after(given([created()]), { kind: 'Cancel', cancelCause: KILL_SWITCH_CAUSE });
    expect(state).toMatchObject({ status: 'CANCELLED', cancelCause: KILL_SWITCH_CAUSE });
  });

  it('is the first one: a second cancel of an order that is being cancelled does not change it', () => {
    const state = given([...WORKABLE, submitted(1), REQUESTED, cancelWanted(1)]);
    expect(when(state, { kind: 'Cancel', cancelCause: KILL_SWITCH_CAUSE }).events).toEqual([]);
    const quarantined = given([...WORKABLE, submitted(1), REQUESTED, cancelWanted(1), QUARANTINED]);
    expect(after(quarantined, { kind: 'Cancel', cancelCause: KILL_SWITCH_CAUSE }).cancelCause).toEqual(CLIENT);
    expect(after(quarantined, { kind: 'Release' }).cancelCause).toEqual(CLIENT);
  });

  it('is in the snapshot of the request and of every later event', () => {
    const before = given([...WORKABLE, submitted(1)]);
    const requested = record(before, REQUESTED, CONTEXT.nowMs);
    const wanted = record(requested.state, cancelWanted(1), CONTEXT.nowMs);
    expect([requested.parent.cancelCause, wanted.parent.cancelCause]).toEqual([CLIENT, CLIENT]);
  });

  it('is the operator who releases a quarantined order', () => {
    const state = given([...WORKABLE, QUARANTINED]);
    expect(when(state, { kind: 'Release' }).events[0]).toEqual({ kind: 'ParentReleased', cancelCause: OPERATOR_CAUSE });
    expect(after(state, { kind: 'Release' })).toMatchObject({ status: 'CANCELLED', cancelCause: OPERATOR_CAUSE });
  });

  it('is the service with its code when a guard ends the order', () => {
    const cause = rejectionOf('SLIPPAGE_EXCEEDED');
    const state = given([...WORKABLE, { kind: 'ParentCancelled', cause, cancelCause: serviceCause(cause.code) }]);
    expect(state.cancelCause).toEqual({ by: 'SERVICE', apiKey: null, code: 'SLIPPAGE_EXCEEDED' });
  });

  it('is left out of an order that the last fill completes first', () => {
    const state = given([...WORKABLE, submitted(1, { quantity: 1_000 as never }), REQUESTED, cancelWanted(1)]);
    expect(state.cancelCause).toEqual(CLIENT);
    const full = record(state, filled(1, 1_000), CONTEXT.nowMs).state;
    expect(full).toMatchObject({ status: 'FILLED', cancelCause: null });
  });

  it('is not invented for events that did not record it', () => {
    const old: OrderEvent = { kind: 'ParentCancelled', cause: rejectionOf('SLIPPAGE_EXCEEDED'), cancelCause: null };
    expect(given([...WORKABLE, old])).toMatchObject({ status: 'CANCELLED', cancelCause: null });
    const requested: OrderEvent = { kind: 'ParentCancelRequested', cancelCause: null };
    const state = given([...WORKABLE, submitted(1), requested, cancelWanted(1), cancelled(1)]);
    expect(after(state, { kind: 'Report', report: endOf(1) }).cancelCause).toBeNull();
  });
});
