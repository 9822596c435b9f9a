import { candleAt } from '../candles.js';
import type { ExchangeClock } from '../clock.js';
import { formatUnits, type Units } from '../decimal.js';
import type { ExchangeEvent } from '../exchange-events.js';
import type { Level, Market, PublicTrade } from '../market.js';
import type { SocketSession } from '../socket-server.js';
import { INTERVAL_MS, openInterestOf, tickerRow, tradeId, writeLevels, writerOf } from './market-data.js';
import { connectionId, parseOperation } from './operations.js';
import type { Section } from './section.js';

const FLUSH_MS = 20;
/** Tickers and candles leave at every fifth flush. */
const SLOW_FLUSHES = 5;
const TOPICS_MAX = 500;
const BOOK_LEVELS: ReadonlySet<number> = new Set([1, 50, 200, 1_000]);

type Topic =
  | { readonly kind: 'orderbook'; readonly name: string; readonly market: Market; readonly levels: number }
  | { readonly kind: 'publicTrade' | 'tickers'; readonly name: string; readonly market: Market }
  | { readonly kind: 'kline'; readonly name: string; readonly market: Market; readonly interval: string };

/** The part of a book that its subscribers know, with the number of its last change. */
interface ShownBook {
  readonly bids: Map<Units, Units>;
  readonly asks: Map<Units, Units>;
  updateId: number;
}

/** The levels of a frame: a whole book or its changes. */
interface BookLevels {
  readonly type: 'snapshot' | 'delta';
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

interface PublicSession {
  readonly socket: SocketSession;
  readonly id: string;
  readonly topics: Map<string, Topic>;
}

/** Market data of one product: `/v5/public/spot` or `/v5/public/linear`. */
export class PublicStream {
  readonly #section: Section;
  readonly #clock: ExchangeClock;
  readonly #sessions = new Set<PublicSession>();
  /** By topic. */
  readonly #books = new Map<string, ShownBook>();
  readonly #tickers = new Map<string, Record<string, unknown>>();
  readonly #traded = new Set<Market>();
  readonly #timer: NodeJS.Timeout;
  #flushes = 0;

