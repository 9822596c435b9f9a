import {
  ACKNOWLEDGED,
  INVALID_STREAM_REQUEST,
  parseStreamRequest,
  PONG_FRAME,
  STREAM_ENDED,
  type StreamRequest,
} from '../api/stream/stream-request.js';
import type { FeedKey } from '../domain/event.js';
import { feedKey, type MarketFeed } from '../domain/market-feed.js';
import { isRejected } from '../domain/rejection.js';
import { hasSnapshot, type RiskWatch, type Snapshots } from './account-snapshots.js';
import type { Connection } from './connection.js';
import { type FeedNumber, feedNumber, type Feeds } from './feeds.js';
import { type MarketFeedBoard, MarketSubscription } from './market-feeds.js';
import { POLICY_VIOLATION, TRY_AGAIN_LATER } from './outbox.js';
import type { StreamDeps } from './port.js';
import type { Pump } from './pump.js';
import type { Feed } from './feed.js';
import { type OpenOrderReadings, OpenOrders } from './open-orders.js';
import { Subscription } from './subscription.js';
import type { MarketBoard } from './tickers.js';

type AccountRequest = Extract<StreamRequest, { kind: 'account' }>;

interface ProtocolParts extends Pick<StreamDeps, 'catalogue' | 'reader' | 'followed' | 'timers' | 'refusals'> {
  readonly feeds: Feeds;
  readonly marketProtocol: MarketProtocol;
  readonly pump: Pump;
  readonly snapshots: Snapshots;
  readonly riskWatch: RiskWatch;
}

const PONG = Buffer.from(PONG_FRAME);
const STORE_BEHIND = 'the latest events are still being stored; subscribe again with resume_from';

/**
 * Handles client messages. Each subscribe and unsubscribe is acknowledged, in order, before any frame that it causes.
 * The notice of an ended stream may come between two acknowledgements.
 */
export class Protocol {
  readonly #parts: ProtocolParts;
  readonly #readings: OpenOrderReadings = { count: 0 };

  constructor(parts: ProtocolParts) {
    this.#parts = parts;
  }

  onMessage(connection: Connection, text: string): void {
    if (connection.isEnding || !this.#isWithinBudget(connection)) return;
    connection.heardAtMs = this.#parts.timers.nowMs();
    const request = parseStreamRequest(text, this.#parts.catalogue);
    switch (request.kind) {
      case 'ping':
        return connection.outbox.push(PONG);
      case 'pong':
        return;
      case 'refused':
        return connection.answer(request.code, request.message);
      case 'account':
        return request.method === 'subscribe'
          ? this.#subscribe(connection, request)
          : this.#unsubscribe(connection, request);
      case 'ticker':
      case 'market feed':
        return this.#parts.marketProtocol.onRequest(connection, request);
      default:
        request satisfies never;
    }
  }

  /** Counts a ping or pong of the WebSocket protocol like a message. */
  onControlFrame(connection: Connection): void {
    if (!connection.isEnding) this.#isWithinBudget(connection);
  }

  /** Counts a message. False: the client has sent too many, and the connection is closed. */
  #isWithinBudget(connection: Connection): boolean {
    if (connection.budget?.take(1, this.#parts.timers.nowMs()) !== false) return true;
    this.#parts.refusals.stream_messages += 1;
    connection.finish(POLICY_VIOLATION, 'too many messages');
    return false;
  }

  /** Ends every subscription of a connection. */
  releaseAll(connection: Connection): void {
    for (const subscription of connection.subscriptions.values()) this.#release(connection, subscription);
    this.#parts.marketProtocol.leaveAll(connection);
  }

  #subscribe(connection: Connection, request: AccountRequest): void {
    const { account } = connection;
    const number = feedNumber(request.topic, request.venue);
    if (connection.subscriptions.has(number)) return connection.answer(ACKNOWLEDGED, request.echo);
    // The feed's head is read while the account is followed, so that no event falls between the two.
    this.#parts.followed.add(account);
    this.#open(connection, request, number);
    this.#parts.followed.remove(account);
    return undefined;
  }

  #open(connection: Connection, request: AccountRequest, number: FeedNumber): void {
    const { topic, venue, resumeFrom, withOpenOrders, echo } = request;
    // A store that lacks the latest frames would hide them from a new subscription.
    const snapshot = this.#parts.reader.complete();
    if (snapshot === null) return connection.finish(TRY_AGAIN_LATER, STORE_BEHIND);
    const key: FeedKey = { account: connection.account, topic, venue };
    const head = snapshot.feedHead(key);
    const refusal = resumeFrom === null ? null : this.#resumeRefusal(key, resumeFrom, head);
    if (refusal !== null) return connection.answer(STREAM_ENDED, refusal);
    connection.answer(ACKNOWLEDGED, echo);
    const subscription = this.#newSubscription(connection, this.#parts.feeds.open(key, head), resumeFrom ?? head);
    connection.subscriptions.set(number, subscription);
    if (topic === 'position_risk') this.#parts.riskWatch.follow(subscription.feed);
    if (withOpenOrders) subscription.startWith(this.#openOrdersOf(key));
    else if (resumeFrom === null) this.#sendSnapshot(connection, subscription);
    else subscription.start();
  }

  #openOrdersOf(key: FeedKey): OpenOrders {
    const { feeds, reader } = this.#parts;
    return new OpenOrders({
      key,
      reader,
      readings: this.#readings,
      render: (place, envelope) => feeds.openOrder(place, envelope),
    });
  }

  #newSubscription(connection: Connection, feed: Feed, cursor: number): Subscription {
    const { outbox } = connection;
    const onLost = (sent: number): void => {
      this.#release(connection, subscription);
      connection.noteEnded(feed.key, `the frames after ${sent} are no longer stored`);
    };
    const onBehind = (): void => connection.finish(TRY_AGAIN_LATER, STORE_BEHIND);
    const subscription = new Subscription({ feed, outbox, pump: this.#parts.pump, cursor, onLost, onBehind });
    return subscription;
  }

  /** The reason why a stream cannot continue after frame `after`; null: it can. */
  #resumeRefusal(key: FeedKey, after: number, head: number): string | null {
    const stream = `stream ${key.topic} of ${key.venue}`;
    if (after > head) return `resume_from ${after}: the latest frame of ${stream} is ${head}`;
    const tail = this.#parts.reader.recent().feedTail(key);
    if (after >= tail - 1) return null;
    return `resume_from ${after}: ${stream} is stored from frame ${tail} on; subscribe again without it`;
  }

  /** Sends the state for a topic that has one, then the later frames of the feed. */
  #sendSnapshot(connection: Connection, subscription: Subscription): void {
    const { key } = subscription.feed;
    if (!hasSnapshot(key)) return subscription.start();
    this.#parts.snapshots.ask(key, subscription.cursor, (result) => {
      if (subscription.isEnded) return;
      if (isRejected(result)) {
        this.#release(connection, subscription);
        return connection.noteEnded(key, result.rejection.message);
      }
      for (const frame of result) connection.outbox.push(Buffer.from(frame));
      subscription.start();
    });
  }

  #unsubscribe(connection: Connection, { topic, venue, echo }: AccountRequest): void {
    const subscription = connection.subscriptions.get(feedNumber(topic, venue));
    if (subscription !== undefined) this.#release(connection, subscription);
    connection.answer(ACKNOWLEDGED, echo);
  }

  #release(connection: Connection, subscription: Subscription): void {
    subscription.end();
    const { topic, venue } = subscription.feed.key;
    connection.subscriptions.delete(feedNumber(topic, venue));
    this.#parts.feeds.release(subscription.feed);
  }
}

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
