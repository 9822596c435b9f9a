import { TERMINAL_STATUSES, type OrderRef, type OrderSummary, type SluiceClient } from '../../src/client/index.js';
import type { ServiceRun } from './actor.js';
import type { AccountSession } from './account-session.js';
import { randomOrder, type Acknowledged } from './ledger.js';

type Change = (ref: OrderRef) => Promise<OrderSummary>;
type Hands = Pick<ServiceRun, 'random' | 'report'>;

const PAUSED: ReadonlySet<string> = new Set(['PENDING_PAUSE', 'PAUSED']);
const OVER: ReadonlySet<string> = new Set([...TERMINAL_STATUSES, 'PENDING_CANCEL']);

/** Changes orders of an account, one change per order at a time, so that clients do not interfere. */
export class Changes {
  readonly #session: AccountSession;
  readonly #inHand = new Set<number>();

  constructor(session: AccountSession) {
    this.#session = session;
  }

  /** Changes one of the latest orders. Returns false when there is none, or another client is changing it. */
  async makeOne(hands: Hands, by: SluiceClient = this.#session.client): Promise<boolean> {
    const order = randomOrder(this.#session.ledger, hands.random);
    if (order === undefined || this.#inHand.has(order.orderId)) return false;
    this.#inHand.add(order.orderId);
    try {
      await this.#change(order, hands, by);
    } finally {
      this.#inHand.delete(order.orderId);
    }
    return true;
  }

  /**
   * Cancels, pauses, resumes or amends an order, valid or not. An invalid change must be rejected and have no effect. A
   * repeated change must be answered again and applied once.
   */
  async #change({ orderId, request }: Acknowledged, { random, report }: Hands, client: SluiceClient): Promise<void> {
    const { ledger } = this.#session;
    const ref = { order_id: orderId };
    const isTwice = random.next() < 0.3;
    const ask = (change: Change): Promise<OrderSummary> => asked(change, ref, isTwice ? report : null);
    const dice = random.next();
    if (dice < 0.45) {
      const { status, error_code: code } = await ask((order) => client.pause(order));
      if (code === undefined && PAUSED.has(status)) ledger.paused.add(orderId);
      return;
    }
    // The change may be applied although its answer never arrives.
    if (dice < 0.85) ledger.paused.delete(orderId);
    if (dice < 0.7) await ask((order) => client.resume(order));
    else if (dice < 0.85) await client.cancel(ref);
    else if ('quantity' in request) {
      const quantity = `${request.quantity}${1 + random.below(9)}`;
      ledger.amended.set(orderId, [...(ledger.amended.get(orderId) ?? []), quantity]);
      await ask((order) => client.amend({ ...order, quantity }));
    }
  }
}

/** Returns the answer. With `report`, repeats the change, which must be accepted again unless the order has ended. */
async function asked(change: Change, ref: OrderRef, report: ServiceRun['report'] | null): Promise<OrderSummary> {
  const first = await change(ref);
  if (report === null || first.error_code !== undefined) return first;
  const again = await change(ref);
  if (again.error_code !== undefined && !OVER.has(again.status)) {
    report(`a change was accepted and its repetition rejected: ${JSON.stringify(first)}, ${JSON.stringify(again)}`);
  }
  return again;
}
