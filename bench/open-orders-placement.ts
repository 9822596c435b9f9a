import { SluiceClient, type OrderRequest } from '../src/client/index.js';
import type { RunningService } from './service.js';

const BATCH_ORDERS = 500;
const BATCHES_AT_ONCE = 4;
const SAMPLES = 20;
const POLL_MS = 250;
const SETTLE_WAIT_MS = 300_000;

/** Slices of a few USDT each, at prices the venue will hardly have left behind before the next one. */
const MARKETS = [
  { symbol: 'DOGE/USDT', quantity: '1200' },
  { symbol: 'XRP/USDT', quantity: '200' },
  { symbol: 'SOL/USDT', quantity: '1' },
] as const;
const SLICES = 10;
const HOURS = 3;

/**
 * A TWAP that starts now: its first slice is taken at once, the next is due 18 minutes later. Perpetuals, bought and sold
 * in turn, so that the account can pay for all of them.
 */
function orderOf(index: number): OrderRequest {
  const { symbol, quantity } = MARKETS[(index >> 1) % MARKETS.length] as (typeof MARKETS)[number];
  return {
    client_order_id: clientOrderId(index),
    exchange: 'BINANCE',
    symbol,
    asset_category: 'FUTURE',
    side: index % 2 === 0 ? 'BUY' : 'SELL',
    quantity,
    strategy: 'TWAP',
    clip_size_type: 'ORDER_COUNT',
    clip_size_val: String(SLICES),
    params: { duration_seconds: String(HOURS * 3600), trading_style: 'AGGRESSIVE' },
  };
}

function clientOrderId(index: number): string {
  return `open-${index}`;
}

/** Places so many orders and returns when the first slice of each is done. `progress` is told how many are placed. */
export async function placeOpenOrders(
  { port, key }: RunningService,
  count: number,
  progress: (placed: number) => void,
): Promise<void> {
  const client = new SluiceClient({ url: `http://127.0.0.1:${port}`, ...key, recvWindowMs: 60_000 });
  try {
    let next = 0;
    let placed = 0;
    const placeRest = async (): Promise<void> => {
      while (next < count) {
        const first = next;
        next = Math.min(count, next + BATCH_ORDERS);
        const orders = Array.from({ length: next - first }, (_, offset) => orderOf(first + offset));
        const summaries = await client.createMany(orders);
        placed += checked(summaries);
        progress(placed);
      }
    };
    await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, placeRest));
    await untilSliced(client, count);
  } finally {
    client.close();
  }
}

function checked(summaries: Awaited<ReturnType<SluiceClient['createMany']>>): number {
  const refused = summaries.find(({ status }) => status === 'REJECTED');
  if (refused !== undefined) throw new Error(`an order was refused: ${refused.message ?? ''}`);
  return summaries.length;
}

/** Looks at orders spread over all of them until each is partially filled; any other end is an error. */
async function untilSliced(client: SluiceClient, count: number): Promise<void> {
  const samples = Math.min(SAMPLES, count);
  const clientOrderIds = Array.from({ length: samples }, (_, sample) =>
    clientOrderId(Math.floor(((count - 1) * (sample + 1)) / samples)),
  );
  const endMs = Date.now() + SETTLE_WAIT_MS;
  let statuses: string[] = [];
  while (Date.now() < endMs) {
    const orders = await client.byId({ clientOrderIds });
    statuses = orders.map(({ status }) => status);
    if (statuses.every((status) => status === 'PARTIALLY_FILLED')) return;
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
  throw new Error(`the first slices were not done within ${SETTLE_WAIT_MS} ms: ${statuses.join(' ')}`);
}
