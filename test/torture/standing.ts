import type { OrderRequest } from '../../src/client/index.js';
import { eventually } from '../system/eventually.js';
import { pause, untilDeath, type Actor, type Life } from './actor.js';
import { settleAll } from './checks.js';
import type { Desk } from './desk.js';
import { exact, ExactReader } from './exact.js';

const BATCH_ORDERS = 250;
/** An answer that took too long: the order is placed or not. */
const UNKNOWN = /outcome is unknown/;
const REST_MS = 200;
const OPEN: ReadonlySet<string> = new Set(['PENDING_NEW', 'ACCEPTED']);
/** Far below what the simulated markets trade at; the sum of all of them is covered by what an account begins with. */
const MARKETS: readonly (readonly [symbol: string, quantity: string, price: string])[] = [
  ['BTC/USDT', '0.001', '30000'],
  ['ETH/USDT', '0.02', '1000'],
  ['SOL/USDT', '0.3', '60'],
];
const WAITS_DAYS = 20;
const DAY_MS = 86_400_000;

/**
 * Orders that stand open over all lives: most rest at the exchange, some wait for their start time. In each life a few
 * are cancelled and others placed.
 */
export class Standing implements Actor {
  readonly #desk: Desk;
  readonly #count: number;
  /** By client order id: those that must be open. */
  readonly #open = new Map<string, OrderRequest>();
  /** Being placed when the service died. */
  readonly #unsure = new Map<string, OrderRequest>();
  /** Their cancel was asked for. */
  readonly #leaving = new Set<string>();
  #mark: ReadonlyMap<string, OrderRequest> = new Map();
  #next = 1;

  constructor(desk: Desk, count: number) {
    this.#desk = desk;
    this.#count = count;
  }

  get count(): number {
    return this.#open.size;
  }

  mark(): void {
    this.#mark = new Map(this.#open);
  }

  restored(): void {
    for (const [name, order] of this.#open) if (!this.#mark.has(name)) this.#unsure.set(name, order);
    this.#open.clear();
    for (const [name, order] of this.#mark) if (!this.#leaving.has(name)) this.#open.set(name, order);
  }

  /** Each of them is open, with all of its quantity left; the first life places them. */
  async check({ port, nowMs, report }: Life): Promise<void> {
    if (this.#count === 0) return;
    const reader = new ExactReader(port, this.#desk.key, nowMs);
    const found = new Map((await reader.open()).map((order) => [order.client_order_id ?? '', order]));
    for (const [name, { quantity }] of this.#open) {
      const order = found.get(name);
      if (order === undefined) report(`standing order ${name} is not open`);
      else if (!OPEN.has(order.status)) report(`standing order ${name} is ${order.status}`);
      else if (exact(order.leaves_quantity) !== exact(quantity)) {
        report(`standing order ${name} of ${quantity} has ${order.leaves_quantity} left`);
      }
      found.delete(name);
    }
    for (const [name, order] of found) {
      if (!this.#unsure.has(name) && !this.#leaving.has(name)) report(`${name} is open: ${JSON.stringify(order)}`);
    }
    for (const [name, request] of this.#unsure) if (found.has(name)) this.#open.set(name, request);
    this.#unsure.clear();
    const missing = this.#count - this.#open.size;
    for (let placed = 0; placed < missing; placed += BATCH_ORDERS)
      await this.#place(Math.min(BATCH_ORDERS, missing - placed));
  }

  async work(life: Life): Promise<void> {
    const { random } = life;
    if (this.#count === 0) return;
    await untilDeath(life, async () => {
      const [name] = random.pick([...this.#open]);
      this.#open.delete(name);
      this.#leaving.add(name);
      await this.#desk.client.cancel({ client_order_id: name });
      await this.#place(1);
      await pause(REST_MS);
    });
  }

  /** Those that were cancelled are gone. */
  async settle(): Promise<void> {
    if (this.#count === 0) return;
    const { client } = this.#desk;
    for (const name of this.#leaving) await client.cancel({ client_order_id: name });
    await eventually(
      async () => (await client.open()).length,
      (count) => count === this.#open.size,
    );
    this.#leaving.clear();
  }

  /** Cancels all of them, and waits until none is open. */
  async end(): Promise<void> {
    if (this.#count > 0) await settleAll(this.#desk.client);
    this.#open.clear();
  }

  async #place(count: number): Promise<void> {
    const orders = Array.from({ length: count }, () => newOrder(this.#next++));
    for (const order of orders) this.#unsure.set(order.client_order_id as string, order);
    const summaries = await this.#desk.client.createMany(orders);
    for (const [index, { error_code: code, message }] of summaries.entries()) {
      const order = orders[index] as OrderRequest;
      if (UNKNOWN.test(message ?? '')) continue;
      if (code !== undefined) throw new Error(`a standing order was refused: ${code} ${message}`);
      this.#unsure.delete(order.client_order_id as string);
      this.#open.set(order.client_order_id as string, order);
    }
  }
}

function newOrder(index: number): OrderRequest {
  const [symbol, quantity, price] = MARKETS[index % MARKETS.length] as (typeof MARKETS)[number];
  const isWaiting = index % 4 === 0;
  return {
    client_order_id: `standing-${index}`,
    exchange: 'BINANCE',
    symbol,
    asset_category: 'SPOT',
    side: 'BUY',
    quantity,
    strategy: 'LIMIT',
    limit_price: price,
    ...(isWaiting ? { start_time: new Date(Date.now() + WAITS_DAYS * DAY_MS).toISOString() } : {}),
  };
}
