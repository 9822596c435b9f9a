import { isTerminal } from '../model/order.js';
import type { DecideContext, OrderInput } from './decision.js';
import type { Draft } from './draft.js';
import { abandon, settle } from './settlement.js';
import { noteDown, place } from './work.js';

/**
 * Carries out what the hedge of a pair wants, in whatever state the order is but before its acceptance and after its
 * end: what filled is hedged also while the order is paused, cancelled or over its time, and only then is it let go.
 */
export function hedge(
  draft: Draft,
  { decision, instruments }: Extract<OrderInput, { kind: 'Hedge' }>,
  { nowMs }: DecideContext,
): void {
  const { status, order } = draft.state;
  if (order.pair === null || status === 'PENDING_NEW' || isTerminal(status)) return;
  const { ofFollower, intents, withdraw, giveUp } = decision;
  if (withdraw !== null) draft.withdraw(withdraw);
  let memory = noteDown(draft, ofFollower ? decision : { ...decision, intents: [] }, true);
  if (giveUp !== null) return abandon(draft, giveUp);
  const instrument = ofFollower ? instruments.follower : instruments.lead;
  for (const intent of intents) {
    place(draft, intent, memory, { nowMs, instrument, ofFollower });
    memory = null;
  }
  settle(draft, nowMs, decision);
}
