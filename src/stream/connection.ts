import type { AccountId } from '../domain/ids.js';
import type { InstrumentIndex } from '../domain/instrument.js';
import { WS_CLOSE_WAIT_MS_MAX, WS_MESSAGES_BURST_SECONDS } from '../domain/limits/clients.js';
import { TokenBucket } from '../domain/token-bucket.js';
import type { FeedNumber } from './feeds.js';
import type { MarketSubscriber } from './tickers.js';
import type { StreamHolder } from './port.js';
import type { MarketSubscription } from './market-feeds.js';
import { Outbox, type Socket, TRY_AGAIN_LATER } from './outbox.js';
import type { Subscription } from './subscription.js';
import { type AnswerCode, answerFrame } from '../api/stream/stream-request.js';

export interface ConnectionParts {
  readonly socket: Socket;
  readonly holder: StreamHolder;
  /** Messages per second that the client may send; 0: no limit. */
  readonly messageRate: number;
  readonly nowMs: () => number;
  /** The connection ends and has no more subscriptions. */
  readonly onEnding: (connection: Connection) => void;
}

/** One client: its socket, its subscriptions, and the time of its last message. */
export class Connection {
  readonly account: AccountId;
  readonly holder: StreamHolder;
  readonly outbox: Outbox;
  readonly market: MarketSubscriber;
  readonly subscriptions = new Map<FeedNumber, Subscription>();
  /** Candles and open interest, by topic and instrument. */
  readonly marketSubscriptions = new Map<string, MarketSubscription>();
  /** Messages that the client may still send; null: no limit. */
  readonly budget: TokenBucket | null;
  heardAtMs: number;
  pingedAtMs: number;
  readonly #parts: ConnectionParts;
  #ending: { readonly code: number; readonly reason: string; readonly deadlineMs: number } | null = null;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.holder = parts.holder;
    this.account = parts.holder.account;
    this.heardAtMs = this.pingedAtMs = parts.nowMs();
    const { messageRate } = parts;
    this.budget = messageRate === 0 ? null : new TokenBucket(1000 / messageRate, 1000 * WS_MESSAGES_BURST_SECONDS);
    this.outbox = new Outbox(parts.socket, () => this.finish(TRY_AGAIN_LATER, 'too slow: subscribe with resume_from'));
    this.market = {
      socket: parts.socket,
      instruments: new Set<InstrumentIndex>(),
      isLagging: false,
      isClosed: false,
    };
  }

  /** True while it is closing, or closed. */
  get isEnding(): boolean {
    return this.#ending !== null || this.market.isClosed;
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

  answer(code: AnswerCode, message: string): void {
    this.outbox.push(Buffer.from(answerFrame(code, message)));
  }

  /**
   * Closes with a code. The socket drops a close frame after a long backlog. A slow client therefore first gets at most
   * `waitMs` to read the backlog; then the socket is terminated.
   */
  finish(code: number, reason: string, waitMs: number = WS_CLOSE_WAIT_MS_MAX): void {
    if (this.isEnding) return;
    this.outbox.flush();
    this.#ending = { code, reason, deadlineMs: this.#parts.nowMs() + waitMs };
    this.outbox.close();
    this.#parts.onEnding(this);
    this.#endWhenDrained();
  }

  /** Terminates a closing socket after its deadline; called at an interval. */
  cutWhenOverdue(nowMs: number): void {
    if (this.#ending !== null && nowMs >= this.#ending.deadlineMs && !this.market.isClosed) this.#parts.socket.close();
  }

  onDrain(): void {
    if (this.#ending !== null) return this.#endWhenDrained();
    this.outbox.onDrain();
    if (this.outbox.isClogged) return;
    for (const subscription of this.subscriptions.values()) subscription.onDrain();
    for (const subscription of this.marketSubscriptions.values()) subscription.flush();
  }

  /** The socket is closed and must not be used. */
  onClosed(): void {
    this.market.isClosed = true;
    this.outbox.close();
    if (this.#ending === null) this.#parts.onEnding(this);
  }

  #endWhenDrained(): void {
    const { socket } = this.#parts;
    if (this.#ending === null || this.market.isClosed || socket.getBufferedAmount() > 0) return;
    socket.end(this.#ending.code, this.#ending.reason);
  }
}
