import type { Ticks } from '../../../src/domain/quantity.js';
import { aggregate } from '../aggregate-trades.js';
import type { Exchange } from '../exchange.js';
import type { ExchangeEvent } from '../exchange-events.js';
import type { Market, PublicTrade } from '../market.js';
import {
  aggTradeFrame,
  type BookChanges,
  bookTickerFrame,
  depthDiffFrame,
  depthFrame,
  klineFrame,
  markPriceFrame,
  tradeFrame,
} from './stream-frames.js';
import type { StreamHub } from './stream-hub.js';
import { type MarketStream, parseStream, routeOf } from './stream-names.js';

const FLUSH_MS = 100;
const MARK_EVERY_FLUSHES = 10;

interface PendingChanges {
  firstId: number;
  previousId: number;
  readonly bids: Set<Ticks>;
  readonly asks: Set<Ticks>;
}

/**
 * Market data streams of one section. Trades and best quotes leave at once; books and klines every 100 ms when they
 * changed; mark prices every second.
 */
export class MarketStreams {
  readonly #exchange: Exchange;
  readonly #hub: StreamHub;
  /** True when the section serves public and market streams on separate parts of its host. */
  readonly #isRouted: boolean;
  readonly #pending = new Map<Market, PendingChanges>();
  readonly #lastIds = new Map<Market, number>();
  readonly #traded = new Set<Market>();
  readonly #timer: NodeJS.Timeout;
  #flushes = 0;

  constructor(exchange: Exchange, hub: StreamHub, { isRouted }: { isRouted: boolean }) {
    this.#exchange = exchange;
    this.#hub = hub;
    this.#isRouted = isRouted;
    exchange.listen((events) => this.#receive(events));
    this.#timer = setInterval(() => this.#flush(), FLUSH_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #receive(events: readonly ExchangeEvent[]): void {
    const trades: PublicTrade[] = [];
    let market: Market | null = null;
    for (const event of events) {
      if (event.kind === 'trade') {
        trades.push(event.trade);
        market = event.market;
      } else if (event.kind === 'book') this.#noteBook(event);
    }
    if (market !== null) this.#publishTrades(market, trades);
  }

  #noteBook({ market, updateId, touched }: Extract<ExchangeEvent, { kind: 'book' }>): void {
    const previousId = this.#lastIds.get(market) ?? updateId - 1;
    const pending = this.#pending.get(market) ?? { firstId: updateId, previousId, bids: new Set(), asks: new Set() };
    for (const price of touched.bids) pending.bids.add(price);
    for (const price of touched.asks) pending.asks.add(price);
    this.#pending.set(market, pending);
    this.#send({ kind: 'bookTicker', market }, `${nameOf(market)}@bookTicker`, () =>
      bookTickerFrame(market, this.#nowMs()),
    );
  }

  #publishTrades(market: Market, trades: readonly PublicTrade[]): void {
    const symbol = nameOf(market);
    this.#traded.add(market);
    const nowMs = this.#nowMs();
    for (const trade of trades) {
      this.#send({ kind: 'trade', market }, `${symbol}@trade`, () => tradeFrame(market, trade, nowMs));
    }
    for (const trade of aggregate(trades)) {
      this.#send({ kind: 'aggTrade', market }, `${symbol}@aggTrade`, () => aggTradeFrame(market, trade, nowMs));
    }
  }

  #flush(): void {
    const nowMs = this.#nowMs();
    this.#flushes += 1;
    const changes = new Map([...this.#pending].map(([market, pending]) => [market, this.#changes(market, pending)]));
    for (const name of this.#hub.names()) {
      const stream = parseStream(this.#exchange, name);
      if (stream === null) continue;
      const frame = this.#flushed(stream, changes.get(stream.market) ?? null, nowMs);
      if (frame !== null) this.#send(stream, name, () => frame);
    }
    this.#pending.clear();
    this.#traded.clear();
  }

  #flushed(stream: MarketStream, changes: BookChanges | null, nowMs: number): object | null {
    const { market } = stream;
    switch (stream.kind) {
      case 'depthDiff':
        return changes === null ? null : depthDiffFrame(market, changes, nowMs);
      case 'depth':
        return changes === null ? null : depthFrame(market, { levels: stream.levels, changes }, nowMs);
      case 'kline':
        return this.#traded.has(market) ? klineFrame(market, stream, nowMs) : null;
      case 'markPrice':
        return this.#flushes % MARK_EVERY_FLUSHES === 0 ? markPriceFrame(market, nowMs) : null;
      case 'bookTicker':
      case 'aggTrade':
      case 'trade':
        return null;
      default:
        stream satisfies never;
        return null;
    }
  }

  #changes(market: Market, { firstId, previousId, bids, asks }: PendingChanges): BookChanges {
    this.#lastIds.set(market, market.updateId);
    return { firstId, lastId: market.updateId, previousId, bids: [...bids], asks: [...asks] };
  }

  #send(stream: MarketStream, name: string, frame: () => object): void {
    const route = this.#isRouted ? routeOf(stream) : null;
    if (this.#hub.sessions.length > 0) this.#hub.publish(name, frame(), route);
  }

  #nowMs(): number {
    return this.#exchange.clock.nowMs();
  }
}

function nameOf({ instrument }: Market): string {
  return instrument.symbol.toLowerCase();
}
