import { shardOf, type CorrelationId, type OrderId } from '../model/ids.js';
import { isTerminal, type ParentState } from '../model/order.js';
import type { ShardLink } from './shard-link.js';

export interface QuarantineDeskParts {
  readonly links: readonly ShardLink[];
  readonly releases: {
    pending(): readonly OrderId[];
    settle(orderId: OrderId): void;
  };
  /** What LMDB holds of an order now. */
  readonly storedState: (orderId: OrderId) => ParentState | null;
  readonly log: { info(facts: object, message: string): void };
}

const NO_COMMAND = 0 as CorrelationId;

/** Carries the operator's releases to the shards. A release is repeated until the store shows it. */
export class QuarantineDesk {
  readonly #parts: QuarantineDeskParts;

  constructor(parts: QuarantineDeskParts) {
    this.#parts = parts;
  }

  /** Called about once a second. */
  sweep(): void {
    const { links, releases, storedState, log } = this.#parts;
    if (links.some(({ isUp }) => !isUp)) return;
    for (const orderId of releases.pending()) {
      const state = storedState(orderId);
      if (isDone(state)) {
        releases.settle(orderId);
        const account = state?.order.account ?? null;
        log.info({ orderId, account, status: state?.status ?? null }, 'an operator released a quarantined order');
        continue;
      }
      links[shardOf(orderId, links.length)]?.send({ kind: 'ReleaseParent', correlationId: NO_COMMAND, orderId });
    }
  }
}

/** Also true when there is nothing to release. */
function isDone(state: ParentState | null): boolean {
  return state === null || isTerminal(state.status) || state.quarantine === null || state.quarantine.isReleased;
}
