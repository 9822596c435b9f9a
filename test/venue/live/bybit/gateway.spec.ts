import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FIRST_ADDED_INDEX, type InstrumentIndex } from '../../../../src/domain/instrument.js';
import type { Market } from '../../../../src/domain/market.js';
import type { AccountId } from '../../../../src/domain/ids.js';
import type { EpochMs } from '../../../../src/domain/time.js';
import type { ListedName, MarketRegistry } from '../../../../src/keys/port.js';
import { AccountFunds } from '../../../../src/venue/live/account-funds.js';
import { openBybitAt } from '../../../../src/venue/live/bybit/bybit-exchange.js';
import type { LiveAccount, LiveExchange } from '../../../../src/venue/live/live-exchange.js';
import { LiveListing } from '../../../../src/venue/live/live-listing.js';
import { LiveMarket, type MarketOutlet } from '../../../../src/venue/live/live-market.js';
import type { LoopbackAccount } from '../../../loopback/accounts.js';
import { BybitLoopback } from '../../../loopback/bybit/bybit-loopback.js';
import { BybitClient } from '../../../loopback/bybit/bybit-client.js';
import { units } from '../../../loopback/decimal.js';
import { accepted, now, until } from '../binance/loopback-exchange.js';
import { credentials } from './bybit-rig.js';

/* What the gateway sees: rows of instruments, balances and positions of one wallet for two products. */

/** Row numbers by category and symbol, in the order of first use. */
class MemoryRegistry implements MarketRegistry {
  readonly #names: string[] = [];

  indicesOf(names: readonly ListedName[]): (InstrumentIndex | null)[] {
    return names.map(({ assetCategory, symbol }) => {
      const name = `${assetCategory} ${symbol}`;
      if (!this.#names.includes(name)) this.#names.push(name);
      return (FIRST_ADDED_INDEX + this.#names.indexOf(name)) as InstrumentIndex;
    });
  }

  store(): void {
    // Nothing is stored.
  }

  load(): [] {
    return [];
  }
}

let loopback: BybitLoopback;
let owner: LoopbackAccount;
let exchange: LiveExchange;
let account: LiveAccount;
let listing: LiveListing;
let market: LiveMarket;
let timer: NodeJS.Timeout;
/** The last row of each instrument. */
let rows: Map<InstrumentIndex, Market>;

beforeEach(async () => {
  loopback = await BybitLoopback.start({ seed: 'gateway' });
  owner = loopback.openAccount();
  rows = new Map();
  listing = new LiveListing({
    venue: 'BYBIT',
    mode: 'live',
    registry: new MemoryRegistry(),
    publish: () => undefined,
    onFull: () => undefined,
  });
  const outlet: MarketOutlet = {
    isWanted: () => true,
    isDepthWanted: () => false,
    followed: () => [],
    feedsVersion: 0,
    nextClosedMs: () => 0 as EpochMs,
    writeMarket: (index, row) => void rows.set(index, row),
    writeDepth: () => undefined,
    offer: () => true,
  };
  const open = openBybitAt({
    rest: loopback.address('api.bybit.com'),
    streams: loopback.address('stream.bybit.com', 'ws'),
  });
  exchange = accepted(
    await open({
      environment: 'live',
      proxy: null,
      instruments: listing.of(['SPOT', 'FUTURE']),
      nowMs: now,
      market: {
        onRecord: (record, nowMs) => market.onRecord(record, nowMs),
        onStale: (symbols, nowMs) => market.onStale(symbols, nowMs),
      },
      onFinding: () => undefined,
    }),
  );
  listing.replace(exchange.categories, accepted(await exchange.listMarkets()));
  market = new LiveMarket({ exchange, listing, outlet, nowMs: now });
  timer = setInterval(() => market.round(), 50);
  const events = {
    onSubscribed: () => undefined,
    onCut: () => undefined,
    onOrder: () => undefined,
    onBalances: () => undefined,
    onPositions: () => undefined,
    onRefused: () => undefined,
    onRefusedTime: () => undefined,
    instrumentOf: () => null,
  };
  account = accepted(await exchange.openAccount(credentials(owner.keys[0]!), events));
});
afterEach(async () => {
  clearInterval(timer);
  await exchange.close();
  await loopback.close();
});

describe('Bybit at the gateway', () => {
  it('has a row for each product of a symbol, with its own prices', async () => {
    const own = listing.of(exchange.categories);
    const [spot, linear] = [own.bySymbol('spot/BTCUSDT')!, own.bySymbol('linear/BTCUSDT')!];
    expect([own.at(spot).isFuture, own.at(linear).isFuture]).toEqual([false, true]);
    loopback.spot.background.quote('BTCUSDT', units('51000'));
    loopback.linear.background.quote('BTCUSDT', units('52000'));
    await until(() => rows.get(spot)?.bid === 5_099_995, 'the price of spot');
    await until(() => rows.get(linear)?.bid === 519_995, 'the price of the perpetual');
  });

  it('counts the money of its one wallet once, and knows the position of the perpetual', async () => {
    const client = new BybitClient(loopback, owner.keys[0]);
    const order = { category: 'linear', symbol: 'BTCUSDT', side: 'Sell', orderType: 'Market', qty: '0.5' };
    await client.result(client.post('/v5/order/create', order));
    const funds = new AccountFunds('alice' as AccountId, 'BYBIT', 1, now());
    const balances = funds.take(0, accepted(await account.balances()));
    const usdt = balances.find(({ asset }) => asset === 'USDT')!;
    // The fee of 0.055 % of 24,999.75 is paid, and the margin at leverage 20 is bound.
    expect(Number(usdt.total) / 1e18).toBeCloseTo(1_000_000 - 13.75, 1);
    expect(Number(usdt.free) / 1e18).toBeCloseTo(1_000_000 - 13.75 - 1_250, 0);
    const own = listing.of(exchange.categories);
    const positions = funds.takePositions(0, accepted(await account.positions()), own);
    expect(positions).toMatchObject([
      { instrument: own.bySymbol('linear/BTCUSDT'), net: -500, marginMode: 'CROSS', leverage: 20 },
    ]);
  });
});
