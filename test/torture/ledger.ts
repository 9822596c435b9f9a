import type { MultiLegOrderRequest, OrderRequest, SluiceClient } from '../../src/client/index.js';
import type { Random } from './random.js';

export type AnyRequest = OrderRequest | MultiLegOrderRequest;

/** An acknowledged order, which must never be lost. */
export interface Acknowledged {
  readonly orderId: number;
  readonly request: AnyRequest;
}

/** The knowledge of an account's clients over many runs of the service. */
export interface Ledger {
  readonly acknowledged: Map<string, Acknowledged>;
  /** Sent but not answered: placed once or not at all. */
  readonly unanswered: Map<string, AnyRequest>;
  /** Acknowledged as paused, and not resumed or cancelled since, as far as known. */
  readonly paused: Set<number>;
  /** By order: quantities requested in amendments, applied or not. */
  readonly amended: Map<number, string[]>;
  nextClientId: number;
  /** The exchange has orders that were placed after a restored backup, which no client knows. */
  hasLostOrders: boolean;
}

const RECENT_COUNT = 200;

export function newLedger(): Ledger {
  return {
    acknowledged: new Map(),
    unanswered: new Map(),
    paused: new Set(),
    amended: new Map(),
    nextClientId: 1,
    hasLostOrders: false,
  };
}

/**
 * Forgets promises after a mark, which is a copy of the acknowledged orders. Later requests may have an effect or not,
 * so they are not checked.
 */
export function goBack(ledger: Ledger, mark: ReadonlyMap<string, Acknowledged>): void {
  ledger.acknowledged.clear();
  for (const [name, order] of mark) ledger.acknowledged.set(name, order);
  ledger.unanswered.clear();
  ledger.paused.clear();
  ledger.hasLostOrders = true;
}

/** Places an order and records it before and after. */
export async function place(client: SluiceClient, ledger: Ledger, request: AnyRequest): Promise<number> {
  const id = request.client_order_id as string;
  ledger.unanswered.set(id, request);
  const summary = await ('legs' in request ? client.createMultiLegs(request) : client.create(request));
  if (summary.order_id === undefined)
    throw new Error(`rejected: ${JSON.stringify(summary)} of ${JSON.stringify(request)}`);
  const known = ledger.acknowledged.get(id);
  if (known !== undefined && known.orderId !== summary.order_id) {
    throw new Error(`${id} was placed twice: ${known.orderId} and ${summary.order_id}`);
  }
  ledger.unanswered.delete(id);
  ledger.acknowledged.set(id, { orderId: summary.order_id, request });
  return summary.order_id;
}

/** Returns one of the latest orders. */
export function randomOrder(ledger: Ledger, random: Random): Acknowledged | undefined {
  const orders = [...ledger.acknowledged.values()].slice(-RECENT_COUNT);
  return orders.length === 0 ? undefined : random.pick(orders);
}
