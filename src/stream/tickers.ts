import type { Instrument, InstrumentIndex } from '../domain/instrument.js';
import type { Market } from '../domain/market.js';
import type { StreamDeps } from './port.js';
import type { Socket } from './outbox.js';
import { isSameTicker, tickerFrame, tickerHead } from '../api/market/market-frame.js';

/** One instrument's ticker: its latest frame and its number of subscribers. */
interface Ticker {
  readonly instrument: Instrument;
  /** Name of its topic in App.publish. */
  readonly topic: string;
  readonly head: string;
  subscriberCount: number;
  shown: Market | null;
  latest: Uint8Array | null;
}

/** The market data part of one connection. */
export interface MarketSubscriber {
  readonly socket: Socket;
  readonly instruments: Set<InstrumentIndex>;
  /** The socket has a large backlog. It is not part of publish and gets the latest frames when it has drained. */
  isLagging: boolean;
  isClosed: boolean;
}

export interface MarketBoardParts extends Pick<StreamDeps, 'catalogue' | 'market' | 'watchMarket' | 'timers'> {
  /** Sends one frame to every socket that is subscribed to the topic. */
  readonly publish: (topic: string, frame: Uint8Array) => void;
}

/**
 * Sends best bid and ask to any number of sockets. Each frame is rendered once, and the socket library fans it out.
 *
 *   onMarket ─▶ render ─▶ publish ─▶ socket
 *                 │                    │ backlog beyond WS_MARKET_BACKLOG_BYTES_MAX: the library drops the frame
 *                 ▼                    ▼ and reports it: the socket leaves publish (lagging)
 *               latest ──────────▶ drained: gets the latest frames and joins publish again
 */
export class MarketBoard {
  readonly #parts: MarketBoardParts;
  readonly #tickers: (Ticker | undefined)[] = [];

  constructor(parts: MarketBoardParts) {
    this.#parts = parts;
  }

  /** The market of an instrument may have changed. */
  onMarket(index: InstrumentIndex): void {
    const ticker = this.#tickers[index];
    if (ticker !== undefined && this.#render(ticker)) this.#parts.publish(ticker.topic, ticker.latest);
  }

  /** Sends the current ticker at once, then every change. */
  join(subscriber: MarketSubscriber, index: InstrumentIndex): void {
    const ticker = this.#tickerOf(index);
    subscriber.instruments.add(index);
    ticker.subscriberCount += 1;
    if (ticker.subscriberCount === 1) this.#parts.watchMarket(index, true);
    this.onMarket(index);
    if (subscriber.socket.getBufferedAmount() > 0) subscriber.isLagging = true;
    if (!subscriber.isLagging) sendLatest(subscriber, ticker);
  }

  leave(subscriber: MarketSubscriber, index: InstrumentIndex): void {
    if (!subscriber.instruments.delete(index)) return;
    const ticker = this.#tickerOf(index);
    if (!subscriber.isClosed) subscriber.socket.unsubscribe(ticker.topic);
    ticker.subscriberCount -= 1;
    if (ticker.subscriberCount > 0) return;
    this.#tickers[index] = undefined;
    this.#parts.watchMarket(index, false);
  }

  leaveAll(subscriber: MarketSubscriber): void {
    for (const index of subscriber.instruments) this.leave(subscriber, index);
  }

  /**
   * The socket library refused a frame. It may be iterating its list of subscribers, which must not change meanwhile.
   * The socket leaves publish a moment later, unless it has drained by then.
   */
  onDropped(subscriber: MarketSubscriber): void {
    if (subscriber.isLagging || subscriber.instruments.size === 0) return;
    subscriber.isLagging = true;
    this.#parts.timers.soon(() => {
      if (!subscriber.isLagging || subscriber.isClosed) return;
      for (const index of subscriber.instruments) subscriber.socket.unsubscribe(this.#tickerOf(index).topic);
    });
  }

  /** The socket has drained. The missed frames are unknown, so it gets the latest of all. */
  onDrained(subscriber: MarketSubscriber): void {
    if (!subscriber.isLagging) return;
    subscriber.isLagging = false;
    for (const index of subscriber.instruments) sendLatest(subscriber, this.#tickerOf(index));
  }

  #tickerOf(index: InstrumentIndex): Ticker {
    let ticker = this.#tickers[index];
    if (ticker === undefined) {
      const instrument = this.#parts.catalogue.at(index);
      const head = tickerHead(instrument);
      ticker = { instrument, topic: `ticker/${index}`, head, subscriberCount: 0, shown: null, latest: null };
      this.#tickers[index] = ticker;
    }
    return ticker;
  }

  /** True when there is a new frame. */
  #render(ticker: Ticker): ticker is Ticker & { latest: Uint8Array } {
    const market = this.#parts.market(ticker.instrument.index);
    if (ticker.shown !== null && isSameTicker(ticker.shown, market)) return false;
    ticker.shown = market;
    ticker.latest = Buffer.from(tickerFrame(ticker.head, market, ticker.instrument), 'latin1');
    return true;
  }
}

function sendLatest({ socket }: MarketSubscriber, ticker: Ticker): void {
  socket.subscribe(ticker.topic);
  if (ticker.latest !== null) socket.send(ticker.latest);
}
