import type { OrderRequest } from '../../src/client/index.js';
import { eventually } from '../system/eventually.js';
import { pause, untilServiceEnds, type Actor, type ServiceRun } from './actor.js';
import { settleAll } from './checks.js';
import type { AccountSession } from './account-session.js';
import { exact, ExactReader } from './exact.js';

const BATCH_ORDERS = 250;
/** Message of an answer that took too long: the order is placed or not. */
const UNKNOWN = /outcome is unknown/;
const REST_MS = 200;
const OPEN: ReadonlySet<string> = new Set(['PENDING_NEW', 'ACCEPTED']);
/** Prices far below the simulated markets. An account's start balance covers the sum of all orders. */
const MARKETS: readonly (readonly [symbol: string, quantity: string, price: string])[] = [
  ['BTC/USDT', '0.001', '30000'],
  ['ETH/USDT', '0.02', '1000'],
  ['SOL/USDT', '0.3', '60'],
];
const WAITS_DAYS = 20;
/** Well below VENUE_OPEN_ORDERS_MAX: an order that the exchange refuses again and again ends. */
const RESTING_MAX = 150;
const DAY_MS = 86_400_000;

/**
 * Orders that stay open over all runs: as many as an exchange holds rest there, the others wait for their start time.
 * Each run cancels a few and places others.
 */
export class OpenOrders implements Actor {
  readonly #session: AccountSession;
  readonly #count: number;
  /** Orders that must be open, by client order id. */
  readonly #open = new Map<string, OrderRequest>();
  /** Orders whose placement was not answered. */
  readonly #unsure = new Map<string, OrderRequest>();
  /** Orders whose cancel was requested. */
  readonly #leaving = new Set<string>();
  #mark: ReadonlyMap<string, OrderRequest> = new Map();
  #next = 1;

  constructor(session: AccountSession, count: number) {
    this.#session = session;
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

  /** Checks that each order is open with its full quantity left. The first run places them. */
  async check({ port, nowMs, report }: ServiceRun): Promise<void> {
    if (this.#count === 0) return;
    const reader = new ExactReader(port, this.#session.key, nowMs);
    const found = new Map((await reader.open()).map((order) => [order.client_order_id ?? '', order]));
    for (const [name, { quantity }] of this.#open) {
      const order = found.get(name);
      if (order === undefined) report(`long-lived order ${name} is not open`);
      else if (!OPEN.has(order.status)) report(`long-lived order ${name} is ${order.status}`);
      else if (exact(order.leaves_quantity) !== exact(quantity)) {
        report(`long-lived order ${name} of ${quantity} has ${order.leaves_quantity} left`);
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

  async work(run: ServiceRun): Promise<void> {
    const { random } = run;
    if (this.#count === 0) return;
    await untilServiceEnds(run, async () => {
      const [name] = random.pick([...this.#open]);
      this.#open.delete(name);
      this.#leaving.add(name);
      await this.#session.client.cancel({ client_order_id: name });
      await this.#place(1);
      await pause(REST_MS);
    });
  }

  /** Waits until the cancelled orders have ended. */
  async settle(): Promise<void> {
    if (this.#count === 0) return;
    const { client } = this.#session;
    for (const name of this.#leaving) await client.cancel({ client_order_id: name });
    await eventually(
      async () => (await client.open()).length,
      (count) => count === this.#open.size,
    );
    this.#leaving.clear();
  }

  /** Cancels all orders and waits until none is open. */
  async end(): Promise<void> {
    if (this.#count > 0) await settleAll(this.#session.client);
    this.#open.clear();
  }

  async #place(count: number): Promise<void> {
    const orders = newOrders({ first: this.#next, count }, [...this.#open.values(), ...this.#unsure.values()]);
    this.#next += count;
    for (const order of orders) this.#unsure.set(order.client_order_id as string, order);
    const summaries = await this.#session.client.createMany(orders);
    for (const [index, { error_code: code, message }] of summaries.entries()) {
      const order = orders[index] as OrderRequest;
      if (UNKNOWN.test(message ?? '')) continue;
      if (code !== undefined) throw new Error(`a long-lived order was rejected: ${code} ${message}`);
      this.#unsure.delete(order.client_order_id as string);
      this.#open.set(order.client_order_id as string, order);
    }
  }
}

/** The orders of the next numbers. `open`: those that may be open already. */
export function newOrders(
  { first, count }: { readonly first: number; readonly count: number },
  open: readonly OrderRequest[],
): OrderRequest[] {
  const resting = new Map<string, number>();
  const restingOf = (symbol: string): number => resting.get(symbol) ?? 0;
  const note = ({ symbol, start_time: startTime }: OrderRequest): void => {
    if (startTime === undefined) resting.set(symbol, restingOf(symbol) + 1);
  };
  for (const order of open) note(order);
  return Array.from({ length: count }, (_, offset) => {
    const index = first + offset;
    const [symbol, quantity, price] = MARKETS[index % MARKETS.length] as (typeof MARKETS)[number];
    const isWaiting = index % 4 === 0 || restingOf(symbol) >= RESTING_MAX;
    const order: OrderRequest = {
      client_order_id: `open-${index}`,
      exchange: 'BINANCE',
      symbol,
      asset_category: 'SPOT',
      side: 'BUY',
      quantity,
      strategy: 'LIMIT',
      limit_price: price,
      ...(isWaiting ? { start_time: new Date(Date.now() + WAITS_DAYS * DAY_MS).toISOString() } : {}),
    };
    note(order);
    return order;
  });
}
