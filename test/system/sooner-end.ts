import { expect } from 'vitest';
import type { SluiceClient } from '../../src/client/index.js';
import { isTerminal } from './watched-orders.js';

/** Time that is left to an order, enough for several slices. */
const SOON_MS = 5_000;

/**
 * Moves the end of open orders close to the present service time. A test gives an order a long time, so that a slow
 * machine can kill and restart the service meanwhile. Afterwards it need not wait for the rest of that time.
 */
export async function endSoon(client: SluiceClient, orderIds: readonly number[]): Promise<void> {
  const { service_time: nowMs } = await client.ping();
  const endTime = new Date(nowMs + SOON_MS).toISOString();
  // Side by side, so that a slow machine leaves each order its time.
  await Promise.all(
    orderIds.map(async (orderId) => {
      const { error_code: code, message } = await client.amend({ order_id: orderId, end_time: endTime });
      if (code === undefined) return;
      const [order] = await client.byId({ orderIds: [orderId] });
      if (!isTerminal(order!)) expect.fail(message ?? code);
    }),
  );
}
