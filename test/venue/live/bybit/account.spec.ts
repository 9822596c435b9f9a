import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TRADING_PERMISSIONS, newEd25519Key, newKey } from '../../../loopback/accounts.js';
import { units } from '../../../loopback/decimal.js';
import { accepted, now, passed, until } from '../binance/loopback-exchange.js';
import { BybitRig, credentials } from './bybit-rig.js';

let rig: BybitRig;
beforeEach(async () => {
  rig = await BybitRig.open();
  await until(() => rig.isLinked, 'the link');
});
afterEach(() => rig.close());

const EVENTS = {
  onSubscribed: () => undefined,
  onCut: () => undefined,
  onOrder: () => undefined,
  onBalances: () => undefined,
  onPositions: () => undefined,
  onRefused: () => undefined,
  onRefusedTime: () => undefined,
  instrumentOf: () => null,
};

describe('a unified account at Bybit', () => {
  it('states its balances, and changes of them in the stream', async () => {
    const { balances } = accepted(await rig.account.balances());
    expect(balances).toContainEqual({ asset: 'USDT', total: '1000000', free: '1000000' });
    rig.loopback.transfer(rig.owner.id, 'BTC', units('0.5'));
    await until(() => rig.balances.length > 0, 'the change');
    expect(rig.balances.at(-1)!.balances).toContainEqual({ asset: 'BTC', total: '10.5', free: '10.5' });
    expect(rig.balances.at(-1)!.isSnapshot).toBe(false);
  });

  it('locks what a spot order may spend, and the margin of an order for a perpetual', async () => {
    rig.shard.submit(rig.child('spot', 1), now());
    rig.shard.submit(rig.child('linear', 2), now());
    await until(() => [1, 2].every((id) => rig.stateOf(id) === 'OPEN'), 'the orders');
    const { balances } = accepted(await rig.account.balances());
    // 0.01 × 49,000 for spot, and a twentieth of it as margin.
    expect(balances).toContainEqual({ asset: 'USDT', total: '1000000', free: '999485.5' });
  });

  it('dials no socket while its address is banned', async () => {
    const { loopback } = rig;
    loopback.faults.add({
      on: 'GET /v5/account/wallet-balance',
      fault: { kind: 'limit', status: 418, retryAfterSeconds: 1 },
      times: 1,
    });
    await rig.account.balances();
    expect(rig.opened.exchange.barredMs()).toBeGreaterThan(590_000);
    const before = loopback.socketsOpened;
    loopback.cut('stream.bybit.com');
    await until(() => !rig.isLinked, 'the cut');
    // Without a ban a socket is open again within a second.
    await passed(20_000);
    expect(loopback.socketsOpened).toBe(before);
  });

  it('states its positions, and changes of them in the stream', async () => {
    expect(accepted(await rig.account.positions()).positions).toEqual([]);
    const crossing = { side: 'SELL', type: 'MARKET', timeInForce: 'IOC', limitPrice: null } as const;
    rig.shard.submit(rig.child('linear', 1, crossing), now());
    await until(() => rig.stateOf(1) === 'FILLED', 'the fill');
    await until(() => rig.positions.length > 0, 'the change');
    const position = { symbol: 'linear/BTCUSDT', mode: 'NET', quantity: '-0.01', entryPrice: '49999.5' };
    expect(rig.positions.at(-1)!.positions).toMatchObject([position]);
    const margin = { mode: 'CROSS', leverage: 20, initialMargin: expect.any(String) as string };
    expect(accepted(await rig.account.positions())).toMatchObject({
      isSnapshot: true,
      positions: [{ ...position, margin }],
    });
  });

  it('checks what its key may do and that it has one position for a market', async () => {
    expect(accepted(await rig.account.check())).toMatchObject({
      mayTrade: true,
      mayWithdraw: false,
      isAddressBound: false,
      positionMode: 'ONE_WAY',
      limits: expect.arrayContaining([{ name: 'read 1s', used: expect.any(Number) as number, max: 50 }]) as unknown,
    });
    rig.loopback.clearing.settings(rig.owner.id).isDualSide = true;
    expect(accepted(await rig.account.check()).positionMode).toBe('HEDGE');
  });

  it('finds a key that may withdraw, and one that may not trade', async () => {
    const withdrawing = newKey({ permissions: { ...TRADING_PERMISSIONS, withdrawals: true, futures: false } });
    rig.loopback.openAccount([withdrawing]);
    const account = accepted(await rig.opened.exchange.openAccount(credentials(withdrawing), EVENTS));
    expect(accepted(await account.check())).toMatchObject({ mayTrade: false, mayWithdraw: true });
  });

  it('refuses a kind of key that it cannot use, and reports a key that the exchange does not know', async () => {
    const { exchange } = rig.opened;
    const other = { ...credentials(newEd25519Key().key), kind: 'ED25519' } as const;
    const refused = await exchange.openAccount(other, EVENTS);
    expect(refused).toMatchObject({ rejection: { code: 'INVALID_API_KEY' } });
    const unknown = accepted(await exchange.openAccount(credentials(newKey()), EVENTS));
    expect(await unknown.balances()).toMatchObject({
      rejection: { code: 'INVALID_API_KEY', message: 'Bybit 10003: API key is invalid.' },
    });
  });

  it('measures a clock that is ahead and corrects the times of requests and of the login', async () => {
    rig.loopback.clock.offsetMs = 20_000;
    expect(await rig.account.balances()).toMatchObject({ rejection: { code: 'INVALID_TIMESTAMP' } });
    const { offsetMs } = accepted(await rig.opened.exchange.measureClock());
    expect(Math.abs(offsetMs - 20_000)).toBeLessThan(500);
    accepted(await rig.account.balances());
    rig.loopback.cut('stream.bybit.com');
    await until(() => !rig.isLinked, 'the cut');
    await until(() => rig.isLinked, 'the link again');
    rig.shard.submit(rig.child('spot', 1), now());
    await until(() => rig.stateOf(1) === 'OPEN', 'the order');
  });
});

