import { afterEach, describe, expect, it } from 'vitest';
import { isRejected } from '../../../../src/domain/rejection.js';
import type { ApiKey } from '../../../loopback/accounts.js';
import { TRADING_PERMISSIONS } from '../../../loopback/accounts.js';
import { newOkxKey, OkxLoopback } from '../../../loopback/okx/okx-loopback.js';
import { accepted, now, passed, until } from '../binance/loopback-exchange.js';
import { AccountRig, child, credentials, INSTRUMENTS, openExchange, price } from './account-rig.js';

let rig: AccountRig;
afterEach(() => rig.close());

describe('an account at OKX', () => {
  it('states its balances and positions, first as a whole and then with each change', async () => {
    rig = await AccountRig.open();
    const { shard, account } = rig;
    await until(() => rig.isLinked, 'the link');
    shard.submit(child('swap', 1, { type: 'MARKET', timeInForce: 'IOC', limitPrice: null, side: 'SELL' }), now());
    shard.submit(child('spot', 2, { type: 'MARKET', timeInForce: 'IOC', limitPrice: null }), now());
    await until(() => [...shard.children.values()].every(({ state }) => state === 'FILLED'), 'the fills');
    const balances = accepted(await account.balances());
    const btc = balances.balances.find(({ asset }) => asset === 'BTC');
    expect(balances.isSnapshot).toBe(true);
    // 0.01 BTC less the fee of 0.1 %.
    expect(btc?.total).toBe('10.00999');
    const { positions } = accepted(await account.positions());
    expect(positions).toMatchObject([
      { symbol: 'BTC-USDT-SWAP', mode: 'NET', quantity: '-1', margin: { mode: 'CROSS', leverage: 20 } },
    ]);
    await until(() => rig.positions.some((update) => update.positions[0]?.quantity === '-1'), 'the position');
    await until(() => rig.balances.at(-1)?.balances.some(({ total }) => total === '10.00999') === true, 'the balance');
    expect(rig.balances[0]?.isSnapshot).toBe(false);
    shard.submit(child('swap', 3, { limitPrice: price(51_000), reduceOnly: true, timeInForce: 'IOC' }), now());
    await until(() => rig.positions.at(-1)?.positions[0]?.quantity === '0', 'the flat position');
    expect(accepted(await account.positions()).positions).toEqual([]);
    expect(rig.opened.findings).toEqual([]);
  });

  it('states what its key may do, the position mode and the clock', async () => {
    rig = await AccountRig.open();
    expect(accepted(await rig.account.check())).toMatchObject({
      mayTrade: true,
      mayWithdraw: false,
      isAddressBound: false,
      positionMode: 'ONE_WAY',
      latencyMs: expect.any(Number) as number,
      limits: [{ name: 'GET /api/v5/account/config', used: 1, max: 5 }],
    });
    rig.loopback.trading.swapClearing.settings(rig.owner.id).isDualSide = true;
    expect(accepted(await rig.account.check())).toMatchObject({ positionMode: 'HEDGE' });
  });

  it.each([
    [{ withdrawals: true }, { mayTrade: true, mayWithdraw: true }],
    [
      { spotTrading: false, futures: false },
      { mayTrade: false, mayWithdraw: false },
    ],
  ])('with a key of the rights %o is stated as %o', async (change, expected) => {
    rig = await AccountRig.open(newOkxKey({ permissions: { ...TRADING_PERMISSIONS, ...change } }));
    expect(accepted(await rig.account.check())).toMatchObject(expected);
  });

  it.each([
    ['1', undefined],
    ['3', 'multi-currency margin'],
    ['4', 'portfolio margin'],
    ['5', '5'],
  ])('in the account mode %s is not traded', async (level, is) => {
    rig = await AccountRig.open();
    rig.loopback.trading.levels.set(rig.owner.id, level);
    const check = accepted(await rig.account.check());
    expect(check.mayTrade).toBe(false);
    expect(check.wrongMode).toEqual(is === undefined ? undefined : { is, setTo: 'futures mode' });
  });

  it('without a stated account mode is not known', async () => {
    rig = await AccountRig.open();
    rig.loopback.trading.levels.set(rig.owner.id, '');
    expect(await rig.account.check()).toMatchObject({ rejection: { code: 'EXCHANGE_ERROR' } });
  });

  it('takes positions of perpetuals alone from the private stream', async () => {
    rig = await AccountRig.open();
    await until(() => rig.isLinked, 'the link');
    const subscriptions = [...rig.loopback.sockets.sessions].flatMap((session) => [...session.subscriptions.values()]);
    const types = subscriptions.flatMap(({ arg }) => (arg['channel'] === 'positions' ? [arg['instType']] : []));
    expect(types).toEqual(['SWAP']);
  });

  it('is refused with a wrong passphrase, and says so without the passphrase', async () => {
    const key = newOkxKey();
    rig = await AccountRig.open(key);
    const wrong: ApiKey = { ...key, passphrase: 'a-wrong-one' };
    const refusals: string[] = [];
    const account = accepted(
      await rig.opened.exchange.openAccount(credentials(wrong), {
        onSubscribed: () => undefined,
        onCut: () => undefined,
        onOrder: () => undefined,
        onBalances: () => undefined,
        onPositions: () => undefined,
        onRefused: ({ code, message }) => refusals.push(`${code} ${message}`),
        onRefusedTime: () => undefined,
        instrumentOf: () => null,
      }),
    );
    const refused = await account.check();
    expect(isRejected(refused) && refused.rejection).toEqual({
      code: 'INVALID_API_KEY',
      message: 'OKX 50105: Request header "OK-ACCESS-PASSPHRASE" incorrect.',
    });
    account.start();
    await until(() => refusals.length > 0, 'the refusal');
    expect(refusals[0]).toBe('AUTHENTICATION_ERROR OKX: the login was refused with 60024');
    expect(rig.opened.findings).toContain('the login was refused with 60024');
    await account.close();
  });

  it('takes HMAC keys with a passphrase alone', async () => {
    rig = await AccountRig.open();
    const key = credentials(newOkxKey());
    const events = rig.opened.exchange;
    const open = async (change: object) => events.openAccount({ ...key, ...change }, {} as never);
    expect(await open({ kind: 'ED25519' })).toMatchObject({ rejection: { code: 'INVALID_API_KEY' } });
    expect(await open({ passphrase: null })).toMatchObject({ rejection: { code: 'INVALID_API_KEY' } });
  });

  it('signs with the time of the exchange after its clock was measured', async () => {
    rig = await AccountRig.open();
    const { loopback, opened, account } = rig;
    loopback.clock.offsetMs = 60_000;
    expect(await account.check()).toMatchObject({ rejection: { code: 'INVALID_TIMESTAMP' } });
    const { offsetMs } = accepted(await opened.exchange.measureClock());
    expect(Math.abs(offsetMs - 60_000)).toBeLessThan(1_000);
    expect(accepted(await account.check()).clockOffsetMs).toBe(offsetMs);
    await until(() => rig.isLinked, 'the link');
    rig.shard.submit(child('spot', 1), now());
    await until(() => rig.shard.children.get('1-1')?.state === 'OPEN', 'the order');
  });

  it('stays connected by pings while nothing happens', async () => {
    rig = await AccountRig.open();
    await until(() => rig.isLinked, 'the link');
    const [session] = [...rig.loopback.sockets.sessions];
    const before = session!.activeAtMs;
    await until(() => session!.activeAtMs > before, 'a message');
    await passed(100);
    expect(rig.isLinked).toBe(true);
  });

  it('refuses an order beyond the rate of the exchange without sending it', async () => {
    rig = await AccountRig.open();
    await until(() => rig.isLinked, 'the link');
    // All orders fall into one interval of the exchange: the clock does not advance while they are placed.
    for (let id = 1; id <= 130; id += 1) rig.shard.submit(child('spot', id, { quantity: 1_000 as never }), now());
    const states = () => [...rig.shard.children.values()].map(({ state }) => state);
    await until(() => states().every((state) => state === 'OPEN' || state === 'REFUSED'), 'the answers');
    const placed = rig.loopback.trading.spot.ledger.ordersOf(rig.owner.id).length;
    expect(placed).toBe(states().filter((state) => state === 'OPEN').length);
    // 80 % of 60 orders in two seconds.
    expect(placed).toBe(48);
  });
});

