import { describe, expect, it } from 'vitest';
import { formatUnits, units } from '../loopback/decimal.js';
import { eventually } from './eventually.js';
import { openRealExchanges, type RealExchange } from './live-exchanges.js';
import { addKey, BTC_USDT, openTestnet } from './live-site.js';
import { type Death, MortalThreads } from './mortal-threads.js';
import { restingOrder } from './sample-orders.js';
import { newSite } from './site.js';
import { endSoon } from './sooner-end.js';

/* The thread of one real exchange dies, and the rest of the service goes on, another real exchange too. */

const THREAD = 'live-BINANCE';
const SLUICE_LIVE = 'BINANCE:testnet,OKX:testnet';

// Both wait for the end of their orders most of the time.
describe.concurrent('the thread of a real exchange that dies', () => {
  it.for<Death>(['throw', 'hang'])(
    'by %s is started again, and catches up the fills of the gap',
    async (death, test) => {
      const { exchanges, environment } = await openRealExchanges(death, test);
      const [{ account, background, spot: exchange }, , okx] = exchanges as [RealExchange, RealExchange, RealExchange];
      const { ledger } = exchange;
      const site = newSite(test);
      const key = await site.issueKey();
      const threads = new MortalThreads(site);
      const run = site.start(threads.options({ ...environment, SLUICE_LIVE, SLUICE_SHARDS: '2', SLUICE_HANG_S: '8' }));
      const client = site.client(await run.ready(), key);
      await addKey(site.dataDir, account);
      await addKey(site.dataDir, okx.account, { exchange: 'OKX' });
      const connections = (thread: string): number =>
        run.lines.filter((line) => line['msg'] === 'the account is connected' && line['thread'] === thread).length;
      await run.until(() => connections(THREAD) * connections('live-OKX') > 0, 'the account is connected at both');
      const resting = { ...BTC_USDT, side: 'BUY', strategy: 'LIMIT', quantity: '0.02', limit_price: '49000' } as const;
      const lasting = { ...resting, limit_price: '30000' } as const;
      const params = { duration_seconds: '60', trading_style: 'AGGRESSIVE' } as const;
      const twap = { ...BTC_USDT, side: 'SELL', strategy: 'TWAP', quantity: '0.06', params } as const;
      const [filled, kept, sold] = (await client.createMany([resting, lasting, twap])).map(({ order_id: id }) => id!);
      const statuses = async (): Promise<unknown[]> => {
        const found = await client.byId({ orderIds: [filled!, kept!, sold!] });
        return [filled, kept, sold].map((id) => found.find(({ order_id: one }) => one === id)?.status);
      };
      const fillsOf = (id: number) =>
        ledger.fillsOf(account.id).filter(({ clientId }) => clientId.startsWith(`${id}-`));
      await eventually(
        () => [exchange.openOrders(account.id).length, fillsOf(sold!).length],
        ([open, fills]) => open! >= 2 && fills! > 0,
      );

      threads.hold(THREAD);
      threads.doom(THREAD, death);
      const isDead = (): boolean => run.lines.some(({ msg, thread }) => msg === 'thread died' && thread === THREAD);
      await run.until(isDead, 'it notices the death of the thread');
      threads.spare(THREAD, death);
      // Nothing of this reaches the service before the thread is back.
      background.quote('BTCUSDT', units('48000'));
      expect(fillsOf(filled!)).not.toEqual([]);
      const elsewhere = { ...BTC_USDT, exchange: 'OKX', side: 'BUY', strategy: 'MARKET', quantity: '0.01' } as const;
      const { order_id: other } = await client.create(elsewhere);
      await eventually(
        () => client.byId({ orderIds: [other!] }),
        ([order]) => order?.status === 'FILLED',
      );
      expect((await statuses())[0]).not.toBe('FILLED');

      threads.release(THREAD);
      await run.until(() => connections(THREAD) > 1, 'it connects the account again');
      await endSoon(client, [sold!]);
      await eventually(statuses, ([first, , last]) => first === 'FILLED' && last === 'FILLED');
      expect(Number(formatUnits(fillsOf(sold!).reduce((sum, { quantity }) => sum + quantity, 0n)))).toBe(0.06);
      expect(ledger.repeatedClientIds(account.id)).toEqual([]);
      await client.cancel({ order_id: kept! });
      await eventually(statuses, ([, second]) => second === 'CANCELLED');
      expect(exchange.openOrders(account.id)).toEqual([]);
      expect(await run.stop()).toMatchObject({ status: 0 });
    },
  );
});

describe('a service with a real exchange whose journal dies', () => {
  it('ends with status 1 after the last write of the thread of the exchange', async () => {
    const testnet = await openTestnet();
    const site = newSite();
    const key = await site.issueKey();
    const threads = new MortalThreads(site);
    const run = site.start(threads.options({ ...testnet.environment, SLUICE_SHARDS: '1' }));
    const client = site.client(await run.ready(), key);
    threads.doom('journal', 'throw');
    await client.create(restingOrder()).catch(() => null);
    expect(await run.ended, run.output).toEqual({ status: 1, signal: null });
  });
});
