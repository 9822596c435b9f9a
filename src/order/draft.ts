import { assert } from '../model/assert.js';
import type { OrderEvent } from '../model/event.js';
import type { ChildNumber } from '../model/ids.js';
import type { ChildOrder, LiveChild, ParentOrder, ParentState, Reason, StrategyMemory } from '../model/order.js';
import { tradedBy } from '../model/pair.js';
import type { EpochMs } from '../model/time.js';
import type { ChildRef, ChildSubmission } from '../model/venue-message.js';
import { findChild, isBeingCancelled, questionClassOf } from './children.js';
import type { Decision, OrderEffect } from './decision.js';
import { evolve } from './evolve.js';

/** What is told the venue of a child and nobody else. */
export type VenueTerms = Pick<ChildSubmission, 'selfTradePrevention' | 'requestClass'>;

/** A decision while it is being made: each fact is folded at once, so that the next one is judged by it. */
export class Draft {
  readonly #events: OrderEvent[] = [];
  readonly #effects: OrderEffect[] = [];
  readonly #nowMs: EpochMs;
  #state: ParentState;

  constructor(state: ParentState, nowMs: EpochMs) {
    this.#state = state;
    this.#nowMs = nowMs;
  }

  get state(): ParentState {
    return this.#state;
  }

  get decision(): Decision {
    return { events: this.#events, effects: this.#effects };
  }

  add(event: OrderEvent): void {
    this.#state = evolve(this.#state, event, this.#nowMs);
    this.#events.push(event);
  }

  submit(child: ChildOrder, memory: StrategyMemory | null, terms: VenueTerms): void {
    this.add({ kind: 'ChildSubmitted', order: child, memory });
    const { orderId, account } = this.#state.order;
    const { venue, instrument } = tradedBy(this.#state.order, child.child);
    const { side, quantity, type, timeInForce, limitPrice, postOnly, reduceOnly } = child;
    this.#effects.push({
      kind: 'Submit',
      submission: {
        account,
        venue,
        orderId,
        child: child.child,
        instrument,
        side,
        quantity,
        type,
        timeInForce,
        limitPrice,
        postOnly,
        reduceOnly,
        ...terms,
      },
    });
  }

  /** Asks for the end of a child, once. An unknown child is first asked for: the answer then sends the cancel. */
  cancel(child: LiveChild, reason: Reason): void {
    if (isBeingCancelled(child)) return;
    this.add({ kind: 'ChildCancelRequested', child: child.order.child, reason });
    if (child.state !== 'UNKNOWN') this.#effects.push({ kind: 'Cancel', ref: this.#refOf(child.order.child) });
  }

  cancelAll(reason: Reason): void {
    for (const child of this.#state.children) this.cancel(child, reason);
  }

  /** Asks for the end of what strategies have placed. What a pair takes at once ends by itself and is left alone. */
  withdraw(reason: Reason): void {
    for (const child of this.#state.children) {
      if (!isHedge(this.#state.order, child)) this.cancel(child, reason);
    }
  }

  query(child: ChildNumber, notBeforeMs: EpochMs): void {
    assert(notBeforeMs >= this.#nowMs, 'a query is for now or later');
    const asked = findChild(this.#state.children, child);
    const requestClass = asked === null ? 'QUESTION' : questionClassOf(asked);
    this.#effects.push({ kind: 'Query', ref: this.#refOf(child), requestClass, notBeforeMs });
  }

  #refOf(child: ChildNumber): ChildRef {
    const { account, orderId } = this.#state.order;
    const { venue } = tradedBy(this.#state.order, child);
    return { account, venue, orderId, child };
  }
}

/** Also true for what a leg's own strategy takes at once. */
function isHedge({ pair }: ParentOrder, { order: child }: LiveChild): boolean {
  return pair !== null && child.timeInForce === 'IOC';
}
