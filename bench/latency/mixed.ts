import { type OrderRequest, type OrderSummary, SluiceClient } from '../../src/client/index.js';
import { placeOpenOrders } from '../open-orders.js';
import type { Report } from '../report.js';
import { type RunningService, startService } from '../service.js';
import { pause, quantile } from './times.js';

const BENCH = 'mixed';

interface Sizes {
  readonly orders: number;
  readonly clients: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
}

const FULL: Sizes = { orders: 30_000, clients: 16, warmUpMs: 5_000, durationMs: 60_000 };
const QUICK: Sizes = { orders: 200, clients: 4, warmUpMs: 100, durationMs: 2_000 };
/** Interval of the actions of one client: 400 actions a second of 16 clients. */
const ACTION_EVERY_MS = 40;
const START_AHEAD_MS = 24 * 3600 * 1000;
const BTC = { exchange: 'BINANCE', symbol: 'BTC/USDT', asset_category: 'SPOT', side: 'BUY' } as const;

/** An own order of a client that it may change. */
interface OwnOrder {
  readonly orderId: number;
  revision: number;
}

type Act = (actor: Actor, own: OwnOrder) => Promise<unknown>;

/** Actions in the mix: of 20 actions, this many. An action on an order takes a random own one. */
const MIX: readonly { readonly name: string; readonly count: number; readonly act: Act }[] = [
  { name: 'create', count: 5, act: (actor) => actor.create() },
  { name: 'create MARKET', count: 1, act: (actor) => actor.accepted(actor.client.create(marketOrder())) },
  { name: 'amend', count: 2, act: (actor, own) => actor.amend(own) },
  { name: 'pause and resume', count: 1, act: (actor, own) => actor.pauseAndResume(own) },
  { name: 'cancel', count: 4, act: (actor, own) => actor.cancel(own) },
  { name: 'byId', count: 3, act: ({ client }, { orderId }) => client.byId({ orderIds: [orderId] }) },
  { name: 'find, 40 orders', count: 1, act: ({ client }) => client.find({ limit: 40 }) },
  { name: 'timeline', count: 2, act: ({ client }, { orderId }) => client.timeline({ orderId }) },
  { name: 'preview', count: 1, act: ({ client }) => client.preview(waitingOrder()) },
];
const DECK = MIX.flatMap(({ name, count, act }) => Array.from({ length: count }, () => ({ name, act })));

/**
 * Measures the latency of each action while 16 clients act in a fixed rhythm on a service with 30,000 open orders.
 * Latency counts from the time when the action is due. The clients share one process and one account.
 */
export async function mixed(report: Report, isQuick: boolean): Promise<void> {
  const { orders, clients, warmUpMs, durationMs } = isQuick ? QUICK : FULL;
  const service = await startService();
  const actors = Array.from({ length: clients }, (_, index) => new Actor(service, index));
  try {
    await placeOpenOrders(service, 0, orders, (placed) => report.progress(`${placed} of ${orders} orders placed`));
    report.progress(`${clients} clients act`);
    await actAll(actors, warmUpMs);
    const startMs = performance.now();
    const times = await actAll(actors, durationMs);
    const tookS = (performance.now() - startMs) / 1000;
    for (const { name } of MIX) {
      const took = times.get(name) ?? [];
      if (took.length === 0) continue;
      const figure = { bench: BENCH, case: name, rounds: took.length, unit: 'us' };
      report.add({ ...figure, metric: 'p50', value: quantile(took, 0.5) });
      report.add({ ...figure, metric: 'p99', value: quantile(took, 0.99) });
    }
    const all = [...times.values()].flat();
    const figure = { bench: BENCH, case: `${clients} clients, ${orders} open orders`, rounds: all.length };
    for (const [metric, share] of Object.entries({ p50: 0.5, p99: 0.99, 'p99.9': 0.999 })) {
      report.add({ ...figure, metric, value: quantile(all, share), unit: 'us' });
    }
    report.add({ ...figure, metric: 'throughput', value: all.length / tookS, unit: '1/s' });
  } finally {
    for (const { client } of actors) client.close();
    await service.stop();
  }
}