  constructor(section: Section, clock: ExchangeClock) {
    this.#section = section;
    this.#clock = clock;
    section.exchange.listen((events) => this.#receive(events));
    this.#timer = setInterval(() => this.#flush(), FLUSH_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  open(socket: SocketSession): void {
    const session: PublicSession = { socket, id: connectionId(), topics: new Map() };
    this.#sessions.add(session);
    socket.onMessage((text) => this.#operate(session, text));
    socket.onClose(() => this.#sessions.delete(session));
  }

  #operate(session: PublicSession, text: string): void {
    const operation = parseOperation(text);
    const head = {
      conn_id: session.id,
      ...(typeof operation?.requestId === 'string' && { req_id: operation.requestId }),
    };
    const answer = (success: boolean, message: string, op: string): void => {
      session.socket.write(JSON.stringify({ success, ret_msg: message, ...head, op }));
    };
    if (operation === null) return answer(false, 'Params Error', '');
    const { op, args } = operation;
    if (op === 'ping') return answer(true, 'pong', 'ping');
    const names = args.map(String);
    if (op === 'unsubscribe') {
      for (const name of names) session.topics.delete(name);
      return answer(true, '', op);
    }
    if (op !== 'subscribe') return answer(false, 'Params Error', op);
    const topics = names.map((name) => this.#parse(name));
    const wrong = names[topics.indexOf(null)];
    if (wrong !== undefined) return answer(false, `error:handler not found,topic:${wrong}`, op);
    if (session.topics.size + topics.length > TOPICS_MAX) return answer(false, 'error:too many topics', op);
    answer(true, '', op);
    for (const topic of topics) {
      session.topics.set(topic!.name, topic!);
      this.#begin(session, topic!);
    }
  }

  #parse(name: string): Topic | null {
    const parts = name.split('.');
    const [kind, middle = ''] = parts;
    const market = this.#section.exchange.market(parts.at(-1) ?? '');
    if (market === null) return null;
    if (kind === 'orderbook' && parts.length === 3 && BOOK_LEVELS.has(Number(middle))) {
      return { kind, name, market, levels: Number(middle) };
    }
    if (kind === 'kline' && parts.length === 3 && INTERVAL_MS[middle] !== undefined) {
      return { kind, name, market, interval: middle };
    }
    return (kind === 'publicTrade' || kind === 'tickers') && parts.length === 2 ? { kind, name, market } : null;
  }

  /** The present state for a new subscriber. */
  #begin(session: PublicSession, topic: Topic): void {
    const isShared = [...this.#sessions].some((other) => other !== session && other.topics.has(topic.name));
    if (!isShared) {
      // Without subscribers it has not been kept up to date.
      this.#books.delete(topic.name);
      this.#tickers.delete(topic.name);
    }
    if (topic.kind === 'orderbook') {
      const book = this.#books.get(topic.name) ?? this.#show(topic);
      const levels = { type: 'snapshot', bids: [...book.bids], asks: [...book.asks] } as const;
      this.#send(session, topic, this.#bookFrame(topic, book.updateId, levels));
    } else if (topic.kind === 'tickers') {
      const row = this.#tickers.get(topic.name) ?? this.#ticker(topic.market);
      this.#tickers.set(topic.name, row);
      this.#send(session, topic, this.#frame(topic, 'snapshot', row));
    }
  }

  #show(topic: Extract<Topic, { kind: 'orderbook' }>): ShownBook {
    const { market, levels, name } = topic;
    const book = {
      bids: new Map(market.depth('BUY', levels)),
      asks: new Map(market.depth('SELL', levels)),
      updateId: 1,
    };
    this.#books.set(name, book);
    return book;
  }

  #receive(events: readonly ExchangeEvent[]): void {
    const trades = events.filter((event) => event.kind === 'trade');
    for (const { market } of trades) this.#traded.add(market);
    for (const [topic, sessions] of this.#subscribed()) {
      const own = trades.filter(({ market }) => market === topic.market).map(({ trade }) => trade);
      if (topic.kind !== 'publicTrade' || own.length === 0) continue;
      const frame = this.#tradesFrame(topic, own);
      for (const session of sessions) this.#send(session, topic, frame);
    }
  }

  #tradesFrame(topic: Topic, trades: readonly PublicTrade[]): object {
    const { market } = topic;
    const write = writerOf(market);
    const { category } = this.#section;
    const data = trades.map((trade) => ({
      i: tradeId(category, trade.id),
      T: trade.atMs,
      p: write.price(trade.price),
      v: write.quantity(trade.quantity),
      S: trade.isBuyerMaker ? 'Sell' : 'Buy',
      s: market.instrument.symbol,
      ...(category === 'linear' && { L: 'ZeroPlusTick' }),
      BT: false,
      RPI: false,
      seq: trade.id,
    }));
    return this.#frame(topic, 'snapshot', data);
  }

