import { expect } from 'vitest';
import type { SluiceClient } from '../../src/client/index.js';
import { verify } from './running-stores.js';

const IDS_PER_QUERY = 200;

/** Expects that journal and state agree byte for byte. */
export async function expectSound(dataDir: string): Promise<void> {
  const { entries, problems } = await verify(dataDir);
  expect(problems).toEqual([]);
  expect(entries).toBeGreaterThan(0);
}

/** Ids that the service does not know. */
export async function missingOrders(client: SluiceClient, orderIds: readonly number[]): Promise<number[]> {
  const missing = new Set(orderIds);
  for (let from = 0; from < orderIds.length; from += IDS_PER_QUERY) {
    const found = await client.byId({ orderIds: orderIds.slice(from, from + IDS_PER_QUERY) });
    for (const { order_id: orderId } of found) missing.delete(orderId);
  }
  return [...missing];
}
