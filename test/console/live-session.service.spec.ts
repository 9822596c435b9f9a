import { describe, expect, it, type TestContext } from 'vitest';
import { WebSocket } from 'ws';
import { webSigner } from '../../src/client/web-signature.js';
import { AccountHoldings } from '../../src/console/account-holdings.js';
import type { LiveSocket } from '../../src/console/network/live-stream.js';
import { ServiceApi, type Answer, type ApiRequest } from '../../src/console/network/service-api.js';
import { Session } from '../../src/console/session.js';
import { eventually } from '../system/eventually.js';
import { marketOrder, restingOrder } from '../system/sample-orders.js';
import { newSite, type Key } from '../system/site.js';

async function sessionAt(
  test: TestContext,
  port: () => number,
  { apiKey, apiSecret }: Key,
): Promise<{ session: Session; api: ServiceApi }> {
  const ask = async ({ target, ...init }: ApiRequest): Promise<Answer> => {
    const answer = await fetch(`http://127.0.0.1:${port()}${target}`, init);
    return { status: answer.status, text: await answer.text() };
  };
  const api = new ServiceApi({ apiKey, sign: await webSigner(apiSecret), realNowMs: Date.now, ask });
  const session = new Session({
    api,
    openSocket: (listenKey) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port()}/api/v2/ws?listenKey=${listenKey}`);
      // A refused handshake also closes the socket.
      socket.on('error', () => undefined);
      return socket as unknown as LiveSocket;
    },
    nowMs: Date.now,
    chance: Math.random,
    onChange: () => undefined,
  });
  test.onTestFinished(() => session.close());
  session.start();
  return { session, api };
}

const statusOf = (session: Session, orderId: number | undefined) => session.board.find(orderId ?? 0)?.row.status;

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
    expect((await api.act('pause', before.order_id ?? 0)).error_code).toBeUndefined();
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
