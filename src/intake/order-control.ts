import type { ChangeOutcome, OrderChange } from '../domain/command.js';
import type { OrderSender } from './trading-gate.js';
import { amendedOrder, parseAmendment } from '../api/order/amendment.js';
import { type OrderRef, parseOrderRef } from '../api/order/order-reference.js';
import { type OrderSummary, summaryOf } from '../api/order/order-details.js';
import type { InstrumentCatalogue } from '../domain/instrument.js';
import type { ParentState } from '../domain/order-state.js';
import { isTerminal } from '../domain/order.js';
import { isRejected, type OrRejection, type Rejection, Rejected } from '../domain/rejection.js';
import type { StateReader } from '../journal/port.js';
import type { WhenComplete } from '../journal/complete-reads.js';
import type { EarlierCreates } from './earlier-creates.js';
import { alreadyOver, orderIn, STORE_BEHIND } from './order-query.js';
import type { Sender } from './order-placement.js';

interface OrderControlParts {
  readonly commands: Pick<OrderSender, 'change'>;
  readonly reader: StateReader;
  readonly whenComplete: WhenComplete;
  readonly catalogue: InstrumentCatalogue;
  readonly earlier: Pick<EarlierCreates, 'afterDurable'>;
}

/** The state of the order with the reason of a refusal; or an unknown order; or a request that cannot be read. */
export type ControlResult =
  | { readonly kind: 'summary'; readonly summary: OrderSummary }
  | { readonly kind: 'unknown'; readonly ref: OrderRef }
  | { readonly kind: 'unreadable'; readonly rejection: Rejection };

type ControlAnswer = (result: ControlResult) => void;

/** Pauses, resumes and amends an account's orders by order id or client order id. Each answers once. */
export class OrderControl {
  readonly #parts: OrderControlParts;

  constructor(parts: OrderControlParts) {
    this.#parts = parts;
  }

  pause(sender: Sender, body: unknown, answer: ControlAnswer): void {
    const { account } = sender;
    this.#change(sender, parseOrderRef(body), answer, ({ order }) => ({
      kind: 'PauseParent',
      account,
      orderId: order.orderId,
    }));
  }

  resume(sender: Sender, body: unknown, answer: ControlAnswer): void {
    const { account } = sender;
    this.#change(sender, parseOrderRef(body), answer, ({ order }) => ({
      kind: 'ResumeParent',
      account,
      orderId: order.orderId,
    }));
  }

  amend(sender: Sender, body: unknown, answer: ControlAnswer): void {
    const request = parseAmendment(body);
    if (isRejected(request)) return answer({ kind: 'unreadable', rejection: request.rejection });
    const { ref, terms } = request;
    this.#change(sender, ref, answer, (state) => {
      const order = amendedOrder(terms, state, this.#parts.catalogue);
      return isRejected(order) ? order : { kind: 'AmendParent', order };
    });
  }

  #change(
    sender: Sender,
    ref: OrRejection<OrderRef>,
    answer: ControlAnswer,
    changeOf: (state: ParentState) => OrRejection<OrderChange>,
  ): void {
    if (isRejected(ref)) return answer({ kind: 'unreadable', rejection: ref.rejection });
    const { account, onAdmitted } = sender;
    this.#whenLatest(sender, ref, (known) => {
      if (known !== null) {
        this.#changeKnown(known, sender, answer, changeOf);
        return onAdmitted?.();
      }
      onAdmitted?.();
      const changeCreated = (refusal: Rejection | null): void => {
        if (refusal !== null) return answer({ kind: 'unreadable', rejection: refusal });
        this.#whenLatest(sender, ref, (created) => {
          if (created === null) answer({ kind: 'unknown', ref });
          else this.#changeKnown(created, sender, answer, changeOf);
        });
      };
      // It may be the order of an earlier create, which may be answered by now: this read may lack it.
      if (!this.#parts.earlier.afterDurable(account, changeCreated)) changeCreated(null);
    });
  }

  /** Runs with the order of the request; null: LMDB has none. New terms derive from the latest ones. */
  #whenLatest({ account, call }: Sender, ref: OrderRef, run: (state: OrRejection<ParentState> | null) => void): void {
    this.#parts.whenComplete(
      (snapshot) => run(snapshot === null ? new Rejected(STORE_BEHIND) : orderIn(snapshot, account, ref)),
      { account, client: call },
    );
  }

  #changeKnown(
    state: OrRejection<ParentState>,
    { account, apiKey, call }: Sender,
    answer: ControlAnswer,
    changeOf: (state: ParentState) => OrRejection<OrderChange>,
  ): void {
    if (isRejected(state)) return answer({ kind: 'unreadable', rejection: state.rejection });
    const summarise = (now: ParentState, outcome: Rejection | null): void =>
      answer({ kind: 'summary', summary: summaryOf(now.order, now.status, outcome) });
    if (isTerminal(state.status)) return summarise(state, alreadyOver(state));
    const change = changeOf(state);
    if (isRejected(change)) return summarise(state, change.rejection);
    const onOutcome = (outcome: ChangeOutcome): void => {
      const { reader, whenComplete } = this.#parts;
      whenComplete(
        (snapshot) => {
          const now = (snapshot ?? reader.recent()).order(state.order.orderId) ?? state;
          summarise(now, outcome.kind === 'refused' ? outcome.rejection : null);
        },
        { account, client: call },
      );
    };
    this.#parts.commands.change(change, onOutcome, apiKey);
  }
}
