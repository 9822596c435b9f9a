import type { StateReader } from '../journal/port.js';
import type { InstrumentCatalogue } from '../model/instrument.js';
import { isTerminal, type ParentState } from '../model/order.js';
import { isRejected, type OrRejection, type Rejection } from '../model/rejection.js';
import { alreadyOver, namedOrder, STORE_BEHIND } from './named-order.js';
import { amendedOrder, parseAmendment } from './parse/amendment.js';
import type { Sender } from './order-placement.js';
import { parseOrderRef, type OrderRef } from './parse/order-ref.js';
import type { ChangeOutcome, OrderChange, OrderDesk } from './port.js';
import type { OrderSummary } from './present/order-summary.js';

export interface OrderControlParts {
  readonly desk: OrderDesk;
  readonly reader: StateReader;
  readonly catalogue: InstrumentCatalogue;
}

/** Where the order stands now, with why it was not changed; or who is unknown, or what cannot be read. */
export type ControlResult =
  | { readonly kind: 'summary'; readonly summary: OrderSummary }
  | { readonly kind: 'unknown'; readonly ref: OrderRef }
  | { readonly kind: 'unreadable'; readonly rejection: Rejection };

export type ControlAnswer = (result: ControlResult) => void;

/** Pauses, resumes and amends an account's orders by either of their names. Each answers once. */
export class OrderControl {
  readonly #parts: OrderControlParts;

  constructor(parts: OrderControlParts) {
    this.#parts = parts;
  }

  pause(sender: Sender, body: unknown, answer: ControlAnswer): void {
    const { account } = sender;
    this.#change(sender, body, answer, ({ order }) => ({ kind: 'PauseParent', account, orderId: order.orderId }));
  }

  resume(sender: Sender, body: unknown, answer: ControlAnswer): void {
    const { account } = sender;
    this.#change(sender, body, answer, ({ order }) => ({ kind: 'ResumeParent', account, orderId: order.orderId }));
  }

  amend(sender: Sender, body: unknown, answer: ControlAnswer): void {
    const amendment = parseAmendment(body);
    if (isRejected(amendment)) return answer({ kind: 'unreadable', ...amendment });
    this.#change(sender, body, answer, (state) => {
      const order = amendedOrder(amendment, state, this.#parts.catalogue);
      return isRejected(order) ? order : { kind: 'AmendParent', order };
    });
  }

  #change(
    { account, apiKey }: Sender,
    body: unknown,
    answer: ControlAnswer,
    changeOf: (state: ParentState) => OrRejection<OrderChange>,
  ): void {
    const ref = parseOrderRef(body);
    if (isRejected(ref)) return answer({ kind: 'unreadable', ...ref });
    // New terms are made from the latest ones.
    if (!this.#parts.reader.refresh()) return answer({ kind: 'unreadable', rejection: STORE_BEHIND });
    const state = namedOrder(this.#parts.reader, account, ref);
    if (isRejected(state)) return answer({ kind: 'unreadable', ...state });
    if (state === null) return answer({ kind: 'unknown', ref });
    const summarise = (now: ParentState, outcome: Rejection | null): void =>
      answer({ kind: 'summary', summary: summaryOf(now, outcome) });
    if (isTerminal(state.status)) return summarise(state, alreadyOver(state));
    const change = changeOf(state);
    if (isRejected(change)) return summarise(state, change.rejection);
    const onOutcome = (outcome: ChangeOutcome): void => {
      this.#parts.reader.refresh();
      const now = this.#parts.reader.order(state.order.orderId) ?? state;
      summarise(now, outcome.kind === 'refused' ? outcome.rejection : null);
    };
    this.#parts.desk.change(change, onOutcome, apiKey);
  }
}

function summaryOf({ order, status }: ParentState, outcome: Rejection | null): OrderSummary {
  const { orderId, clientOrderId, createdAtMs } = order;
  return { orderId, clientOrderId, status, createdAtMs, outcome };
}
