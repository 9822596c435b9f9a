import { type ChildSettlement, settlementRefusal } from '../domain/child-settlement.js';
import type { Command } from '../domain/command.js';
import { type CorrelationId, type OrderId, shardOf } from '../domain/ids.js';
import { liveChildren, type ParentState } from '../domain/order-state.js';
import { isTerminal } from '../domain/order.js';
import type { ShardClient } from './shard-client.js';

/** Requests that operators stored and that are not carried out yet. */
interface PendingRequests<Request> {
  pending(): readonly Request[];
  /** Removes a request. */
  settle(request: Request): void;
}

interface OperatorRequestsParts {
  readonly links: readonly ShardClient[];
  readonly releases: PendingRequests<OrderId>;
  readonly settlements: PendingRequests<ChildSettlement>;
  /** The order in LMDB now. */
  readonly storedState: (orderId: OrderId) => ParentState | null;
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void };
}

/** What the stored order says of a request: send it to the shard, or log its end. */
type Verdict =
  | { readonly kind: 'send'; readonly command: Command }
  | { readonly kind: 'end'; readonly level: 'info' | 'warn'; readonly facts: object; readonly message: string };

const NO_COMMAND = 0 as CorrelationId;

/**
 * Carries out what operators request of orders of any account. Repeats each request until the store shows its effect.
 */
export class OperatorRequests {
  readonly #parts: OperatorRequestsParts;

  constructor(parts: OperatorRequestsParts) {
    this.#parts = parts;
  }

  /** Called about once a second. */
  sweep(): void {
    const { links, releases, settlements } = this.#parts;
    if (links.some(({ isUp }) => !isUp)) return;
    this.#carryOut(releases, (orderId) => orderId, releaseVerdict);
    this.#carryOut(settlements, ({ orderId }) => orderId, settlementVerdict);
  }

  #carryOut<Request>(
    requests: PendingRequests<Request>,
    orderOf: (request: Request) => OrderId,
    verdictOf: (state: ParentState | null, request: Request) => Verdict,
  ): void {
    const { links, storedState, log } = this.#parts;
    for (const request of requests.pending()) {
      const orderId = orderOf(request);
      const state = storedState(orderId);
      const verdict = verdictOf(state, request);
      if (verdict.kind === 'send') {
        links[shardOf(orderId, links.length)]?.send(verdict.command);
        continue;
      }
      requests.settle(request);
      const facts = { orderId, account: state?.order.account ?? null, status: state?.status ?? null, ...verdict.facts };
      log[verdict.level](facts, verdict.message);
    }
  }
}

function releaseVerdict(state: ParentState | null, orderId: OrderId): Verdict {
  const isPending = state !== null && !isTerminal(state.status) && state.quarantine?.isReleased === false;
  if (isPending) return { kind: 'send', command: { kind: 'ReleaseParent', correlationId: NO_COMMAND, orderId } };
  return { kind: 'end', level: 'info', facts: {}, message: 'an operator released a quarantined order' };
}

function settlementVerdict(state: ParentState | null, settlement: ChildSettlement): Verdict {
  const { child, by } = settlement;
  if (state === null || isTerminal(state.status) || liveChildren(state).every(({ order }) => order.child !== child)) {
    const message = 'a child order that an operator settled has ended';
    return { kind: 'end', level: 'info', facts: { child, by }, message };
  }
  const refusal = settlementRefusal(state, settlement);
  if (refusal === null || refusal.code === 'SYSTEM_BUSY') {
    return { kind: 'send', command: { kind: 'SettleChild', correlationId: NO_COMMAND, ...settlement } };
  }
  // The exchange has answered since the operator's request.
  const facts = { child, by, code: refusal.code, refusal: refusal.message };
  return { kind: 'end', level: 'warn', facts, message: 'the settlement of a child order is refused' };
}
