import type { FeedKey } from '../domain/event.js';
import type { AccountId } from '../domain/ids.js';
import type { InstrumentIndex } from '../domain/instrument.js';
import { WS_MESSAGES_BURST_SECONDS, WS_PRIVATE_BACKLOG_BYTES_MAX } from '../domain/limits/clients.js';
import { TokenBucket } from '../domain/token-bucket.js';
import type { FeedNumber } from './feeds.js';
import type { MarketSubscriber } from './tickers.js';
import type { StreamHolder } from './port.js';
import type { MarketSubscription } from './market-feeds.js';
import type { FlushSoon, Socket } from './outbox.js';
import { Peer } from './peer.js';
import type { Subscription } from './subscription.js';
import { type AnswerCode, answerFrame, streamEndedFrame } from '../api/stream/stream-request.js';

export interface ConnectionParts {
  readonly socket: Socket;
  readonly holder: StreamHolder;
  /** Messages per second that the client may send; 0: no limit. */
  readonly messageRate: number;
  readonly nowMs: () => number;
  /** Sends waiting frames of the account's sockets in turn. */
  readonly flushSoon: FlushSoon;
  /** The connection ends and has no more subscriptions. */
  readonly onEnding: (connection: Connection) => void;
}

/** One client of the streams and its subscriptions. */
export class Connection extends Peer {
  readonly account: AccountId;
  readonly holder: StreamHolder;
  readonly market: MarketSubscriber;
  readonly subscriptions = new Map<FeedNumber, Subscription>();
  /** Candles and open interest, by topic and instrument. */
  readonly marketSubscriptions = new Map<string, MarketSubscription>();
  /** Requests that wait for the store. Later ones wait behind them. */
  waitingCount = 0;
  /** Messages that the client may still send; null: no limit. */
  readonly budget: TokenBucket | null;
  readonly #parts: ConnectionParts;

  constructor(parts: ConnectionParts) {
    const { socket, nowMs, flushSoon } = parts;
    const tooSlow = 'too slow: subscribe with resume_from';
    super({ socket, nowMs, backlogBytesMax: WS_PRIVATE_BACKLOG_BYTES_MAX, tooSlow, flushSoon });
    this.#parts = parts;
    this.holder = parts.holder;
    this.account = parts.holder.account;
    const { messageRate } = parts;
    this.budget = messageRate === 0 ? null : new TokenBucket(1000 / messageRate, 1000 * WS_MESSAGES_BURST_SECONDS);
    this.market = {
      socket: parts.socket,
      instruments: new Set<InstrumentIndex>(),
      isLagging: false,
      isClosed: false,
    };
  }

  /** Number of subscriptions that count towards the market data cap. */
  get marketSubscriptionCount(): number {
    return this.market.instruments.size + this.marketSubscriptions.size;
  }

  /** The topic of each subscription. */
  *topics(): Generator<string> {
    for (const { feed } of this.subscriptions.values()) yield feed.key.topic;
    for (const _ of this.market.instruments) yield 'ticker';
    for (const { feed } of this.marketSubscriptions.values()) yield feed.kind === 'candles' ? 'ohlcv' : 'open_interest';
  }

  /** Sends waiting frames of one of its queues. */
  flushSoon(flush: () => void): void {
    this.#parts.flushSoon(flush);
  }

  answer(code: AnswerCode, message: string): void {
    this.outbox.push(Buffer.from(answerFrame(code, message)));
  }

  /** Tells the client that a stream has ended after its acknowledgement. */
  noteEnded({ topic, venue }: FeedKey, why: string): void {
    this.outbox.push(Buffer.from(streamEndedFrame(topic, venue, why)));
  }

  override onDrain(): void {
    super.onDrain();
    if (this.isEnding || this.outbox.isClogged) return;
    for (const subscription of this.subscriptions.values()) subscription.onDrain();
    for (const subscription of this.marketSubscriptions.values()) subscription.flush();
  }

  override onClosed(): void {
    this.market.isClosed = true;
    super.onClosed();
  }

  protected onEnding(): void {
    this.#parts.onEnding(this);
  }
}
