import { TERMINAL_STATUSES, type OrderRef, type OrderSummary } from '../../src/client/index.js';
import type { Life } from './actor.js';
import type { Desk } from './desk.js';
import { randomOrder, type Acknowledged } from './ledger.js';

type Change = (ref: OrderRef) => Promise<OrderSummary>;
type Hands = Pick<Life, 'random' | 'report'>;

const PAUSED: ReadonlySet<string> = new Set(['PENDING_PAUSE', 'PAUSED']);
const OVER: ReadonlySet<string> = new Set([...TERMINAL_STATUSES, 'PENDING_CANCEL']);

/** Changes orders of an account, one at a time: what one client was told must not be made untrue by another. */
export class Changes {
  readonly #desk: Desk;
  readonly #inHand = new Set<number>();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Changes one of the orders placed last; false when there is none, or another client is at it. */
  async makeOne(hands: Hands): Promise<boolean> {
    const order = randomOrder(this.#desk.ledger, hands.random);
    if (order === undefined || this.#inHand.has(order.orderId)) return false;
    this.#inHand.add(order.orderId);
    try {
      await this.#change(order, hands);
    } finally {
      this.#inHand.delete(order.orderId);
    }
    return true;
  }

  /**
   * Cancels, pauses, resumes or amends an order, whether that fits it or not: then the answer says why, and it stays as it
   * is. What is asked twice is answered twice, and done once.
   */
  async #change({ orderId, request }: Acknowledged, { random, report }: Hands): Promise<void> {
    const { client, ledger } = this.#desk;
    const ref = { order_id: orderId };
    const isTwice = random.next() < 0.3;
    const ask = (change: Change): Promise<OrderSummary> => asked(change, ref, isTwice ? report : null);
    const dice = random.next();
    if (dice < 0.45) {
      const { status, error_code: code } = await ask((order) => client.pause(order));
      if (code === undefined && PAUSED.has(status)) ledger.paused.add(orderId);
      return;
    }
    // It may be done though the answer never comes.
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

/** The answer; with a report the same is asked again, and must be as right as before unless the order is over. */
async function asked(change: Change, ref: OrderRef, report: Life['report'] | null): Promise<OrderSummary> {
  const first = await change(ref);
  if (report === null || first.error_code !== undefined) return first;
  const again = await change(ref);
  if (again.error_code !== undefined && !OVER.has(again.status)) {
    report(`a change that was right is wrong when repeated: ${JSON.stringify(first)}, ${JSON.stringify(again)}`);
  }
  return again;
}
