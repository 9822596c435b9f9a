import type { AdoptedChild } from '../model/command.js';
import type { OrderId } from '../model/ids.js';
import { ADOPTED_PER_COMMAND_MAX, RECONCILE_AGAIN_MS } from '../model/limits.js';
import { ADOPTED, isAdopted, isTerminal, type ParentOrder, type ParentState } from '../model/order.js';
import { childPlace, isFollowers } from '../model/pair.js';
import type { ListedOrder } from '../model/venue-message.js';
import type { OrderDesk } from './order-desk.js';

export interface ReconciledOrderParts {
  readonly order: ParentOrder;
  /** What its exchanges have of it. */
  readonly children: readonly ListedOrder[];
  readonly epoch: number;
  readonly childRoom: number;
  /** The state of an order, open or ended; null when there is none. */
  readonly reader: { order(orderId: OrderId): ParentState | null };
  readonly desk: Pick<OrderDesk, 'change'>;
  readonly monotonicMs: () => number;
}

/** Hands one open order over what its exchanges know of it, and waits until each of its children has been answered for. */
export class ReconciledOrder {
  readonly #parts: ReconciledOrderParts;
  readonly #children: readonly ListedOrder[];
  /** How many of the children are handed over. */
  #sent = 0;
  #isSending = false;
  #notBeforeMs = -Infinity;
  adoptedCount = 0;

  constructor(parts: ReconciledOrderParts) {
    this.#parts = parts;
    // One that has ended without a trade has nothing to add.
    const telling = parts.children.filter(({ state, filled }) => state === 'OPEN' || filled > 0);
    this.#children = telling.toSorted((one, other) => one.child - other.child);
  }

  get orderId(): OrderId {
    return this.#parts.order.orderId;
  }

  /** Does what can be done now; true when the order is reconciled. */
  move(): boolean {
    const state = this.#parts.reader.order(this.orderId);
    if (state === null || isTerminal(state.status)) return true;
    if (state.epoch === this.#parts.epoch && !state.isReconciling) return isAnswered(state);
    if (!this.#isSending && this.#parts.monotonicMs() >= this.#notBeforeMs) this.#send(state);
    return false;
  }

  #send(state: ParentState): void {
    const { order, childRoom, desk, monotonicMs } = this.#parts;
    const until = Math.min(this.#sent + ADOPTED_PER_COMMAND_MAX, this.#children.length);
    const isLast = until === this.#children.length;
    const children = this.#children
      .slice(this.#sent, until)
      .filter((child) => isUnknown(child, state))
      .map(adopted);
    const { orderId, account } = order;
    this.#isSending = true;
    const command = {
      kind: 'ReconcileParent',
      orderId,
      account,
      children,
      childRoom: isLast ? childRoom : null,
    } as const;
    desk.change(command, (outcome) => {
      this.#isSending = false;
      if (outcome.kind === 'pending') {
        this.adoptedCount += children.length;
        this.#sent = until;
        return;
      }
      // What was taken already is passed over when it comes again.
      this.#sent = 0;
      this.#notBeforeMs = monotonicMs() + RECONCILE_AGAIN_MS;
    });
  }
}

function isUnknown({ child }: ListedOrder, { order, childCount, follower }: ParentState): boolean {
  const known = isFollowers(order, child) ? (follower?.childCount ?? 0) : childCount;
  return childPlace(order, child) > known;
}

/** A quarantined order places nothing: its children may wait for the operator's release. */
function isAnswered({ quarantine, children }: ParentState): boolean {
  return quarantine !== null || children.every(isSettled);
}

function isSettled(child: ParentState['children'][number]): boolean {
  return child.state !== 'UNKNOWN' && !isAdopted(child);
}

function adopted(listed: ListedOrder): AdoptedChild {
  const { child, side, type, timeInForce, limitPrice, postOnly, reduceOnly, changedAtMs, venueOrderId } = listed;
  const { state, quantity, filled } = listed;
  const detail = `state=${state} quantity=${quantity} filled=${filled}`;
  return {
    venueOrderId,
    order: {
      child,
      side,
      quantity: state === 'OPEN' ? quantity : filled,
      type,
      timeInForce,
      limitPrice,
      postOnly,
      reduceOnly,
      submittedAtMs: changedAtMs,
      reason: { code: ADOPTED, detail },
    },
  };
}
