import type { AdoptedChild } from '../domain/command.js';
import type { OrderId } from '../domain/ids.js';
import { ADOPTED_PER_COMMAND_MAX, RECONCILE_AGAIN_MS } from '../domain/limits/trading.js';
import { ADOPTED, isAdopted, type LiveChild, liveChildren, type ParentState } from '../domain/order-state.js';
import { isTerminal, type ParentOrder } from '../domain/order.js';
import { legTrading } from '../domain/order-legs.js';
import { nextChildNumber } from '../order/children.js';
import type { ListedOrder } from '../domain/venue-report.js';
import type { StateReader, StateSnapshot } from '../journal/port.js';
import type { OrderGateway } from '../intake/order-gateway.js';

export interface ReconciledOrderParts {
  readonly order: ParentOrder;
  /** Its children according to its exchanges. */
  readonly children: readonly ListedOrder[];
  readonly epoch: number;
  readonly childRoom: number;
  /** As of this step. */
  readonly reader: Pick<StateReader<Pick<StateSnapshot, 'order'>>, 'recent'>;
  readonly gateway: Pick<OrderGateway, 'change'>;
  readonly monotonicMs: () => number;
}

/** Sends the exchanges' children of one open order to its shard, and waits until each child is answered. */
export class ReconciledOrder {
  readonly #parts: ReconciledOrderParts;
  readonly #children: readonly ListedOrder[];
  /** Number of children that were sent. */
  #sent = 0;
  #isSending = false;
  #notBeforeMs = -Infinity;
  adoptedCount = 0;

  constructor(parts: ReconciledOrderParts) {
    this.#parts = parts;
    // A child that ended without a fill changes nothing.
    const relevant = parts.children.filter(({ state, filled }) => state === 'OPEN' || filled > 0);
    this.#children = relevant.toSorted((one, other) => one.child - other.child);
  }

  get orderId(): OrderId {
    return this.#parts.order.orderId;
  }

  /** Does the next step if it is possible now. Returns true when the order is reconciled. */
  move(): boolean {
    const state = this.#parts.reader.recent().order(this.orderId);
    if (state === null || isTerminal(state.status)) return true;
    if (state.epoch === this.#parts.epoch && !state.isReconciling) return isAnswered(state);
    if (!this.#isSending && this.#parts.monotonicMs() >= this.#notBeforeMs) this.#send(state);
    return false;
  }

  #send(state: ParentState): void {
    const { order, childRoom, gateway, monotonicMs } = this.#parts;
    const until = Math.min(this.#sent + ADOPTED_PER_COMMAND_MAX, this.#children.length);
    const isLast = until === this.#children.length;
    const children = this.#children
      .slice(this.#sent, until)
      .filter((child) => isUnknown(child, state))
      .map((child) => adopted(order, child));
    const { orderId, account } = order;
    this.#isSending = true;
    const command = {
      kind: 'ReconcileParent',
      orderId,
      account,
      children,
      childRoom: isLast ? childRoom : null,
    } as const;
    gateway.change(command, (outcome) => {
      this.#isSending = false;
      if (outcome.kind === 'pending') {
        this.adoptedCount += children.length;
        this.#sent = until;
        // The store shows it soon.
        if (isLast) this.#notBeforeMs = monotonicMs() + RECONCILE_AGAIN_MS;
        return;
      }
      // Children that were already adopted are skipped when they are sent again.
      this.#sent = 0;
      this.#notBeforeMs = monotonicMs() + RECONCILE_AGAIN_MS;
    });
  }
}

function isUnknown({ child }: ListedOrder, state: ParentState): boolean {
  return child >= nextChildNumber(state);
}

/** A quarantined order places nothing, so its children may wait for the operator's release. */
function isAnswered(state: ParentState): boolean {
  return state.quarantine !== null || liveChildren(state).every(isSettled);
}

function isSettled(child: LiveChild): boolean {
  return child.state !== 'UNKNOWN' && !isAdopted(child);
}

function adopted(parent: ParentOrder, listed: ListedOrder): AdoptedChild {
  const { child, side, type, timeInForce, limitPrice, postOnly, reduceOnly, changedAtMs, venueOrderId } = listed;
  const { state, quantity, filled } = listed;
  const detail = `the exchange reports it as ${state}`;
  return {
    venueOrderId,
    order: {
      child,
      leg: legTrading(parent, listed.instrument, side) ?? 0,
      side,
      quantity: state === 'OPEN' ? quantity : filled,
      type,
      timeInForce,
      limitPrice,
      postOnly,
      reduceOnly,
      submittedAtMs: changedAtMs,
      reason: { code: ADOPTED, detail, figures: [quantity, filled] },
    },
  };
}
