import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Venue } from '../../../../src/domain/exchange.js';
import { FIRST_ADDED_INDEX, type InstrumentIndex } from '../../../../src/domain/instrument.js';
import type { MarketFeed, MarketUpdate } from '../../../../src/domain/market-feed.js';
import { openOf } from '../../../../src/domain/market-feed.js';
import type { Depth, Market } from '../../../../src/domain/market.js';
import type { EpochMs } from '../../../../src/domain/time.js';
import type { ListedName, MarketRegistry } from '../../../../src/keys/port.js';
import { openBinance } from '../../../../src/venue/live/binance/binance-exchange.js';
import { BINANCE_SPOT, BINANCE_USDM } from '../../../../src/venue/live/binance/binance-wallet.js';
import type { LiveExchange } from '../../../../src/venue/live/live-exchange.js';
import { LiveListing } from '../../../../src/venue/live/live-listing.js';
import { LiveMarket, type MarketOutlet } from '../../../../src/venue/live/live-market.js';
import { BinanceLoopback } from '../../../loopback/binance/binance-loopback.js';
import { units } from '../../../loopback/decimal.js';
import { accepted, addressesOf, now, type Section, until } from './loopback-exchange.js';

/* From the sockets of an exchange on loopback to rows, books and feeds of the other threads. */

/** Row numbers in the order of first use. */
class MemoryRegistry implements MarketRegistry {
  readonly #names: string[] = [];

