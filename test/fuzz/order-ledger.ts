import type { KnownWorld, OrderName } from './known-world.js';
import type { Answer } from './http-answer.js';
import { parsed } from './answer-schemas.js';

interface Summary {
  readonly order_id?: number;
  readonly client_order_id?: string;
  readonly status?: string;
}

const CREATED = 201;

/** Orders acknowledged since the last check. */
export class OrderLedger {
  readonly #world: KnownWorld;
  #acknowledged = new Map<number, OrderName>();

  constructor(world: KnownWorld) {
    this.#world = world;
  }

  note({ status, body }: Pick<Answer, 'status' | 'body'>): void {
    if (status !== CREATED) return;
    const value = parsed(body.toString()) as Summary & { readonly orders?: readonly Summary[] };
    for (const { order_id: orderId, client_order_id: clientOrderId } of value.orders ?? [value]) {
      if (orderId === undefined) continue;
      const name: OrderName = { orderId, clientOrderId };
      this.#acknowledged.set(orderId, name);
      this.#world.learn(name);
    }
  }

  /** Returns the noted orders and forgets them. */
  take(): OrderName[] {
    const taken = [...this.#acknowledged.values()];
    this.#acknowledged = new Map();
    return taken;
  }
}
