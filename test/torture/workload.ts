import {
  SluiceError,
  type MultiLegOrderRequest,
  type OrderRequest,
  type SluiceClient,
} from '../../src/client/index.js';
import type { Random } from './random.js';

export type AnyRequest = OrderRequest | MultiLegOrderRequest;

/** An order whose create was answered: it must never be lost. */
export interface Acknowledged {
  readonly orderId: number;
  readonly request: AnyRequest;
}

/** What the clients know after many lives of the service. */
export interface Ledger {
  readonly acknowledged: Map<string, Acknowledged>;
  /** Sent, and the service died before it answered: placed or not, but never twice. */
  readonly unanswered: Map<string, AnyRequest>;
  readonly cancelled: Set<number>;
  /** By order: quantities that were asked for after its create, done or not. */
  readonly amended: Map<number, string[]>;
  nextClientId: number;
}

export function newLedger(): Ledger {
  return { acknowledged: new Map(), unanswered: new Map(), cancelled: new Set(), amended: new Map(), nextClientId: 1 };
}

const CLIENTS_COUNT = 12;
const SYMBOLS: readonly (readonly [string, string])[] = [
  ['BTC/USDT', '0.00'],
  ['ETH/USDT', '0.0'],
  ['SOL/USDT', '0.'],
];

/** Clients that place, cancel and read as fast as they are answered, until the service dies under them. */
export async function workUntilDeath(client: SluiceClient, ledger: Ledger, random: Random): Promise<void> {
  await Promise.all(Array.from({ length: CLIENTS_COUNT }, () => runClient(client, ledger, random)));
}

async function runClient(client: SluiceClient, ledger: Ledger, random: Random): Promise<void> {
  for (;;) {
    try {
      const dice = random.next();
      if (dice < 0.05) await place(client, ledger, newPair(ledger, random));
      else if (dice < 0.65) await place(client, ledger, newRequest(ledger, random));
      else if (dice < 0.75) await cancelOne(client, ledger, random);
      else if (dice < 0.87) await changeOne(client, ledger, random);
      else await readOne(client, ledger, random);
    } catch (error) {
      if (error instanceof SluiceError && error.status > 0) throw error;
      return;
    }
  }
}

/** Places an order and remembers what is known of it, whatever happens. */
export async function place(client: SluiceClient, ledger: Ledger, request: AnyRequest): Promise<void> {
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
}

function newRequest(ledger: Ledger, random: Random): OrderRequest {
  const [symbol, quantityPrefix] = random.pick(SYMBOLS);
  const base = {
    client_order_id: `torture-${ledger.nextClientId++}`,
    exchange: 'BINANCE',
    symbol,
    asset_category: 'SPOT',
    side: random.pick(['BUY', 'SELL'] as const),
    quantity: `${quantityPrefix}${1 + random.below(9)}${random.below(10)}`,
  } as const;
  const dice = random.next();
  if (dice < 0.5) {
    const style = random.pick(['PASSIVE', 'HYBRID', 'AGGRESSIVE'] as const);
    const duration = String(2 + random.below(20));
    return { ...base, strategy: 'TWAP', params: { duration_seconds: duration, trading_style: style } };
  }
  if (dice < 0.75) return { ...base, strategy: 'MARKET' };
  return { ...base, strategy: 'LIMIT', limit_price: limitOf(symbol, base.side) };
}

/** Trades nothing, and makes frames at two exchanges: one of them is the one that is watched. */
function newPair(ledger: Ledger, random: Random): MultiLegOrderRequest {
  const leg = { symbol: 'BTC/USDT', asset_category: 'SPOT', ccy: 'BTC', strategy: 'MARKET' } as const;
  const sides = random.pick([['BUY', 'SELL'] as const, ['SELL', 'BUY'] as const]);
  const target = `0.0${1 + random.below(9)}`;
  return {
    client_order_id: `torture-${ledger.nextClientId++}`,
    algo: 'PAIR',
    legs: [
      { ...leg, exchange: 'BINANCE', side: sides[0], target_value: target },
      { ...leg, exchange: 'OKX', side: sides[1], target_value: target },
    ],
  };
}

/** Far enough to rest, so that cancels have something to do. */
function limitOf(symbol: string, side: 'BUY' | 'SELL'): string {
  const middle = { 'BTC/USDT': 64_000, 'ETH/USDT': 2_680, 'SOL/USDT': 155 }[symbol] ?? 1;
  return String(Math.round(side === 'BUY' ? middle * 0.98 : middle * 1.02));
}

async function cancelOne(client: SluiceClient, ledger: Ledger, random: Random): Promise<void> {
  const order = randomOrder(ledger, random);
  if (order === undefined) return;
  const summary = await client.cancel({ order_id: order.orderId });
  if (summary.status === 'PENDING_CANCEL') ledger.cancelled.add(order.orderId);
}

/** Pauses, resumes or amends an order, whether that fits it or not: then the answer says why, and it stays as it is. */
async function changeOne(client: SluiceClient, ledger: Ledger, random: Random): Promise<void> {
  const order = randomOrder(ledger, random);
  if (order === undefined) return;
  const ref = { order_id: order.orderId };
  const dice = random.next();
  if (dice < 0.4) await client.pause(ref);
  else if (dice < 0.7) await client.resume(ref);
  else if ('quantity' in order.request) {
    const quantity = `${order.request.quantity}${1 + random.below(9)}`;
    ledger.amended.set(order.orderId, [...(ledger.amended.get(order.orderId) ?? []), quantity]);
    await client.amend({ ...ref, quantity });
  }
}

async function readOne(client: SluiceClient, ledger: Ledger, random: Random): Promise<void> {
  const order = randomOrder(ledger, random);
  if (order === undefined) return;
  const found = await client.byId({ orderIds: [order.orderId], includeTrades: true });
  if (found.length !== 1) throw new Error(`acknowledged order ${order.orderId} is not found`);
}

function randomOrder(ledger: Ledger, random: Random): Acknowledged | undefined {
  const orders = [...ledger.acknowledged.values()].slice(-200);
  return orders.length === 0 ? undefined : random.pick(orders);
}
