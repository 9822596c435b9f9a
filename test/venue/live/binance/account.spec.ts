import { afterEach, describe, expect, it } from 'vitest';
import { isRejected } from '../../../../src/domain/rejection.js';
import { newKey, TRADING_PERMISSIONS } from '../../../loopback/accounts.js';
import { units } from '../../../loopback/decimal.js';
import { BinanceLoopback } from '../../../loopback/binance/binance-loopback.js';
import { TestClient } from '../../../loopback/test-client.js';
import { targetOf } from '../../child-target.js';
import { AccountDesk } from './account-desk.js';
import { accepted, credentials, now, openExchange, passed, until } from './loopback-exchange.js';

/* Balances, positions and settings of one account, and the limits of its requests. */

let desk: AccountDesk;

describe('an account at Binance spot', () => {
  afterEach(() => desk.close());

  it('answers all balances, and delivers those that change', async () => {
    desk = await AccountDesk.open({ section: 'spot', key: 'HMAC' });
    await until(() => desk.isLinked, 'the link');
    const { balances } = accepted(await desk.account.balances());
    expect(balances).toContainEqual({ asset: 'BTC', total: '10', free: '10' });
    desk.shard.submit(desk.child(1, { limitPrice: desk.price(51_000) }), now());
    await until(() => desk.balances.length > 0, 'the change');
    const change = desk.balances.at(-1)!;
    expect(change.isSnapshot).toBe(false);
    expect(change.balances.map(({ asset }) => asset)).toContain('BTC');
    expect(accepted(await desk.account.positions())).toMatchObject({ isSnapshot: true, positions: [] });
  });

  it('states what its key may do', async () => {
    desk = await AccountDesk.open({ section: 'spot', key: 'HMAC' });
    expect(accepted(await desk.account.check())).toMatchObject({
      mayTrade: true,
      mayWithdraw: false,
      isAddressBound: false,
      positionMode: null,
    });
  });
});

describe('an account at Binance spot whose server shuts down', () => {
  afterEach(() => desk.close());

  it.each(['HMAC', 'ED25519'] as const)(
    'replaces its socket without a cut, and loses or repeats nothing: %s',
    async (key) => {
      desk = await AccountDesk.open({ section: 'spot', key });
      await until(() => desk.isLinked, 'the link');
      const { loopback, shard, session } = desk;
      const { sessions } = loopback.spot.sockets;
      let cuts = 0;
      const onCut = session.onCut.bind(session);
      session.onCut = (nowMs) => {
        cuts += 1;
        onCut(nowMs);
      };
      const [first] = sessions;
      const maxima = { sessions: 0 };
      let placed = 0;
      for (let step = 0; step < 150; step += 1) {
        if (step === 10) first!.write(JSON.stringify({ event: { e: 'serverShutdown', E: Date.now() } }));
        if (step % 5 === 0) shard.submit(desk.child((placed += 1), { limitPrice: desk.price(49_999.98) }), now());
        if (step % 7 === 0) loopback.spot.background.trade('BTCUSDT', 'SELL', units('0.005'));
        maxima.sessions = Math.max(maxima.sessions, sessions.size);
        await passed(100);
      }
      expect([maxima.sessions, sessions.size, sessions.has(first!)]).toEqual([2, 1, false]);
      expect(cuts).toBe(0);
      loopback.spot.background.trade('BTCUSDT', 'SELL', units('1'));
      await until(() => [...shard.children.values()].every(({ state }) => state === 'FILLED'), 'the fills');
      const { ledger } = loopback.spot.exchange;
      expect(ledger.repeatedClientIds(desk.owner.id)).toEqual([]);
      const trades = [...shard.children.values()].reduce((sum, child) => sum + child.trades.size, 0);
      expect([trades, desk.contradictions]).toEqual([ledger.fillsOf(desk.owner.id).length, []]);
      const shown = desk.balances.findLast(({ balances }) => balances.some(({ asset }) => asset === 'BTC'));
      const btc = desk.owner.spot.balance('BTC');
      expect(units(shown!.balances.find(({ asset }) => asset === 'BTC')!.total)).toBe(btc.free + btc.locked);
    },
  );
});

