import type { OrderEvent } from '../../src/domain/event.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { Lots } from '../../src/domain/quantity.js';
import { isRejected } from '../../src/domain/rejection.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { OrderStatusAnswer } from '../../src/domain/venue-report.js';
import { decide, type DecideContext, type Decision, type OrderInput } from '../../src/order/decide.js';
import { expect } from 'vitest';
import { record } from '../../src/order/snapshot.js';
import { reportOf, START_MS, venueId } from './orders.js';

export const CONTEXT: DecideContext = { nowMs: (START_MS + 10_000) as EpochMs };
/** The events and effects of a decision. `when` compares its states with a fold of the events. */
export interface Decided {
  readonly events: readonly OrderEvent[];
  readonly effects: Decision['effects'];
}
export const NOTHING: Decided = { events: [], effects: [] };

export function when(state: ParentState, input: OrderInput, context: DecideContext = CONTEXT): Decided {
  const decision = decide(state, input, context);
  if (isRejected(decision)) throw new Error(`refused: ${decision.rejection.message}`);
  let folded: ParentState = state;
  for (const one of decision.recorded) {
    const again = record(folded, one.event, context.eventAtMs ?? context.nowMs);
    expect(one).toEqual(again);
    folded = again.state;
  }
  return { events: decision.recorded.map(({ event }) => event), effects: decision.effects };
}

/** Names of the recorded events, with the child number: `ChildCancelled 1`. */
export function facts({ events }: Decided): string[] {
  return events.map((event) => ('child' in event ? `${event.kind} ${event.child}` : event.kind));
}

export function sent({ effects }: Decided): string[] {
  return effects.map((one) => `${one.kind} ${one.kind === 'Submit' ? one.submission.child : one.target.child}`);
}

/** A report of the end of a child with `filled` lots traded and the rest unfilled. */
export const endOf = (child: number, filled = 0) =>
  reportOf(child, { kind: 'Cancelled', venueOrderId: venueId(child), cause: null, filled: filled as Lots });

/** The answer to an order status request. It follows the fills. */
export const answeredWith = (answer: OrderStatusAnswer, filled = 0) =>
  ({ kind: 'StatusAnswered', answer, filled: filled as Lots }) as const;

export const answer = (child: number, body: Parameters<typeof reportOf>[1]): OrderInput => ({
  kind: 'Report',
  report: reportOf(child, body),
});
