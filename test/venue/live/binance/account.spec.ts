import { afterEach, describe, expect, it } from 'vitest';
import { isRejected } from '../../../../src/domain/rejection.js';
import { newKey, TRADING_PERMISSIONS } from '../../../loopback/accounts.js';
import { units } from '../../../loopback/decimal.js';
import { BinanceLoopback } from '../../../loopback/binance/binance-loopback.js';
import { TestClient } from '../../../loopback/test-client.js';
import { targetOf } from '../../child-target.js';
import { AccountRig } from './account-rig.js';
import { accepted, credentials, now, openExchange, passed, until } from './loopback-exchange.js';

/* Balances, positions and settings of one account, and the limits of its requests. */

let rig: AccountRig;

describe('an account at Binance spot', () => {
  afterEach(() => rig.close());

  it('answers all balances, and delivers those that change', async () => {
    rig = await AccountRig.open({ section: 'spot', key: 'HMAC' });
    await until(() => rig.isLinked, 'the link');
    const { balances } = accepted(await rig.account.balances());
    expect(balances).toContainEqual({ asset: 'BTC', total: '10', free: '10' });
    rig.shard.submit(rig.child(1, { limitPrice: rig.price(51_000) }), now());
    await until(() => rig.balances.length > 0, 'the change');
    const change = rig.balances.at(-1)!;
    expect(change.isSnapshot).toBe(false);
    expect(change.balances.map(({ asset }) => asset)).toContain('BTC');
    expect(accepted(await rig.account.positions())).toMatchObject({ isSnapshot: true, positions: [] });
  });

  it('states what its key may do', async () => {
    rig = await AccountRig.open({ section: 'spot', key: 'HMAC' });
    expect(accepted(await rig.account.check())).toMatchObject({
      mayTrade: true,
      mayWithdraw: false,
      isAddressBound: false,
      positionMode: null,
    });
  });
});

describe('an account at Binance spot whose server shuts down', () => {
  afterEach(() => rig.close());

  it.each(['HMAC', 'ED25519'] as const)(
    'replaces its socket without a cut, and loses or repeats nothing: %s',
    async (key) => {
      rig = await AccountRig.open({ section: 'spot', key });
      await until(() => rig.isLinked, 'the link');
      const { loopback, shard, session } = rig;
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
        if (step % 5 === 0) shard.submit(rig.child((placed += 1), { limitPrice: rig.price(49_999.98) }), now());
        if (step % 7 === 0) loopback.spot.background.trade('BTCUSDT', 'SELL', units('0.005'));
        maxima.sessions = Math.max(maxima.sessions, sessions.size);
        await passed(100);
      }
      expect([maxima.sessions, sessions.size, sessions.has(first!)]).toEqual([2, 1, false]);
      expect(cuts).toBe(0);
      loopback.spot.background.trade('BTCUSDT', 'SELL', units('1'));
      await until(() => [...shard.children.values()].every(({ state }) => state === 'FILLED'), 'the fills');
      const { ledger } = loopback.spot.exchange;
      expect(ledger.repeatedClientIds(rig.owner.id)).toEqual([]);
      const trades = [...shard.children.values()].reduce((sum, child) => sum + child.trades.size, 0);
      expect([trades, rig.contradictions]).toEqual([ledger.fillsOf(rig.owner.id).length, []]);
      const shown = rig.balances.findLast(({ balances }) => balances.some(({ asset }) => asset === 'BTC'));
      const btc = rig.owner.spot.balance('BTC');
      expect(units(shown!.balances.find(({ asset }) => asset === 'BTC')!.total)).toBe(btc.free + btc.locked);
    },
  );
});