  #flush(): void {
    this.#flushes += 1;
    const isSlow = this.#flushes % SLOW_FLUSHES === 0;
    for (const [topic, sessions] of this.#subscribed()) {
      const frame = this.#flushed(topic, isSlow);
      if (frame !== null) for (const session of sessions) this.#send(session, topic, frame);
    }
    if (isSlow) this.#traded.clear();
  }

  #flushed(topic: Topic, isSlow: boolean): object | null {
    switch (topic.kind) {
      case 'orderbook':
        return this.#bookChange(topic);
      case 'tickers':
        return isSlow ? this.#tickerChange(topic) : null;
      case 'kline':
        return isSlow && this.#traded.has(topic.market) ? this.#klineFrame(topic) : null;
      case 'publicTrade':
        return null;
      default:
        topic satisfies never;
        return null;
    }
  }

  /** What changed in the shown part of the book. The first level is always sent whole. */
  #bookChange(topic: Extract<Topic, { kind: 'orderbook' }>): object | null {
    const { market, levels, name } = topic;
    const shown = this.#books.get(name) ?? this.#show(topic);
    const [bids, asks] = [market.depth('BUY', levels), market.depth('SELL', levels)];
    const [bidChanges, askChanges] = [changesOf(shown.bids, bids), changesOf(shown.asks, asks)];
    if (bidChanges.length + askChanges.length === 0) return null;
    const book = { bids: new Map(bids), asks: new Map(asks), updateId: shown.updateId + 1 };
    this.#books.set(name, book);
    if (levels === 1) return this.#bookFrame(topic, book.updateId, { type: 'snapshot', bids, asks });
    return this.#bookFrame(topic, book.updateId, { type: 'delta', bids: bidChanges, asks: askChanges });
  }

  #bookFrame(topic: Topic, updateId: number, { type, bids, asks }: BookLevels): object {
    const { market } = topic;
    const data = {
      s: market.instrument.symbol,
      b: writeLevels(market, bids),
      a: writeLevels(market, asks),
      u: updateId,
      seq: market.updateId,
    };
    return { ...this.#frame(topic, type, data), cts: this.#clock.nowMs() };
  }

  #ticker(market: Market): Record<string, unknown> {
    const row = tickerRow(market, openInterestOf(this.#section, market), this.#clock.nowMs());
    if (this.#section.category === 'linear') return row;
    const { bid1Price: _b, bid1Size: _B, ask1Price: _a, ask1Size: _A, ...spot } = row;
    return spot;
  }

  /** Spot sends whole tickers, linear the members that changed. */
  #tickerChange(topic: Topic): object | null {
    const row = this.#ticker(topic.market);
    const before = this.#tickers.get(topic.name) ?? {};
    const changed = Object.entries(row).filter(([name, value]) => before[name] !== value);
    this.#tickers.set(topic.name, row);
    if (changed.length === 0) return null;
    if (this.#section.category === 'spot') return this.#frame(topic, 'snapshot', row);
    return this.#frame(topic, 'delta', { symbol: topic.market.instrument.symbol, ...Object.fromEntries(changed) });
  }

  #klineFrame(topic: Extract<Topic, { kind: 'kline' }>): object {
    const { market, interval } = topic;
    const nowMs = this.#clock.nowMs();
    const write = writerOf(market);
    const candle = candleAt(market, nowMs, INTERVAL_MS[interval]!);
    const data = {
      start: candle.openMs,
      end: candle.closeMs,
      interval,
      open: write.price(candle.open),
      close: write.price(candle.close),
      high: write.price(candle.high),
      low: write.price(candle.low),
      volume: write.quantity(candle.volume),
      turnover: formatUnits(candle.quoteVolume, 4),
      confirm: nowMs >= candle.closeMs,
      timestamp: nowMs,
    };
    return this.#frame(topic, 'snapshot', [data]);
  }

  #frame({ name }: Topic, type: 'snapshot' | 'delta', data: unknown): object {
    return { topic: name, ts: this.#clock.nowMs(), type, data };
  }

  #send({ socket }: PublicSession, { name }: Topic, frame: object): void {
    socket.send(`${this.#section.category} ${name}`, frame);
  }

  /** Every topic once, with its subscribers. */
  #subscribed(): ReadonlyMap<Topic, readonly PublicSession[]> {
    const topics = new Map<string, Topic>();
    for (const session of this.#sessions) for (const [name, topic] of session.topics) topics.set(name, topic);
    return new Map(
      [...topics.values()].map((topic) => [
        topic,
        [...this.#sessions].filter(({ topics: own }) => own.has(topic.name)),
      ]),
    );
  }
}

/** Changed and new levels, and those that are gone with the quantity 0. */
function changesOf(before: ReadonlyMap<Units, Units>, after: readonly Level[]): readonly Level[] {
  const present = new Set(after.map(([price]) => price));
  const gone = [...before.keys()].filter((price) => !present.has(price));
  const changed = after.filter(([price, quantity]) => before.get(price) !== quantity);
  return [...gone.map((price): Level => [price, 0n]), ...changed];
}
