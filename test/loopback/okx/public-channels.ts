import { crc32 } from 'node:zlib';
import type { Ticks } from '../../../src/domain/quantity.js';
import { candleAt } from '../candles.js';
import type { ExchangeEvent } from '../exchange-events.js';
import type { Market, PublicTrade } from '../market.js';
import {
  barMs,
  book,
  BOOK_LEVELS_MAX,
  bookLevel,
  candleRow,
  fundingRate,
  isListed,
  listedInstrument,
  markPrice,
  openInterest,
  ticker,
  tradeEntry,
} from './market-data.js';
import type { ChannelArg, OkxSession, SocketKind, Subscription } from './socket-session.js';
import type { OkxMarket, TradingAccounts } from './trading-account.js';

const FLUSH_MS = 100;
/** Mark prices, funding rates and open interest leave every 10th flush. */
const SLOW_FLUSHES = 10;
const CHECKSUM_LEVELS = 25;
const CHANNELS: Readonly<Record<SocketKind, RegExp>> = {
  public: /^(?:bbo-tbt|books5|books|trades|tickers|mark-price|funding-rate|open-interest|instruments)$/,
  business: /^candle.+$/,
  private: /^$/,
};
const SWAP_ONLY = new Set(['mark-price', 'funding-rate', 'open-interest']);

/** Levels that changed since the last flush. */
interface TouchedLevels {
  readonly bids: Set<Ticks>;
  readonly asks: Set<Ticks>;
}

/** Channels of market data. Trades and best prices leave at once, books and tickers every 100 ms when they changed. */
export class PublicChannels {
  readonly #trading: TradingAccounts;
  readonly #sessions: ReadonlySet<OkxSession>;
  readonly #touched = new Map<Market, TouchedLevels>();
  readonly #traded = new Set<Market>();
  readonly #timer: NodeJS.Timeout;
  #flushes = 0;

