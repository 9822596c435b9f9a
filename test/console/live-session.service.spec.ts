import { beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { NO_RETRY } from '../../src/client/retry.js';
import { SignedRequests } from '../../src/client/signed-requests.js';
import type { Transport } from '../../src/client/transport.js';
import { webSockets } from '../../src/client/web-socket.js';
import { WebTransport } from '../../src/client/web-transport.js';
import { AccountHoldings } from '../../src/console/account-holdings.js';
import { ServiceApi } from '../../src/console/network/service-api.js';
import { Session } from '../../src/console/session.js';
import { useWebSocketOfPages, webSigning } from '../client/page.js';
import { eventually } from '../system/eventually.js';
import { marketOrder, restingOrder } from '../system/sample-orders.js';
import { newSite, type Key } from '../system/site.js';

/** The page as the browser runs it, at a service whose port may change. */
async function sessionAt(
  test: TestContext,
  port: () => number,
  { apiKey, apiSecret }: Key,
): Promise<{ session: Session; api: ServiceApi }> {
  const base = (): URL => new URL(`http://127.0.0.1:${port()}/`);
  const transport: Transport = { ask: (call) => new WebTransport(base()).ask(call), close: () => undefined };
  const sign = await webSigning(apiKey, apiSecret);
  const api = new ServiceApi(new SignedRequests({ transport, sign, retry: NO_RETRY }));
  const session = new Session({
    api,
    openSocket: (listenKey, listener) => webSockets(new URL('api/v2/ws', base()))(listenKey, listener),
    nowMs: Date.now,
    onChange: () => undefined,
  });
  test.onTestFinished(() => session.close());
  session.start();
  return { session, api };
}

const statusOf = (session: Session, orderId: number | undefined) => session.board.find(orderId ?? 0)?.row.status;

beforeAll(useWebSocketOfPages);

describe.concurrent('a session with a running service', () => {
  it('follows orders and balances, opens and changes an order, and recovers after an outage', async (test) => {
    const site = newSite(test);
    const key = await site.issueKey();
    let run = site.start();
    let port = await run.ready();
    const client = site.client(port, key);
    const before = await client.create(restingOrder('before & <b>'));
    const { session, api } = await sessionAt(test, () => port, key);
    await eventually(
      () => session.liveness.state,
      (state) => state === 'LIVE',
    );
    expect(session.board.find(before.order_id ?? 0)?.row.clientOrderId).toBe('before & <b>');

    const filled = await client.create(marketOrder());
    session.select(filled.order_id ?? 0);
    await eventually(
      () => [statusOf(session, filled.order_id), session.order?.entries.at(-1)?.status],
      (statuses) => statuses.every((status) => status === 'FILLED'),
    );
    expect(session.order?.children.size).toBeGreaterThan(0);
    expect(session.order?.progress.fills.at(-1)?.quantity).toBe(0.01);
    const account = new AccountHoldings({
      positions: (exchange) => api.positions(exchange),
      balances: (exchange) => api.balances(exchange),
      nowMs: Date.now,
      onChange: () => undefined,
    });
    await account.read(await api.exchanges());
    const held = account.balances.filter(({ exchange }) => exchange === 'BINANCE').map(({ symbol }) => symbol);
    expect(held).toEqual(expect.arrayContaining(['BTC', 'USDT']));
    expect([account.silent, account.exchanges.length]).toEqual([[], 15]);

    await expect(api.mayTrade()).resolves.toBe(true);
    expect((await api.pause({ order_id: before.order_id })).error_code).toBeUndefined();
    await eventually(
      () => statusOf(session, before.order_id),
      (status) => status === 'PAUSED',
    );

    await run.kill();
    await eventually(
      () => session.liveness.state,
      (state) => state === 'STALE',
    );
    run = site.start();
    port = await run.ready();
    // A change during the outage is on the board once the session is live again.
    await site.client(port, key).cancel({ order_id: before.order_id });
    await eventually(
      () => [session.liveness.state, statusOf(session, before.order_id)],
      ([state, status]) => state === 'LIVE' && status === 'CANCELLED',
    );
  });

  it('reports a key that may only read, and a key that the service refuses', async (test) => {
    const site = newSite(test);
    const reader = await site.issueKey('watcher', 'read');
    const run = site.start();
    const port = await run.ready();
    const { api } = await sessionAt(test, () => port, reader);
    await expect(api.open()).resolves.toEqual([]);
    await expect(api.mayTrade()).resolves.toBe(false);
    await expect(api.cancelAll()).rejects.toMatchObject({ status: 403, code: 'AUTHENTICATION_ERROR' });
    const { session } = await sessionAt(test, () => port, { ...reader, apiKey: 'nobody' });
    const stale = await eventually(
      () => session.liveness,
      ({ state }) => state === 'STALE',
    );
    expect(stale).toMatchObject({ why: expect.stringContaining('key') as string });
  });
});