describe('an account at Binance USD-M', () => {
  afterEach(() => desk.close());

  it('answers positions with their margin, and delivers those that change', async () => {
    desk = await AccountDesk.open({ section: 'futures', key: 'HMAC' });
    await until(() => desk.isLinked, 'the link');
    expect(accepted(await desk.account.positions()).positions).toEqual([]);
    desk.shard.submit(desk.child(1, { limitPrice: desk.price(51_000) }), now());
    await until(() => desk.positions.length > 0 && desk.balances.length > 0, 'the change');
    expect(desk.positions.at(-1)!.positions[0]).toMatchObject({
      symbol: 'BTCUSDT',
      mode: 'NET',
      quantity: '0.01',
      margin: { mode: 'CROSS' },
    });
    const [position] = accepted(await desk.account.positions()).positions;
    expect(position).toMatchObject({ mode: 'NET', quantity: '0.01', margin: { mode: 'CROSS' } });
    expect(Number(position!.margin!.leverage)).toBeGreaterThan(0);
    expect(Number(position!.margin!.maintenanceMargin)).toBeGreaterThan(0);
    expect(accepted(await desk.account.balances()).balances[0]!.asset).toBe('USDT');
  });

  it('sends reduce-only orders as such', async () => {
    desk = await AccountDesk.open({ section: 'futures', key: 'HMAC' });
    await until(() => desk.isLinked, 'the link');
    const market = { type: 'MARKET', timeInForce: 'IOC', limitPrice: null } as const;
    desk.shard.submit(desk.child(1, { ...market, side: 'SELL', reduceOnly: true }), now());
    await until(() => desk.shard.children.get('1-1')!.state === 'REFUSED', 'the refusal without a position');
    desk.shard.submit(desk.child(2, market), now());
    await until(() => desk.shard.children.get('2-1')!.state === 'FILLED', 'the position');
    desk.shard.submit(desk.child(3, { ...market, side: 'SELL', reduceOnly: true }), now());
    await until(() => desk.shard.children.get('3-1')!.state === 'FILLED', 'its end');
    expect(accepted(await desk.account.positions()).positions).toEqual([]);
  });

  it('names the hedge mode of an account', async () => {
    desk = await AccountDesk.open({ section: 'futures', key: 'HMAC' });
    expect(accepted(await desk.account.check())).toMatchObject({ positionMode: 'ONE_WAY', mayTrade: true });
    const client = new TestClient(desk.loopback, desk.owner.keys[0]);
    await client.ok('POST', '/fapi/v1/positionSide/dual', { dualSidePosition: true });
    expect(accepted(await desk.account.check())).toMatchObject({ positionMode: 'HEDGE' });
    await until(() => desk.isLinked, 'the link');
    desk.shard.submit(desk.child(1), now());
    await until(() => desk.shard.children.get('1-1')!.state === 'REFUSED', 'the refusal');
  });

  it('opens its private stream with a new key when the old one has ended', async () => {
    desk = await AccountDesk.open({ section: 'futures', key: 'HMAC' });
    await until(() => desk.isLinked, 'the link');
    desk.loopback.futures.listenKeys.expireNow(desk.owner.id);
    await until(() => !desk.isLinked, 'the end of the key');
    await until(() => desk.isLinked, 'the link again');
    desk.shard.submit(desk.child(1, { limitPrice: desk.price(51_000) }), now());
    await until(() => desk.positions.length > 0, 'an event of the new stream');
  });

  it('leaves out orders of other clients and delivers the positions that they change', async () => {
    desk = await AccountDesk.open({ section: 'futures', key: 'HMAC' });
    await until(() => desk.isLinked, 'the link');
    const client = new TestClient(desk.loopback, desk.owner.keys[0]);
    await client.ok('POST', '/fapi/v1/order', {
      symbol: 'BTCUSDT',
      side: 'SELL',
      type: 'MARKET',
      quantity: '0.020',
      newClientOrderId: 'autoclose-1700000000000000000',
    });
    await until(() => desk.positions.length > 0, 'the position');
    expect(desk.positions.at(-1)!.positions[0]!.quantity).toBe('-0.02');
    expect(desk.shard.children.size).toBe(0);
    expect(desk.contradictions).toEqual([]);
  });
});

