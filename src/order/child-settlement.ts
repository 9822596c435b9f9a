import { type ChildSettlement, settlementRefusal } from '../domain/child-settlement.js';
import type { Fill } from '../domain/event.js';
import { childClientId, type VenueOrderId } from '../domain/ids.js';
import { quoteOf } from '../domain/instrument.js';
import type { LiveChild, ParentState } from '../domain/order-state.js';
import { legAt } from '../domain/pair.js';
import type { Traded } from '../domain/order-legs.js';
import type { Amount, Lots, Ticks } from '../domain/quantity.js';
import { type OrRejection, Rejected } from '../domain/rejection.js';
import { tradeIdsOf } from '../domain/trade-id.js';
import { findChild, venueOrderIdOf } from './children.js';
import { type DecideContext, type Decision, Draft } from './decision.js';
import { release } from './quarantine.js';
import { settle } from './settlement.js';

/**
 * Ends an unknown child as an operator states it: with a fill of what no known fill shows. An order that is quarantined
 * for its children is released with it.
 */
export function decideSettlement(
  state: ParentState,
  settlement: ChildSettlement,
  context: DecideContext,
): OrRejection<Decision> {
  const rejection = settlementRefusal(state, settlement);
  if (rejection !== null) return new Rejected(rejection);
  const { child, filled, price, reason, by } = settlement;
  const live = findChild(state, child)!;
  const draft = new Draft(state, context);
  draft.add({ kind: 'ChildSettled', child, filled, price, reason, by });
  const unseen = (filled - live.progress.filled) as Lots;
  if (unseen > 0 && price !== null) {
    const { leg } = live.order;
    const fill = settledFill(settlement, live, { quantity: unseen, price }, legAt(state.order.legs, leg));
    draft.add({ kind: 'ChildFilled', child, leg, fill, isLate: false });
  }
  endSettled(draft, settlement);
  const { quarantine } = draft.state;
  const isForChildren = quarantine?.reason === 'DENIED_CHILD' || quarantine?.reason === 'FORGOTTEN_CHILD';
  if (isForChildren && !quarantine.isReleased) release(draft, context.nowMs);
  else settle(draft, context.nowMs);
  return draft.decision;
}

function endSettled(draft: Draft, { child, filled }: ChildSettlement): void {
  const live = findChild(draft.state, child);
  if (live === null) return;
  const isAbsent = filled === 0 && venueOrderIdOf(live) === null;
  draft.add(isAbsent ? { kind: 'ChildNeverPlaced', child } : { kind: 'ChildCancelled', child, cause: null });
}

/** A fill without a fee: the operator states quantity and price. */
function settledFill(
  { orderId, child }: ChildSettlement,
  live: LiveChild,
  { quantity, price }: { readonly quantity: Lots; readonly price: Ticks },
  { symbol }: Traded,
): Fill {
  return {
    ...tradeIdsOf(`settled-${childClientId(orderId, child)}`),
    venueOrderId: venueOrderIdOf(live) ?? ('' as VenueOrderId),
    quantity,
    price,
    liquidity: live.order.timeInForce === 'IOC' ? 'TAKER' : 'MAKER',
    fee: 0n as Amount,
    feeCurrency: quoteOf(symbol),
  };
}
