import { feedKey, type MarketFeed } from '../model/market-feed.js';
import type { Connection } from './connection.js';
import type { MarketBoard } from './market-board.js';
import type { MarketFeedBoard } from './market-feed-board.js';
import { MarketSubscription } from './market-subscription.js';
import type { StreamDeps } from './port.js';
import { TRY_AGAIN_LATER } from './socket.js';
import { ACKNOWLEDGED, INVALID_STREAM_REQUEST } from './topics/control.js';
import type { StreamRequest } from './topics/request.js';

type TickerRequest = Extract<StreamRequest, { kind: 'ticker' }>;
type FeedRequest = Extract<StreamRequest, { kind: 'market feed' }>;

export interface MarketProtocolParts extends Pick<StreamDeps, 'settings' | 'refusals'> {
  readonly board: MarketBoard;
  readonly feedBoard: MarketFeedBoard;
}

/** What each client message about market data does. All topics share one cap for each connection. */
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

  /** One subscription for each topic and instrument: candles of another interval take the place of those before. */
  #followFeed(connection: Connection, { feed, echo }: FeedRequest): void {
    const { marketSubscriptions, outbox, market } = connection;
    const name = subscriptionName(feed);
    const present = marketSubscriptions.get(name);
    const refusal = present === undefined ? this.#marketRefusal(connection) : null;
    if (refusal !== null) return connection.answer(INVALID_STREAM_REQUEST, refusal);
    connection.answer(ACKNOWLEDGED, echo);
    if (present !== undefined && feedKey(present.feed) === feedKey(feed)) return;
    if (present !== undefined) this.#leaveFeed(connection, name, present);
    const onOverflow = (): void => connection.finish(TRY_AGAIN_LATER, 'too slow: closed candles would be left out');
    const subscription = new MarketSubscription({ feed, socket: market.socket, onOverflow });
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
  }

  /** Why one more market-data subscription is too many; null when it is not. */
  #marketRefusal({ marketSubscriptionCount: count }: Connection): string | null {
    const cap = this.#parts.settings.marketDataCap;
    if (cap === 0) return 'market data topics are not enabled';
    if (count < cap) return null;
    this.#parts.refusals.stream_subscriptions += 1;
    return `a connection may hold ${cap} market data subscriptions`;
  }
}

function subscriptionName({ kind, instrument }: MarketFeed): string {
  return `${kind}/${instrument}`;
}