  constructor(trading: TradingAccounts, sessions: ReadonlySet<OkxSession>) {
    this.#trading = trading;
    this.#sessions = sessions;
    for (const exchange of [trading.spot, trading.swap]) exchange.listen((events) => this.#receive(events));
    this.#timer = setInterval(() => this.#flush(), FLUSH_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** True for a channel that this kind of socket has, of a known instrument. */
  offers(kind: SocketKind, { channel = '', instId, instType }: ChannelArg): boolean {
    if (!CHANNELS[kind].test(channel)) return false;
    if (channel === 'instruments') return instType !== undefined;
    if (channel.startsWith('candle') && barMs(channel.slice('candle'.length)) === null) return false;
    const found = this.#trading.markets.find(({ instrument }) => instrument.instId === instId);
    return found !== undefined && (!SWAP_ONLY.has(channel) || found.instrument.instType === 'SWAP');
  }

  /** The first data of a subscription: of instruments the whole list, of trades nothing. */
  snapshot(session: OkxSession, subscription: Subscription): void {
    const { channel = '', instId = '', instType = '' } = subscription.arg;
    if (channel === 'trades') return;
    if (channel === 'instruments') {
      const listed = this.#trading.markets.filter((one) => one.instrument.instType === instType && isListed(one));
      return session.push(subscription, { data: listed.map(listedInstrument) });
    }
    this.#push(session, subscription, this.#trading.market(instId));
  }

  #receive(events: readonly ExchangeEvent[]): void {
    const trades = new Map<Market, PublicTrade[]>();
    for (const event of events) {
      if (event.kind === 'rules') this.#pushInstrument(event.market);
      if (event.kind === 'trade') trades.set(event.market, [...(trades.get(event.market) ?? []), event.trade]);
      if (event.kind !== 'book') continue;
      const touched = this.#touched.get(event.market) ?? { bids: new Set(), asks: new Set() };
      for (const price of event.touched.bids) touched.bids.add(price);
      for (const price of event.touched.asks) touched.asks.add(price);
      this.#touched.set(event.market, touched);
      this.#each(event.market, 'bbo-tbt', (session, subscription, one) => this.#push(session, subscription, one));
    }
    for (const [market, list] of trades) {
      this.#traded.add(market);
      this.#each(market, 'trades', (session, subscription, one) => {
        for (const trade of list) session.push(subscription, { data: [{ ...tradeEntry(one, trade), count: '1' }] });
      });
    }
  }

  /** The documents name changes of the state. That changed rules are pushed as well rests on memory. */
  #pushInstrument({ instrument: { symbol } }: Market): void {
    const one = this.#trading.market(symbol);
    for (const session of this.#sessions) {
      for (const subscription of session.subscriptions.values()) {
        const { channel, instType } = subscription.arg;
        if (channel !== 'instruments' || instType !== one.instrument.instType) continue;
        session.push(subscription, { data: [listedInstrument(one)] });
      }
    }
  }

  #flush(): void {
    this.#flushes += 1;
    const isSlow = this.#flushes % SLOW_FLUSHES === 0;
    for (const session of this.#sessions) {
      for (const subscription of session.subscriptions.values()) {
        const { channel = '', instId } = subscription.arg;
        const one = this.#trading.markets.find(({ instrument }) => instrument.instId === instId);
        if (one === undefined) continue;
        const isChanged = this.#touched.has(one.market);
        if (channel === 'books' && isChanged) this.#pushChanges(session, subscription, one);
        const isDue =
          (channel === 'books5' && isChanged) ||
          (channel === 'tickers' && (isChanged || this.#traded.has(one.market))) ||
          (channel.startsWith('candle') && (this.#traded.has(one.market) || isSlow)) ||
          (SWAP_ONLY.has(channel) && isSlow);
        if (isDue) this.#push(session, subscription, one);
      }
    }
    this.#touched.clear();
    this.#traded.clear();
  }

  #push(session: OkxSession, subscription: Subscription, one: OkxMarket): void {
    const { channel = '' } = subscription.arg;
    const nowMs = this.#trading.clock.nowMs();
    switch (channel) {
      case 'bbo-tbt':
        return session.push(subscription, { data: [book(one, 1, nowMs)] });
      case 'books5':
        return session.push(subscription, { data: [{ ...book(one, 5, nowMs), instId: one.instrument.instId }] });
      case 'books': {
        subscription.seqId = one.market.updateId;
        const data = [{ ...book(one, BOOK_LEVELS_MAX, nowMs), checksum: checksum(one), prevSeqId: -1 }];
        return session.push(subscription, { action: 'snapshot', data });
      }
      case 'tickers':
        return session.push(subscription, { data: [ticker(one, nowMs)] });
      case 'mark-price':
        return session.push(subscription, { data: [markPrice(one, nowMs)] });
      case 'funding-rate':
        return session.push(subscription, { data: [fundingRate(one, nowMs)] });
      case 'open-interest':
        return session.push(subscription, { data: [openInterest(one, nowMs)] });
      default: {
        const lengthMs = barMs(channel.slice('candle'.length)) ?? 0;
        return session.push(subscription, { data: [candleRow(one, candleAt(one.market, nowMs, lengthMs), nowMs)] });
      }
    }
  }

  #pushChanges(session: OkxSession, subscription: Subscription, one: OkxMarket): void {
    const { market } = one;
    if (subscription.seqId === null || subscription.seqId >= market.updateId) return;
    const { bids, asks } = this.#touched.get(market)!;
    const levels = (side: 'BUY' | 'SELL', prices: ReadonlySet<Ticks>) =>
      [...prices].map((price) => bookLevel(one, market.levelAt(side, price)));
    const data = {
      asks: levels('SELL', asks),
      bids: levels('BUY', bids),
      ts: String(this.#trading.clock.nowMs()),
      checksum: checksum(one),
      prevSeqId: subscription.seqId,
      seqId: market.updateId,
    };
    subscription.seqId = market.updateId;
    session.push(subscription, { action: 'update', data: [data] });
  }

  #each(
    market: Market,
    channel: string,
    run: (session: OkxSession, subscription: Subscription, one: OkxMarket) => void,
  ): void {
    const one = this.#trading.market(market.instrument.symbol);
    for (const session of this.#sessions) {
      for (const subscription of session.subscriptions.values()) {
        const { arg } = subscription;
        if (arg['channel'] === channel && arg['instId'] === one.instrument.instId) run(session, subscription, one);
      }
    }
  }
}

/** CRC-32 of the best 25 levels, bid and ask by turns, as a signed number. */
function checksum(one: OkxMarket): number {
  const [bids, asks] = (['BUY', 'SELL'] as const).map((side) =>
    one.market.depth(side, CHECKSUM_LEVELS).map((level) => bookLevel(one, level)),
  );
  const parts: string[] = [];
  for (let index = 0; index < CHECKSUM_LEVELS; index += 1) {
    for (const level of [bids?.[index], asks?.[index]]) if (level !== undefined) parts.push(`${level[0]}:${level[1]}`);
  }
  return crc32(parts.join(':')) | 0;
}
