import { isRejected } from '../model/rejection.js';
import type { Connection } from './connection.js';
import type { FeedKey, Feed } from './feed.js';
import { feedNumber, type Feeds } from './feeds.js';
import type { MarketProtocol } from './market-protocol.js';
import type { StreamDeps } from './port.js';
import type { Pump } from './pump.js';
import type { RiskWatch } from './risk-watch.js';
import { hasSnapshot, type Snapshots } from './snapshots.js';
import { POLICY_VIOLATION, TRY_AGAIN_LATER } from './socket.js';
import { Subscription } from './subscription.js';
import { ACKNOWLEDGED, PONG_FRAME, STREAM_ENDED } from './topics/control.js';
import { parseStreamRequest, type StreamRequest } from './topics/request.js';

type AccountRequest = Extract<StreamRequest, { kind: 'account' }>;

export interface ProtocolParts extends Pick<StreamDeps, 'catalogue' | 'reader' | 'timers' | 'refusals'> {
  readonly feeds: Feeds;
  readonly marketProtocol: MarketProtocol;
  readonly pump: Pump;
  readonly snapshots: Snapshots;
  readonly riskWatch: RiskWatch;
}

const PONG = Buffer.from(PONG_FRAME);
const STORE_BEHIND = 'the latest events are still being stored: subscribe again with resume_from';

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
      case 'market feed':
        return this.#parts.marketProtocol.onRequest(connection, request);
      default:
        request satisfies never;
    }
  }

  /** Ends every subscription of a connection. */
  releaseAll(connection: Connection): void {
    for (const subscription of connection.subscriptions.values()) this.#release(connection, subscription);
    this.#parts.marketProtocol.leaveAll(connection);
  }

  #subscribe(connection: Connection, { topic, venue, resumeFrom, echo }: AccountRequest): void {
    const number = feedNumber(topic, venue);
    if (connection.subscriptions.has(number)) return connection.answer(ACKNOWLEDGED, echo);
    // From a store that misses the latest frames a new subscription would lose them.
    if (!this.#parts.reader.refresh()) return connection.finish(TRY_AGAIN_LATER, STORE_BEHIND);
    const key: FeedKey = { account: connection.account, topic, venue };
    const head = this.#parts.reader.feedHead(key.account, topic, venue);
    const refusal = resumeFrom === null ? null : this.#resumeRefusal(key, resumeFrom, head);
    if (refusal !== null) return connection.answer(STREAM_ENDED, refusal);
    connection.answer(ACKNOWLEDGED, echo);
    const subscription = this.#newSubscription(connection, this.#parts.feeds.open(key, head), resumeFrom ?? head);
    connection.subscriptions.set(number, subscription);
    if (topic === 'position_risk') this.#parts.riskWatch.follow(subscription.feed);
    if (resumeFrom === null) this.#sendSnapshot(connection, subscription);
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

  /** Why a stream cannot go on after frame `after`; null when it can. */
  #resumeRefusal({ account, topic, venue }: FeedKey, after: number, head: number): string | null {
    const stream = `stream ${topic} of ${venue}`;
    if (after > head) return `resume_from ${after}: the latest frame of ${stream} is ${head}`;
    const tail = this.#parts.reader.feedTail(account, topic, venue);
    if (after >= tail - 1) return null;
    return `resume_from ${after}: ${stream} is kept from frame ${tail} on; subscribe again without it`;
  }

  /** How things stand, where the topic tells that, then what the feed has after it. */
  #sendSnapshot(connection: Connection, subscription: Subscription): void {
    const { key } = subscription.feed;
    if (!hasSnapshot(key)) return subscription.start();
    this.#parts.snapshots.ask(key, subscription.cursor, (result) => {
      if (subscription.isEnded) return;
      if (isRejected(result)) {
        this.#release(connection, subscription);
        return connection.answer(STREAM_ENDED, endedMessage(key, result.rejection.message));
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

function endedMessage({ topic, venue }: FeedKey, why: string): string {
  return `stream ${topic} of ${venue} has ended: ${why}; subscribe again`;
}