describe('an account at Binance USD-M', () => {
  afterEach(() => rig.close());

  it('answers positions with their margin, and delivers those that change', async () => {
    rig = await AccountRig.open({ section: 'futures', key: 'HMAC' });
    await until(() => rig.isLinked, 'the link');
    expect(accepted(await rig.account.positions()).positions).toEqual([]);
    rig.shard.submit(rig.child(1, { limitPrice: rig.price(51_000) }), now());
    await until(() => rig.positions.length > 0 && rig.balances.length > 0, 'the change');
    expect(rig.positions.at(-1)!.positions[0]).toMatchObject({
      symbol: 'BTCUSDT',
      mode: 'NET',
      quantity: '0.01',
      margin: { mode: 'CROSS' },
    });
    const [position] = accepted(await rig.account.positions()).positions;
    expect(position).toMatchObject({ mode: 'NET', quantity: '0.01', margin: { mode: 'CROSS' } });
    expect(Number(position!.margin!.leverage)).toBeGreaterThan(0);
    expect(Number(position!.margin!.maintenanceMargin)).toBeGreaterThan(0);
    expect(accepted(await rig.account.balances()).balances[0]!.asset).toBe('USDT');
  });

  it('sends reduce-only orders as such', async () => {
    rig = await AccountRig.open({ section: 'futures', key: 'HMAC' });
    await until(() => rig.isLinked, 'the link');
    const market = { type: 'MARKET', timeInForce: 'IOC', limitPrice: null } as const;
    rig.shard.submit(rig.child(1, { ...market, side: 'SELL', reduceOnly: true }), now());
    await until(() => rig.shard.children.get('1-1')!.state === 'REFUSED', 'the refusal without a position');
    rig.shard.submit(rig.child(2, market), now());
    await until(() => rig.shard.children.get('2-1')!.state === 'FILLED', 'the position');
    rig.shard.submit(rig.child(3, { ...market, side: 'SELL', reduceOnly: true }), now());
    await until(() => rig.shard.children.get('3-1')!.state === 'FILLED', 'its end');
    expect(accepted(await rig.account.positions()).positions).toEqual([]);
  });

  it('names the hedge mode of an account', async () => {
    rig = await AccountRig.open({ section: 'futures', key: 'HMAC' });
    expect(accepted(await rig.account.check())).toMatchObject({ positionMode: 'ONE_WAY', mayTrade: true });
    const client = new TestClient(rig.loopback, rig.owner.keys[0]);
    await client.ok('POST', '/fapi/v1/positionSide/dual', { dualSidePosition: true });
    expect(accepted(await rig.account.check())).toMatchObject({ positionMode: 'HEDGE' });
    await until(() => rig.isLinked, 'the link');
    rig.shard.submit(rig.child(1), now());
    await until(() => rig.shard.children.get('1-1')!.state === 'REFUSED', 'the refusal');
  });

  it('opens its private stream with a new key when the old one has ended', async () => {
    rig = await AccountRig.open({ section: 'futures', key: 'HMAC' });
    await until(() => rig.isLinked, 'the link');
    rig.loopback.futures.listenKeys.expireNow(rig.owner.id);
    await until(() => !rig.isLinked, 'the end of the key');
    await until(() => rig.isLinked, 'the link again');
    rig.shard.submit(rig.child(1, { limitPrice: rig.price(51_000) }), now());
    await until(() => rig.positions.length > 0, 'an event of the new stream');
  });

  it('leaves out orders of other clients and delivers the positions that they change', async () => {
    rig = await AccountRig.open({ section: 'futures', key: 'HMAC' });
    await until(() => rig.isLinked, 'the link');
    const client = new TestClient(rig.loopback, rig.owner.keys[0]);
    await client.ok('POST', '/fapi/v1/order', {
      symbol: 'BTCUSDT',
      side: 'SELL',
      type: 'MARKET',
      quantity: '0.020',
      newClientOrderId: 'autoclose-1700000000000000000',
    });
    await until(() => rig.positions.length > 0, 'the position');
    expect(rig.positions.at(-1)!.positions[0]!.quantity).toBe('-0.02');
    expect(rig.shard.children.size).toBe(0);
    expect(rig.contradictions).toEqual([]);
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
    rig = await AccountRig.open({ section: 'spot', key: 'HMAC' });
    await until(() => rig.isLinked, 'the link');
    const { loopback, shard, session } = rig;
    shard.submit(rig.child(1), now());
    await until(() => shard.children.get('1-1')!.state === 'OPEN', 'the order');
    const { limits } = loopback.spot;
    limits.ban('127.0.0.1', Date.now() + 120_000);
    await until(() => shard.cancelSome(0, now()), 'a link for the cancel');
    await until(() => limits.refusals > 0, 'the refusal of the cancel');
    // The exchange ends the connections of a banned address.
    loopback.cut(rig.hosts.orders);
    for (let asked = 0; asked < 110; asked += 1) {
      await passed(1_000);
      session.advance(now());
      session.handle({ kind: 'Cancel', ...targetOf(rig.child(1)) }, now());
    }
    expect(limits.refusals).toBe(1);
    expect(rig.isLinked).toBe(false);
    await until(() => rig.isLinked, 'the link after the ban');
    expect(limits.refusals).toBe(1);
    await until(() => shard.cancelSome(0, now()) || shard.children.get('1-1')!.state === 'CANCELLED', 'the cancel');
    await until(() => shard.children.get('1-1')!.state === 'CANCELLED', 'the end');
    await rig.close();
  });

  it('refuses placements near the limit of the address and still cancels', async () => {
    rig = await AccountRig.open({ section: 'spot', key: 'HMAC' });
    await until(() => rig.isLinked, 'the link');
    accepted(await rig.opened.exchange.listMarkets());
    rig.shard.submit(rig.child(1), now());
    await until(() => rig.shard.children.get('1-1')!.state === 'OPEN', 'the order');
    // Another program at the same address uses most of the minute.
    await untilEarlyInMinute();
    rig.loopback.spot.limits.weigh('127.0.0.1', 5_500, Date.now());
    accepted(await rig.account.balances());
    rig.shard.submit(rig.child(2), now());
    await until(() => rig.shard.children.get('2-1')!.state === 'REFUSED', 'the refusal');
    expect(rig.loopback.spot.exchange.ledger.ordersOf(rig.owner.id).length).toBe(1);
    await until(() => rig.shard.cancelSome(0, now()), 'a link for the cancel');
    await until(() => rig.shard.children.get('1-1')!.state === 'CANCELLED', 'the cancel');
    await rig.close();
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