describe('the market list of OKX', () => {
  it('has spot pairs and perpetuals with their contract sizes', async () => {
    rig = await AccountRig.open();
    const markets = accepted(await rig.opened.exchange.listMarkets());
    expect(markets.map(({ rawSymbol, contractSize }) => [rawSymbol, contractSize])).toEqual([
      ['BTC-USDT', '1'],
      ['ETH-USDT', '1'],
      ['BTC-USDT-SWAP', '0.01'],
      ['ETH-USDT-SWAP', '0.1'],
      ['DOGE-USDT-SWAP', '1000'],
    ]);
    const swap = markets.find(({ rawSymbol }) => rawSymbol === INSTRUMENTS.swap.exchangeSymbol)!.instrument;
    expect(swap).toMatchObject({ symbol: 'BTC/USDT:USDT', quantityPrecision: 4, quantityStep: 1, pricePrecision: 1 });
    const doge = markets.find(({ rawSymbol }) => rawSymbol === 'DOGE-USDT-SWAP')!.instrument;
    // A lot of 0.01 contracts is 10 DOGE.
    expect(doge).toMatchObject({ quantityPrecision: 0, quantityStep: 10 });
    expect(rig.opened.findings).toEqual([]);
  });

  it('has a halted market as one that does not trade, and none that is delisted', async () => {
    rig = await AccountRig.open();
    const { spot, swap } = rig.loopback.trading;
    swap.halt('BTC-USDT-SWAP');
    spot.delist('ETH-USDT');
    const markets = accepted(await rig.opened.exchange.listMarkets());
    expect(markets.map(({ rawSymbol, isTrading }) => [rawSymbol, isTrading])).toEqual([
      ['BTC-USDT', true],
      ['BTC-USDT-SWAP', false],
      ['ETH-USDT-SWAP', true],
      ['DOGE-USDT-SWAP', true],
    ]);
    await until(() => rig.isLinked, 'the link');
    rig.shard.submit(child('swap', 1), now());
    await until(() => rig.shard.children.values().next().value?.state === 'REFUSED', 'the refusal');
    expect(rig.loopback.trading.swap.ledger.ordersOf(rig.owner.id)).toEqual([]);
  });

  it('is refused when one of its types cannot be read', async () => {
    rig = await AccountRig.open();
    rig.loopback.faults.add({
      on: 'GET /api/v5/public/instruments',
      nth: 2,
      fault: { kind: 'fail', failure: 'overloaded', executed: false },
    });
    expect(isRejected(await rig.opened.exchange.listMarkets())).toBe(true);
  });
});

describe('demo trading of OKX', () => {
  it('has a header in each request that keeps it apart from real trading', async () => {
    rig = await AccountRig.open();
    const demo = await OkxLoopback.start({ isDemo: true });
    const owner = demo.openAccount();
    const events = { onSubscribed: () => undefined, onCut: () => undefined, onOrder: () => undefined };
    const check = async (environment: 'live' | 'testnet') => {
      const { exchange } = await openExchange(demo, environment);
      const account = await exchange.openAccount(credentials(owner.keys[0]!), events as never);
      const checked = await accepted(account).check();
      await exchange.close();
      return checked;
    };
    expect(accepted(await check('testnet')).mayTrade).toBe(true);
    expect(await check('live')).toMatchObject({ rejection: { code: 'AUTHENTICATION_ERROR' } });
    await demo.close();
  });
});
