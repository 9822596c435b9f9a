import {
  ACKNOWLEDGED,
  parseStreamRequest,
  PONG_FRAME,
  STREAM_ENDED,
  type StreamRequest,
} from '../api/stream/stream-request.js';
import type { FeedKey } from '../domain/event.js';
import { isRejected } from '../domain/rejection.js';
import type { WhenComplete } from '../journal/complete-reads.js';
import type { StateSnapshot } from '../journal/port.js';
import { hasSnapshot, type RiskWatch, type Snapshots } from './account-snapshots.js';
import type { Connection } from './connection.js';
import { type FeedNumber, feedNumber, type Feeds } from './feeds.js';
import type { MarketProtocol } from './market-protocol.js';
import { POLICY_VIOLATION, TRY_AGAIN_LATER } from './outbox.js';
import type { StreamDeps } from './port.js';
import type { Pump } from './pump.js';
import type { Feed } from './feed.js';
import { type OpenOrderReadings, OpenOrders } from './open-orders.js';
import { RequestOrder, STORE_BEHIND } from './request-order.js';
import { Subscription } from './subscription.js';

type AccountRequest = Extract<StreamRequest, { kind: 'account' }>;

interface ProtocolParts extends Pick<StreamDeps, 'catalogue' | 'reader' | 'followed' | 'timers' | 'refusals'> {
  readonly feeds: Feeds;
  readonly marketProtocol: MarketProtocol;
  readonly pump: Pump;
  readonly snapshots: Snapshots;
  readonly riskWatch: RiskWatch;
  readonly whenComplete: WhenComplete;
  /** An internal error has ended a request that waited. */
  readonly onFailure: (connection: Connection, error: unknown) => void;
}

const PONG = Buffer.from(PONG_FRAME);

/**
 * Handles client messages. Each subscribe and unsubscribe is acknowledged, in order, before any frame that it causes.
 * The notice of an ended stream may come between two acknowledgements.
 */
export class Protocol {
  readonly #parts: ProtocolParts;
  readonly #readings: OpenOrderReadings = { count: 0 };
  readonly #requests: RequestOrder;

  constructor(parts: ProtocolParts) {
    this.#parts = parts;
    this.#requests = new RequestOrder(parts);
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
        return this.#requests.inOrder(connection, () => connection.answer(request.code, request.message));
      case 'account':
        if (request.method === 'subscribe') return this.#subscribe(connection, request);
        return this.#requests.inOrder(connection, () => this.#unsubscribe(connection, request));
      case 'ticker':
      case 'market feed':
        return this.#requests.inOrder(connection, () => this.#parts.marketProtocol.onRequest(connection, request));
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
    // The feed's head is read while the account is followed, so that no event falls between the two.
    this.#parts.followed.add(account);
    let isLate = false;
    this.#requests.whenStored(
      connection,
      (snapshot) => {
        if (connection.subscriptions.has(number)) return connection.answer(ACKNOWLEDGED, request.echo);
        const feed = this.#open(connection, request, number, snapshot);
        if (isLate && feed !== null) this.#parts.feeds.catchUp(feed);
      },
      () => this.#parts.followed.remove(account),
    );
    isLate = true;
  }

  /** Returns the feed of the subscription; null: it is refused. */
  #open(connection: Connection, request: AccountRequest, number: FeedNumber, snapshot: StateSnapshot): Feed | null {
    const { topic, venue, resumeFrom, withOpenOrders, echo } = request;
    const key: FeedKey = { account: connection.account, topic, venue };
    const head = snapshot.feedHead(key);
    const refusal = resumeFrom === null ? null : this.#resumeRefusal(key, resumeFrom, head);
    if (refusal !== null) {
      connection.answer(STREAM_ENDED, refusal);
      return null;
    }
    connection.answer(ACKNOWLEDGED, echo);
    const subscription = this.#newSubscription(connection, this.#parts.feeds.open(key, head), resumeFrom ?? head);
    connection.subscriptions.set(number, subscription);
    if (topic === 'position_risk') this.#parts.riskWatch.follow(subscription.feed);
    if (withOpenOrders) subscription.startWith(this.#openOrdersOf(key));
    else if (resumeFrom === null) this.#sendSnapshot(connection, subscription);
    else subscription.start();
    return subscription.feed;
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
    const { pump, whenComplete } = this.#parts;
    const subscription = new Subscription({ feed, outbox, pump, whenComplete, cursor, onLost, onBehind });
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
