import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpointTable } from '../http/endpoint-table.js';
import { PAYLOADS, requests } from './rest-requests.js';
import { FOREIGN_IDS, RestWorld, foreignName } from './rest-world.js';
import { runs } from '../runs.js';

describe('an account over REST', () => {
  it('is tested at every endpoint', () => {
    const served = endpointTable().signed.map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(PAYLOADS).toSorted()).toEqual(served.toSorted());
  });

  /**
   * Compares two worlds, one with another account and one without. Every request with any identifier has the same bytes
   * as answer in both: an identifier of the other account does not exist for this account.
   */
  it('gets the same answers with and without another account, and changes nothing of it', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (list) => {
        await inWorlds(async (beside, alone) => {
          const before = structuredClone(beside.foreignOrders());
          for (const { method, path, payload } of list) {
            const answer = await beside.ask(method, path, payload);
            expect(answer, `${method} ${path} ${payload}`).toBe(await alone.ask(method, path, payload));
          }
          expect(beside.foreignOrders()).toEqual(before);
        });
      }),
      { numRuns: runs(20, 100) },
    );
  });

  it('gets its own orders by its own identifiers', async () => {
    await inWorlds(async (beside) => {
      const byId = '/api/v2/trading/order/byId';
      expect(await beside.ask('GET', byId, 'orderIds=900')).toMatch(/"order_id":900,"client_order_id":"both"/);
      const trades = await beside.ask('GET', '/api/v2/trading/userTrades', 'exchange=BINANCE&orderIds=900');
      expect(trades).toContain('"trade_id":99');
      for (const orderId of FOREIGN_IDS.slice(1)) {
        const query = `clientOrderIds=${foreignName(orderId)}&orderIds=${orderId}`;
        expect(await beside.ask('GET', byId, query)).toBe('200 {"orders":[]}');
      }
    });
  });
});

async function inWorlds(work: (beside: RestWorld, alone: RestWorld) => Promise<void>): Promise<void> {
  const worlds = [new RestWorld(true), new RestWorld(false)] as const;
  await Promise.all(worlds.map((world) => world.start()));
  try {
    await work(...worlds);
  } finally {
    await Promise.all(worlds.map((world) => world.close()));
  }
}