/** Times of the actions in microseconds, by action. */
type Times = Map<string, number[]>;

async function actAll(actors: readonly Actor[], durationMs: number): Promise<Times> {
  const times: Times = new Map();
  const startMs = performance.now();
  await Promise.all(
    actors.map(async (actor, index) => {
      // The clients act in turn.
      const firstMs = startMs + (index * ACTION_EVERY_MS) / actors.length;
      for (let dueMs = firstMs; dueMs < startMs + durationMs; dueMs += ACTION_EVERY_MS) {
        await pause(Math.max(0, dueMs - performance.now()));
        // A timer may fire late. The client then acts late, and the service is not the cause.
        const sinceMs = Math.max(dueMs, Math.min(performance.now(), dueMs + TIMER_LATE_MS_MAX));
        const name = await actor.act();
        const took = times.get(name);
        const us = (performance.now() - sinceMs) * 1000;
        if (took === undefined) times.set(name, [us]);
        else took.push(us);
      }
    }),
  );
  return times;
}

/** How late a timer usually is. */
const TIMER_LATE_MS_MAX = 2;
const OWN_ORDERS_MAX = 50;

/** One client and its orders. */
class Actor {
  readonly client: SluiceClient;
  readonly #own: OwnOrder[] = [];
  #next: number;

  constructor({ port, key }: RunningService, index: number) {
    this.client = new SluiceClient({ url: `http://127.0.0.1:${port}`, ...key, recvWindowMs: 60_000 });
    this.#next = index;
  }

  /** Does the next action and returns its name. Without an own order it creates one. */
  async act(): Promise<string> {
    this.#next += 1;
    const { name, act } = DECK[(this.#next * STRIDE) % DECK.length]!;
    const own = this.#own[this.#next % Math.max(1, this.#own.length)];
    if (own === undefined || (name === 'cancel' && this.#own.length === 1)) {
      await this.create();
      return 'create';
    }
    await act(this, own);
    return name;
  }

  async create(): Promise<void> {
    const { order_id: orderId } = await this.accepted(this.client.create(waitingOrder()));
    this.#own.push({ orderId: orderId!, revision: 0 });
    if (this.#own.length > OWN_ORDERS_MAX) this.#own.shift();
  }

  async amend(own: OwnOrder): Promise<void> {
    own.revision += 1;
    const quantity = (0.002 + (own.revision % 10) * 0.0001).toFixed(4);
    await this.accepted(this.client.amend({ order_id: own.orderId, quantity }));
  }

  async pauseAndResume({ orderId }: OwnOrder): Promise<void> {
    await this.accepted(this.client.pause({ order_id: orderId }));
    await this.accepted(this.client.resume({ order_id: orderId }));
  }

  async cancel(own: OwnOrder): Promise<void> {
    this.#own.splice(this.#own.indexOf(own), 1);
    await this.accepted(this.client.cancel({ order_id: own.orderId }));
  }

  /** The answer of an action that must not be refused. */
  async accepted(answer: Promise<OrderSummary>): Promise<OrderSummary> {
    const summary = await answer;
    if (summary.error_code === undefined) return summary;
    throw new Error(`an action was refused: ${summary.error_code}: ${summary.message ?? ''}`);
  }
}

/** Coprime to the number of actions in the deck: each client goes through all of them. */
const STRIDE = 7;

/** An order that starts a day ahead: open and durable, but without work. */
function waitingOrder(): OrderRequest {
  const params = { duration_seconds: '3600', trading_style: 'HYBRID' } as const;
  const startTime = new Date(Date.now() + START_AHEAD_MS).toISOString();
  return { ...BTC, quantity: '0.002', strategy: 'TWAP', start_time: startTime, params };
}

function marketOrder(): OrderRequest {
  return { ...BTC, quantity: '0.001', strategy: 'MARKET' };
}