describe('a section of Binance', () => {
  it('lists its markets, takes its limits and measures its clock', async () => {
    const loopback = await BinanceLoopback.start();
    const { exchange } = await openExchange(loopback, 'futures');
    loopback.clock.offsetMs = 2_500;
    const { offsetMs } = accepted(await exchange.measureClock());
    expect(Math.abs(offsetMs - 2_500)).toBeLessThan(200);
    const markets = accepted(await exchange.listMarkets());
    expect(markets.map(({ rawSymbol }) => rawSymbol)).toContain('BTCUSDT');
    // A request with the time of this machine would be too old.
    const { key, secret } = loopback.openAccount().keys[0]!;
    const account = accepted(await exchange.openAccount(credentials(key, { text: secret! }), silentEvents()));
    const check = accepted(await account.check());
    expect(check.limits.map(({ name }) => name).toSorted()).toEqual(['ORDERS 10s', 'ORDERS 1m', 'REQUEST_WEIGHT 1m']);
    await exchange.close();
    await loopback.close();
  });

  it('refuses a key that may withdraw by naming the right, and a key of a wrong kind', async () => {
    const loopback = await BinanceLoopback.start();
    const { exchange } = await openExchange(loopback, 'spot');
    const { key, secret } = loopback.openAccount([
      newKey({ permissions: { ...TRADING_PERMISSIONS, withdrawals: true } }),
    ]).keys[0]!;
    const own = credentials(key, { text: secret! });
    const account = accepted(await exchange.openAccount(own, silentEvents()));
    expect(accepted(await account.check()).mayWithdraw).toBe(true);
    expect(await exchange.openAccount({ ...own, kind: 'WALLET' }, silentEvents())).toMatchObject({
      rejection: { code: 'INVALID_API_KEY' },
    });
    await exchange.close();
    await loopback.close();
  });

  it('stops all requests after a refusal for their rate, for the time that the exchange names', async () => {
    const loopback = await BinanceLoopback.start();
    const { exchange } = await openExchange(loopback, 'spot');
    accepted(await exchange.measureClock());
    loopback.spot.limits.ban('127.0.0.1', Date.now() + 60_000);
    expect(isRejected(await exchange.measureClock())).toBe(true);
    loopback.spot.limits.pardon();
    const stopped = await exchange.measureClock();
    expect(stopped).toMatchObject({ rejection: { code: 'RATE_LIMIT_EXCEEDED' } });
    const waitMs = isRejected(stopped) ? (stopped.rejection.retryAfterMs ?? 0) : 0;
    expect(waitMs).toBeGreaterThan(50_000);
    await exchange.close();
    await loopback.close();
  });

  it('sends nothing to an exchange that has banned its address, also no dial, and goes on after the ban', async () => {
    desk = await AccountDesk.open({ section: 'spot', key: 'HMAC' });
    await until(() => desk.isLinked, 'the link');
    const { loopback, shard, session } = desk;
    shard.submit(desk.child(1), now());
    await until(() => shard.children.get('1-1')!.state === 'OPEN', 'the order');
    const { limits } = loopback.spot;
    limits.ban('127.0.0.1', Date.now() + 120_000);
    await until(() => shard.cancelSome(0, now()), 'a link for the cancel');
    await until(() => limits.refusals > 0, 'the refusal of the cancel');
    // The exchange ends the connections of a banned address.
    loopback.cut(desk.hosts.orders);
    for (let asked = 0; asked < 110; asked += 1) {
      await passed(1_000);
      session.advance(now());
      session.handle({ kind: 'Cancel', ...targetOf(desk.child(1)) }, now());
    }
    expect(limits.refusals).toBe(1);
    expect(desk.isLinked).toBe(false);
    await until(() => desk.isLinked, 'the link after the ban');
    expect(limits.refusals).toBe(1);
    await until(() => shard.cancelSome(0, now()) || shard.children.get('1-1')!.state === 'CANCELLED', 'the cancel');
    await until(() => shard.children.get('1-1')!.state === 'CANCELLED', 'the end');
    await desk.close();
  });

  it('refuses placements near the limit of the address and still cancels', async () => {
    desk = await AccountDesk.open({ section: 'spot', key: 'HMAC' });
    await until(() => desk.isLinked, 'the link');
    accepted(await desk.opened.exchange.listMarkets());
    desk.shard.submit(desk.child(1), now());
    await until(() => desk.shard.children.get('1-1')!.state === 'OPEN', 'the order');
    // Another program at the same address uses most of the minute.
    await untilEarlyInMinute();
    desk.loopback.spot.limits.weigh('127.0.0.1', 5_500, Date.now());
    accepted(await desk.account.balances());
    desk.shard.submit(desk.child(2), now());
    await until(() => desk.shard.children.get('2-1')!.state === 'REFUSED', 'the refusal');
    expect(desk.loopback.spot.exchange.ledger.ordersOf(desk.owner.id).length).toBe(1);
    await until(() => desk.shard.cancelSome(0, now()), 'a link for the cancel');
    await until(() => desk.shard.children.get('1-1')!.state === 'CANCELLED', 'the cancel');
    await desk.close();
  });
});

/** Limits count in minutes of the clock: a test must not run over the end of one. */
async function untilEarlyInMinute(): Promise<void> {
  const second = new Date().getSeconds();
  if (second > 45) await passed((61 - second) * 1_000);
}

function silentEvents() {
  return {
    onSubscribed: () => undefined,
    onCut: () => undefined,
    onOrder: () => undefined,
    onBalances: () => undefined,
    onPositions: () => undefined,
    onRefused: () => undefined,
    onRefusedTime: () => undefined,
    instrumentOf: () => null,
  };
}
