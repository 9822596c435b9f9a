import { describe, expect, it } from 'vitest';
import { wireOrderId } from '../loopback/okx/trading-account.js';
import { openDemo } from './live-site.js';
import { expectFills, tradedThroughKill } from './traded-through-kill.js';

/* The service in its own process trades at a loopback OKX under the host names of its demo trading. */

const SPOT = { exchange: 'OKX', symbol: 'BTC/USDT', asset_category: 'SPOT' } as const;
const SWAP = { exchange: 'OKX', symbol: 'BTC/USDT:USDT', asset_category: 'FUTURE' } as const;

describe('a service with SLUICE_LIVE=OKX:testnet', () => {
  it('fills orders of spot and of perpetuals as the ledger says, also after a SIGKILL in the middle', async () => {
    const demo = await openDemo();
    const account = demo.loopback.openAccount();
    const { survivor, orders, outputs } = await tradedThroughKill({
      environment: demo.environment,
      account,
      markets: [SPOT, SWAP],
    });
    const { spot, swap } = demo.loopback.trading;
    for (const { ledger } of [spot, swap]) expect(ledger.repeatedClientIds(account.id)).toEqual([]);
    const fills = [spot, swap].flatMap(({ ledger }) => ledger.fillsOf(account.id));
    expectFills(
      orders,
      fills.map((fill) => ({ ...fill, orderId: wireOrderId(fill.orderId) })),
      'x',
    );
    // The fee of 0.1 % of spot is paid in what was bought.
    const balances = await survivor.balances('OKX');
    expect(balances.find(({ symbol }) => symbol === 'BTC')?.balance).toBe(10.00999);
    const positions = await survivor.positions('OKX');
    expect(positions.map(({ symbol, contracts }) => [symbol, contracts])).toEqual([['BTC/USDT:USDT', 0.03]]);
    expect(demo.refused()).toEqual([]);
    for (const output of outputs) {
      expect(output).not.toContain(account.keys[0]!.secret);
      expect(output).not.toContain(account.keys[0]!.passphrase);
    }
  });
});
