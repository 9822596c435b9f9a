import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endpointTable } from '../http/endpoint-table.js';
import { PAYLOADS, requests } from './rest-requests.js';
import { FOREIGN_IDS, RestWorld, foreignName } from './rest-world.js';

describe('an account over REST', () => {
  it('is asked for at every endpoint there is', () => {
    const served = endpointTable().signed.map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(PAYLOADS).toSorted()).toEqual(served.toSorted());
  });

  /**
   * Two worlds, one with another account in it and one without. Whatever is asked, by whatever identifier, is answered
   * byte for byte the same in both: an identifier of the other account is one that does not exist.
   */
  it('is answered as if it were alone, and changes nothing of another', async () => {
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
      { numRuns: 100 },
    );
  });

  it('is told of its own by its own identifiers: the worlds are not silent', async () => {
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
