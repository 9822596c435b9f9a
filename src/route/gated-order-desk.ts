import type { ApiKeyId, OrderId } from '../model/ids.js';
import type { ParentOrder, ParentState } from '../model/order.js';
import type { Rejection } from '../model/rejection.js';
import type { GuardedOrderDesk } from './guardrail/guarded-order-desk.js';
import type { ChangeOutcome, CreateOutcome, OrderChange, ParentOrderDraft } from './order-desk.js';
import type { TradingGate } from './trading-gate.js';

export interface GatedOrderDeskParts {
  readonly desk: Pick<GuardedOrderDesk, 'create' | 'change' | 'review'>;
  readonly gate: Pick<TradingGate, 'refusalOf'>;
  readonly storedState: (orderId: OrderId) => ParentState | null;
}

/** The order desk, with the trading gate before it: while an account is halted, nothing goes through that adds to its orders. */
export class GatedOrderDesk {
  readonly #parts: GatedOrderDeskParts;

  constructor(parts: GatedOrderDeskParts) {
    this.#parts = parts;
  }

  create(draft: ParentOrderDraft, answer: (outcome: CreateOutcome) => void, by: ApiKeyId): void {
    const rejection = this.#parts.gate.refusalOf(draft.account);
    if (rejection === null) this.#parts.desk.create(draft, answer, by);
    else answer({ kind: 'refused', rejection });
  }

  change(change: OrderChange, answer: (outcome: ChangeOutcome) => void, by: ApiKeyId | null): void {
    const rejection = this.#refusalOf(change);
    // A cancel has no key and meets no guardrail: the guarded desk never reads the key of one.
    if (rejection === null) this.#parts.desk.change(change, answer, by as ApiKeyId);
    else answer({ kind: 'refused', rejection });
  }

  /** Every refusal that the order would meet now. Places nothing, and answers once. */
  review(draft: ParentOrderDraft, by: ApiKeyId, answer: (refusals: readonly Rejection[]) => void): void {
    const { desk, gate } = this.#parts;
    const rejection = gate.refusalOf(draft.account);
    desk.review(draft, by, (refusals) => answer(rejection === null ? refusals : [rejection, ...refusals]));
  }

  #refusalOf(change: OrderChange): Rejection | null {
    const { gate, storedState } = this.#parts;
    switch (change.kind) {
      case 'CancelParent':
      case 'PauseParent':
      case 'ReconcileParent':
        return null;
      case 'ResumeParent':
        return gate.refusalOf(change.account);
      case 'AmendParent': {
        const rejection = gate.refusalOf(change.order.account);
        if (rejection === null) return null;
        const state = storedState(change.order.orderId);
        return state !== null && isAdding(change.order, state.amendment ?? state.order) ? rejection : null;
      }
      default:
        return change satisfies never;
    }
  }
}

/** True when the terms are for more, of the order or of a leg. */
function isAdding(terms: ParentOrder, before: ParentOrder): boolean {
  if (terms.quantity > before.quantity) return true;
  const legs = before.pair?.legs ?? [];
  return terms.pair?.legs.some((leg, index) => leg.quantity > (legs[index]?.quantity ?? 0)) ?? false;
}
