import type { MultiLegOrderRequest, OrderRequest, SluiceClient } from '../../src/client/index.js';
import type { Random } from './random.js';

export type AnyRequest = OrderRequest | MultiLegOrderRequest;

/** An order whose create was answered: it must never be lost. */
export interface Acknowledged {
  readonly orderId: number;
  readonly request: AnyRequest;
}

/** What an account's clients know after many lives of the service. */
export interface Ledger {
  readonly acknowledged: Map<string, Acknowledged>;
  /** Sent, and the service died before it answered: placed or not, but never twice. */
  readonly unanswered: Map<string, AnyRequest>;
  /** Acknowledged as paused, and neither resumed nor cancelled since, as far as anybody knows. */
  readonly paused: Set<number>;
  /** By order: quantities that were asked for after its create, done or not. */
  readonly amended: Map<number, string[]>;
  nextClientId: number;
  /** The exchange has orders of the account that nobody here knows: they were placed after a backup that was restored. */
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
 * Forgets what was promised since a mark, a copy of what was acknowledged. Whatever was sent since, or was paused, may hold or not: nothing is expected of it.
 */
export function goBack(ledger: Ledger, mark: ReadonlyMap<string, Acknowledged>): void {
  ledger.acknowledged.clear();
  for (const [name, order] of mark) ledger.acknowledged.set(name, order);
  ledger.unanswered.clear();
  ledger.paused.clear();
  ledger.hasLostOrders = true;
}

/** Places an order and remembers what is known of it, whatever happens. */
export async function place(client: SluiceClient, ledger: Ledger, request: AnyRequest): Promise<number> {
  const id = request.client_order_id as string;
  ledger.unanswered.set(id, request);
  const summary = await ('legs' in request ? client.createMultiLegs(request) : client.create(request));
  if (summary.order_id === undefined)
    throw new Error(`refused: ${JSON.stringify(summary)} of ${JSON.stringify(request)}`);
  const known = ledger.acknowledged.get(id);
  if (known !== undefined && known.orderId !== summary.order_id) {
    throw new Error(`${id} was placed twice: ${known.orderId} and ${summary.order_id}`);
  }
  ledger.unanswered.delete(id);
  ledger.acknowledged.set(id, { orderId: summary.order_id, request });
  return summary.order_id;
}

/** One of those placed last. */
export function randomOrder(ledger: Ledger, random: Random): Acknowledged | undefined {
  const orders = [...ledger.acknowledged.values()].slice(-RECENT_COUNT);
  return orders.length === 0 ? undefined : random.pick(orders);
}