describe('the clock of Bybit', () => {
  it('is measured by the shortest of a few round trips', async () => {
    // The first request needs long on its way: half of it would be the error.
    rig.loopback.faults.add({ on: 'GET /v5/market/time', fault: { kind: 'hold', ms: 1_500 }, times: 1 });
    const { offsetMs } = accepted(await rig.opened.exchange.measureClock());
    expect(Math.abs(offsetMs)).toBeLessThan(500);
  });
});

describe('the markets of Bybit', () => {
  it('are listed with their products in their names', async () => {
    const markets = accepted(await rig.opened.exchange.listMarkets());
    expect(markets.map(({ rawSymbol, isTrading }) => [rawSymbol, isTrading])).toEqual([
      ['spot/BTCUSDT', true],
      ['spot/ETHUSDT', true],
      ['spot/SOLUSDT', true],
      ['linear/BTCUSDT', true],
      ['linear/ETHUSDT', true],
      ['linear/SOLUSDT', true],
    ]);
    expect(rig.opened.findings).toEqual([]);
  });

  it('are listed as halted in settlement; a spot market that does not trade is in no list', async () => {
    const { exchange } = rig.opened;
    for (const section of [rig.loopback.spot, rig.loopback.linear]) section.exchange.halt('BTCUSDT');
    const markets = accepted(await exchange.listMarkets());
    expect(markets.map(({ rawSymbol, isTrading }) => [rawSymbol, isTrading])).toEqual([
      ['spot/ETHUSDT', true],
      ['spot/SOLUSDT', true],
      ['linear/ETHUSDT', true],
      ['linear/SOLUSDT', true],
      ['linear/BTCUSDT', false],
    ]);
    rig.loopback.linear.exchange.reopen('BTCUSDT');
    expect(accepted(await exchange.listMarkets()).map(({ isTrading }) => isTrading)).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(rig.opened.findings).toEqual([]);
  });
});
