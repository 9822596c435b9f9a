import { ACKNOWLEDGED, INVALID_STREAM_REQUEST, type StreamRequest } from '../api/stream/stream-request.js';
import { feedKey, type MarketFeed } from '../domain/market-feed.js';
import type { Connection } from './connection.js';
import { type MarketFeedBoard, MarketSubscription } from './market-feeds.js';
import { TRY_AGAIN_LATER } from './outbox.js';
import type { StreamDeps } from './port.js';
import type { MarketBoard } from './tickers.js';

type TickerRequest = Extract<StreamRequest, { kind: 'ticker' }>;
type FeedRequest = Extract<StreamRequest, { kind: 'market feed' }>;

interface MarketProtocolParts extends Pick<StreamDeps, 'settings' | 'refusals'> {
  readonly board: MarketBoard;
  readonly feedBoard: MarketFeedBoard;
}

/** Handles client messages about market data. All topics share one cap for each connection. */
export class MarketProtocol {
  readonly #parts: MarketProtocolParts;

  constructor(parts: MarketProtocolParts) {
    this.#parts = parts;
  }

  onRequest(connection: Connection, request: TickerRequest | FeedRequest): void {
    const isSubscribe = request.method === 'subscribe';
    if (request.kind === 'ticker') {
      return isSubscribe ? this.#followTicker(connection, request) : this.#unfollowTicker(connection, request);
    }
    return isSubscribe ? this.#followFeed(connection, request) : this.#unfollowFeed(connection, request);
  }

  /** Ends every market-data subscription of a connection. */
  leaveAll(connection: Connection): void {
    this.#parts.board.leaveAll(connection.market);
    for (const [name, subscription] of connection.marketSubscriptions) this.#leaveFeed(connection, name, subscription);
  }

  #followTicker(connection: Connection, { instrument, echo }: TickerRequest): void {
    const { instruments } = connection.market;
    const refusal = instruments.has(instrument.index) ? null : this.#marketRefusal(connection);
    if (refusal !== null) return connection.answer(INVALID_STREAM_REQUEST, refusal);
    connection.answer(ACKNOWLEDGED, echo);
    if (instruments.has(instrument.index)) return;
    connection.outbox.flush();
    this.#parts.board.join(connection.market, instrument.index);
  }

  #unfollowTicker(connection: Connection, { instrument, echo }: TickerRequest): void {
    this.#parts.board.leave(connection.market, instrument.index);
    connection.answer(ACKNOWLEDGED, echo);
  }

  /** One subscription for each topic and instrument: candles of another interval replace the earlier ones. */
  #followFeed(connection: Connection, { feed, echo }: FeedRequest): void {
    const { marketSubscriptions, outbox, market } = connection;
    const name = subscriptionName(feed);
    const present = marketSubscriptions.get(name);
    const refusal = present === undefined ? this.#marketRefusal(connection) : null;
    if (refusal !== null) return connection.answer(INVALID_STREAM_REQUEST, refusal);
    connection.answer(ACKNOWLEDGED, echo);
    if (present !== undefined && feedKey(present.feed) === feedKey(feed)) return;
    if (present !== undefined) this.#leaveFeed(connection, name, present);
    const onOverflow = (): void => connection.finish(TRY_AGAIN_LATER, 'too slow: closed candles would be dropped');
    const flushSoon = (flush: () => void): void => connection.flushSoon(flush);
    const subscription = new MarketSubscription({ feed, socket: market.socket, flushSoon, onOverflow });
    marketSubscriptions.set(name, subscription);
    outbox.flush();
    this.#parts.feedBoard.join(subscription);
  }

  #unfollowFeed(connection: Connection, { feed, echo }: FeedRequest): void {
    const name = subscriptionName(feed);
    const subscription = connection.marketSubscriptions.get(name);
    if (subscription !== undefined) this.#leaveFeed(connection, name, subscription);
    connection.answer(ACKNOWLEDGED, echo);
  }

  #leaveFeed(connection: Connection, name: string, subscription: MarketSubscription): void {
    connection.marketSubscriptions.delete(name);
    this.#parts.feedBoard.leave(subscription);
    subscription.end();
  }

  /** The refusal of one more market data subscription; null: it is allowed. */
  #marketRefusal({ marketSubscriptionCount: count }: Connection): string | null {
    const cap = this.#parts.settings.marketDataCap;
    if (cap === 0) return 'market data topics are not enabled';
    if (count < cap) return null;
    this.#parts.refusals.stream_subscriptions += 1;
    return `a connection may have at most ${cap} market data subscriptions`;
  }
}

function subscriptionName({ kind, instrument }: MarketFeed): string {
  return `${kind}/${instrument}`;
}