  indicesOf(names: readonly ListedName[]): (InstrumentIndex | null)[] {
    return names.map(({ symbol }) => {
      if (!this.#names.includes(symbol)) this.#names.push(symbol);
      return (FIRST_ADDED_INDEX + this.#names.indexOf(symbol)) as InstrumentIndex;
    });
  }

  store(): void {
    // Nothing is stored.
  }

  load(): [] {
    return [];
  }
}

/** What other threads want, and what they get. */
class Threads implements MarketOutlet {
  readonly markets: Market[] = [];
  readonly depths: Depth[] = [];
  readonly updates: MarketUpdate[] = [];
  isDepthWantedNow = false;
  feeds: MarketFeed[] = [];
  feedsVersion = 0;
  readonly sinceMs = now();

  isWanted(index: InstrumentIndex): boolean {
    return index === FIRST_ADDED_INDEX;
  }

  isDepthWanted(index: InstrumentIndex): boolean {
    return this.isDepthWantedNow && index === FIRST_ADDED_INDEX;
  }

  followed(): readonly MarketFeed[] {
    return this.feeds;
  }

  nextClosedMs(): EpochMs {
    return openOf(this.sinceMs, 'ONE_MINUTE');
  }

  writeMarket(_index: InstrumentIndex, market: Market): void {
    this.markets.push(market);
  }

  writeDepth(_index: InstrumentIndex, depth: Depth): void {
    this.depths.push(depth);
  }

  offer(update: MarketUpdate): boolean {
    this.updates.push(update);
    return true;
  }
}

const SYMBOL = 'BTCUSDT';
const HOSTS: Readonly<Record<Section, string>> = { spot: 'stream.binance.com', futures: 'fstream.binance.com' };

describe.each(['spot', 'futures'] as const)('public data of Binance %s for the other threads', (section) => {
  let loopback: BinanceLoopback;
  let exchange: LiveExchange;
  let threads: Threads;
  let timer: NodeJS.Timeout;

  beforeEach(async () => {
    loopback = await BinanceLoopback.start({ seed: 'rows' });
    threads = new Threads();
    loopback[section].background.trade(SYMBOL, 'BUY', units('0.75'));
    const listing = new LiveListing({
      venue: 'BINANCE' satisfies Venue,
      mode: 'live',
      registry: new MemoryRegistry(),
      publish: () => undefined,
      onFull: () => undefined,
    });
    const holder: { market: LiveMarket | null } = { market: null };
    exchange = accepted(
      await openBinance(
        section === 'spot' ? BINANCE_SPOT : BINANCE_USDM,
        addressesOf(loopback, section),
      )({
        environment: 'live',
        proxy: null,
        instruments: listing.of([section === 'spot' ? 'SPOT' : 'FUTURE']),
        nowMs: now,
        market: {
          onRecord: (record, nowMs) => holder.market?.onRecord(record, nowMs),
          onStale: (symbols, nowMs) => holder.market?.onStale(symbols, nowMs),
        },
        onFinding: () => undefined,
      }),
    );
    listing.replace(exchange.categories, accepted(await exchange.listMarkets()));
    const market = new LiveMarket({ exchange, listing, outlet: threads, nowMs: now });
    holder.market = market;
    timer = setInterval(() => market.round(), 50);
  });
  afterEach(async () => {
    clearInterval(timer);
    await exchange.close();
    await loopback.close();
  });

  it('writes rows with the volume of the past, and stays fresh without changes', async () => {
    await until(() => threads.markets.length > 0, 'the first row');
    const perUnit = section === 'spot' ? 100_000 : 1_000;
    expect(threads.markets[0]!.volume).toBe(0.75 * perUnit);
    loopback[section].background.trade(SYMBOL, 'SELL', units('0.5'));
    await until(() => threads.markets.at(-1)!.volume === 1.25 * perUnit, 'the trade');
    await until(() => now() - threads.sinceMs > 5_500, 'a quiet while');
    expect(now() - threads.markets.at(-1)!.atMs).toBeLessThan(2_500);
    expect(threads.markets.at(-1)!.bid).toBeGreaterThan(0);
  });

  it('withdraws the prices after a cut, and writes the present ones and the missed volume after it', async () => {
    await until(() => threads.markets.length > 0, 'the first row');
    const { volume } = threads.markets.at(-1)!;
    loopback.cut(HOSTS[section]);
    loopback[section].background.trade(SYMBOL, 'SELL', units('0.5'));
    await until(() => threads.markets.some(({ bid, ask }) => bid === 0 && ask === 0), 'the end of the prices');
    await until(() => threads.markets.at(-1)!.bid > 0, 'the present prices');
    const perUnit = section === 'spot' ? 100_000 : 1_000;
    await until(() => threads.markets.at(-1)!.volume === volume + 0.5 * perUnit, 'the missed volume');
  });

  it('writes books only while they are wanted', async () => {
    await until(() => threads.markets.length > 0, 'the first row');
    expect(threads.depths).toEqual([]);
    threads.isDepthWantedNow = true;
    await until(() => threads.depths.length > 0, 'the first book');
    const { bids, asks } = threads.depths.at(-1)!;
    expect(bids.count).toBeGreaterThan(5);
    expect(bids.prices[0]!).toBeLessThan(asks.prices[0]!);
    expect(bids.prices[0]!).toBeGreaterThan(bids.prices[1]!);
  });

  it('publishes followed feeds', async () => {
    const instrument = FIRST_ADDED_INDEX as InstrumentIndex;
    threads.feeds = [
      { kind: 'trades', instrument },
      { kind: 'candles', instrument, interval: 'ONE_MINUTE' },
      ...(section === 'futures'
        ? ([
            { kind: 'mark', instrument },
            { kind: 'openInterest', instrument },
          ] as const)
        : []),
    ];
    threads.feedsVersion += 1;
    const wanted = section === 'futures' ? 4 : 2;
    for (let step = 0; new Set(threads.updates.map(({ kind }) => kind)).size < wanted && step < 100; step += 1) {
      loopback[section].background.trade(SYMBOL, 'SELL', units('0.01'));
      const count = threads.updates.length;
      await until(() => threads.updates.length > count || step < 3, 'an update');
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
    }
    const kinds = new Set(threads.updates.map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual(
      section === 'futures'
        ? ['CandleChanged', 'MarkChanged', 'OpenInterestChanged', 'Traded']
        : ['CandleChanged', 'Traded'],
    );
  });
});
