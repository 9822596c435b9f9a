import { describe, expect, it } from 'vitest';
import { BybitLoopback } from '../loopback/bybit/bybit-loopback.js';
import { orderIdText } from '../loopback/bybit/exchange-ids.js';
import { openMoving } from './live-site.js';
import { expectFills, tradedThroughKill } from './traded-through-kill.js';

/* The service in its own process trades at a loopback Bybit under the host names of Bybit's test environment. */

const CATEGORIES = ['spot', 'linear'] as const;
const SPOT = { exchange: 'BYBIT', symbol: 'BTC/USDT', asset_category: 'SPOT' } as const;
const PERPETUAL = { exchange: 'BYBIT', symbol: 'BTC/USDT:USDT', asset_category: 'FUTURE' } as const;

describe('a service with SLUICE_LIVE=BYBIT:testnet', () => {
  it('fills orders of spot and of perpetuals as the ledger says, also after a SIGKILL in the middle', async () => {
    const loopback = await BybitLoopback.start({ seed: 'system' });
    const testnet = await openMoving(loopback, {
      live: 'BYBIT:testnet',
      hosts: [
        ['api-testnet.bybit.com', 'api.bybit.com'],
        ['stream-testnet.bybit.com', 'stream.bybit.com'],
      ],
      move: () => CATEGORIES.forEach((category) => loopback[category].background.wander()),
    });
    const account = loopback.openAccount();
    const ways = { socket: 'trade order.create', rest: 'POST /v5/order/create' };
    // Both rules match any request: the log says which way was taken.
    for (const on of Object.values(ways)) loopback.faults.add({ on, fault: { kind: 'hold', ms: 1 } });
    const { survivor, orders, outputs } = await tradedThroughKill({
      environment: testnet.environment,
      account,
      markets: [SPOT, PERPETUAL],
    });
    const fills = CATEGORIES.flatMap((category) => {
      const { ledger } = loopback[category].exchange;
      expect(ledger.repeatedClientIds(account.id)).toEqual([]);
      return ledger.fillsOf(account.id).map((fill) => ({ ...fill, orderId: orderIdText(category, fill.orderId) }));
    });
    expectFills(orders, fills);
    // The fee of 0.1 % of spot is paid in what was bought.
    const balances = await survivor.balances('BYBIT');
    expect(balances.find(({ symbol }) => symbol === 'BTC')?.balance).toBe(10.00999);
    const positions = await survivor.positions('BYBIT');
    expect(positions.map(({ symbol, contracts }) => [symbol, contracts])).toEqual([['BTC/USDT:USDT', 0.03]]);
    expect(loopback.faults.applied.map(({ on }) => on)).toContain(ways.socket);
    expect(testnet.refused()).toEqual([]);
    for (const output of outputs) expect(output).not.toContain(account.keys[0]!.secret);
  });
});
