import type { ParentState } from '../../src/model/order.js';
import type { Lots } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import type { QueriedState } from '../../src/model/venue-message.js';
import { decide, type DecideContext, type Decision, type OrderInput } from '../../src/order/decide.js';
import { BTC, reportOf, START_MS, venueId } from './orders.js';

export const CONTEXT: DecideContext = { nowMs: (START_MS + 10_000) as EpochMs, instrument: BTC };
export const NOTHING: Decision = { events: [], effects: [] };

export function when(state: ParentState | null, input: OrderInput, context: DecideContext = CONTEXT): Decision {
  const decision = decide(state, input, context);
  if ('rejection' in decision) throw new Error(`refused: ${decision.rejection.message}`);
  return decision;
}

/** What was decided, one word a fact: `ChildCancelled 1`. */
export function facts({ events }: Decision): string[] {
  return events.map((event) => ('child' in event ? `${event.kind} ${event.child}` : event.kind));
}

export function sent({ effects }: Decision): string[] {
  return effects.map((one) => `${one.kind} ${one.kind === 'Submit' ? one.submission.child : one.ref.child}`);
}

/** The child has ended with quantity left, of it `filled` traded. */
export const endOf = (child: number, filled = 0) =>
  reportOf(child, { kind: 'Cancelled', venueOrderId: venueId(child), cause: null, filled: filled as Lots });

/** The answer to a query, behind the fills. */
export const answeredWith = (answer: QueriedState, filled = 0) =>
  ({ kind: 'QueryAnswered', answer, filled: filled as Lots }) as const;

export const answer = (child: number, body: Parameters<typeof reportOf>[1]): OrderInput => ({
  kind: 'Report',
  report: reportOf(child, body),
});
