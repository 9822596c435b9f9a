import type { Venue } from '../model/exchange.js';
import { feedKey, type MarketFeed } from '../model/market-feed.js';
import { isRejected } from '../model/rejection.js';
import type { Connection } from './connection.js';
import type { FeedKey, Feed } from './feed.js';
import { feedNumber, type Feeds } from './feeds.js';
import type { MarketBoard } from './market-board.js';
import type { MarketFeedBoard } from './market-feed-board.js';
import { MarketSubscription } from './market-subscription.js';
import type { StreamDeps } from './port.js';
import type { Pump } from './pump.js';
import { POLICY_VIOLATION, TRY_AGAIN_LATER } from './socket.js';
import { Subscription } from './subscription.js';
import { balanceSnapshotFrame } from './topics/balance.js';
import { ACKNOWLEDGED, INVALID_STREAM_REQUEST, PONG_FRAME, STREAM_ENDED } from './topics/control.js';
import { parseStreamRequest, type StreamRequest } from './topics/request.js';

type AccountRequest = Extract<StreamRequest, { kind: 'account' }>;
type TickerRequest = Extract<StreamRequest, { kind: 'ticker' }>;
type FeedRequest = Extract<StreamRequest, { kind: 'market feed' }>;

export interface ProtocolParts extends Pick<
  StreamDeps,
  'settings' | 'catalogue' | 'reader' | 'clock' | 'timers' | 'balances' | 'refusals'
> {
  readonly feeds: Feeds;
  readonly board: MarketBoard;
  readonly feedBoard: MarketFeedBoard;
  readonly pump: Pump;
}

const PONG = Buffer.from(PONG_FRAME);

/** What each client message does. Every subscribe and unsubscribe is answered, in order, before any frame that it causes. */
export class Protocol {
  readonly #parts: ProtocolParts;

  constructor(parts: ProtocolParts) {
    this.#parts = parts;
  }

  onMessage(connection: Connection, text: string): void {
    if (connection.isEnding) return;
    const nowMs = this.#parts.timers.nowMs();
    connection.heardAtMs = nowMs;
    if (!connection.budget.take(nowMs)) {
      this.#parts.refusals.stream_messages += 1;
      return connection.finish(POLICY_VIOLATION, 'too many messages');
    }
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
        return request.method === 'subscribe'
          ? this.#followTicker(connection, request)
          : this.#unfollowTicker(connection, request);
      case 'market feed':
        return request.method === 'subscribe'
          ? this.#followFeed(connection, request)
          : this.#unfollowFeed(connection, request);
      default:
        request satisfies never;
    }
  }

  /** Ends every subscription of a connection. */
  releaseAll(connection: Connection): void {
    for (const subscription of connection.subscriptions.values()) this.#release(connection, subscription);
    this.#parts.board.leaveAll(connection.market);
    for (const [name, subscription] of connection.marketSubscriptions) this.#leaveFeed(connection, name, subscription);
  }

  #subscribe(connection: Connection, { topic, venue, resumeFrom, echo }: AccountRequest): void {
    const number = feedNumber(topic, venue);
    if (connection.subscriptions.has(number)) return connection.answer(ACKNOWLEDGED, echo);
    const key: FeedKey = { account: connection.account, topic, venue };
    const head = this.#headOf(key);
    const refusal = resumeFrom === null ? null : this.#resumeRefusal(key, resumeFrom, head);
    if (refusal !== null) return connection.answer(STREAM_ENDED, refusal);
    connection.answer(ACKNOWLEDGED, echo);
    const subscription = this.#newSubscription(connection, this.#parts.feeds.open(key, head), resumeFrom ?? head);
    connection.subscriptions.set(number, subscription);
    if (topic === 'balance' && resumeFrom === null) this.#sendBalances(connection, subscription, venue);
    else subscription.start();
  }

  #newSubscription(connection: Connection, feed: Feed, cursor: number): Subscription {
    const { outbox } = connection;
    const onLost = (sent: number): void => {
      this.#release(connection, subscription);
      connection.answer(STREAM_ENDED, endedMessage(feed.key, `what follows frame ${sent} is no longer kept`));
    };
    const subscription = new Subscription({ feed, outbox, pump: this.#parts.pump, cursor, onLost });
    return subscription;
  }

  #headOf({ account, topic, venue }: FeedKey): number {
    this.#parts.reader.refresh();
    return this.#parts.reader.feedHead(account, topic, venue);
  }

  /** Why a stream cannot go on after frame `after`; null when it can. */
  #resumeRefusal({ account, topic, venue }: FeedKey, after: number, head: number): string | null {
    const stream = `stream ${topic} of ${venue}`;
    if (after > head) return `resume_from ${after}: the latest frame of ${stream} is ${head}`;
    const tail = this.#parts.reader.feedTail(account, topic, venue);
    if (after >= tail - 1) return null;
    return `resume_from ${after}: ${stream} is kept from frame ${tail} on; subscribe again without it`;
  }

  /** The balances as they stand, then what the feed has after them. */
  #sendBalances(connection: Connection, subscription: Subscription, venue: Venue): void {
    this.#parts.balances(connection.account, venue, (result) => {
      if (subscription.isEnded) return;
      if (isRejected(result)) {
        this.#release(connection, subscription);
        return connection.answer(STREAM_ENDED, endedMessage(subscription.feed.key, result.rejection.message));
      }
      const atMs = this.#parts.clock.nowMs();
      for (const balance of result) {
        if (balance.total === 0n) continue;
        const frame = balanceSnapshotFrame({ seq: subscription.cursor, venue, balance, atMs });
        connection.outbox.push(Buffer.from(frame));
      }
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

function endedMessage({ topic, venue }: FeedKey, why: string): string {
  return `stream ${topic} of ${venue} has ended: ${why}; subscribe again`;
}
