import type { AccountId } from '../model/ids.js';
import type { InstrumentIndex } from '../model/instrument.js';
import { WS_CLOSE_WAIT_MS_MAX } from '../model/limits.js';
import type { FeedNumber } from './feeds.js';
import type { MarketSubscriber } from './market-board.js';
import type { StreamHolder } from './port.js';
import type { MarketSubscription } from './market-subscription.js';
import { MessageBudget } from './message-budget.js';
import { Outbox } from './outbox.js';
import { type Socket, TRY_AGAIN_LATER } from './socket.js';
import type { Subscription } from './subscription.js';
import { type AnswerCode, answerFrame } from './topics/control.js';

export interface ConnectionParts {
  readonly socket: Socket;
  readonly holder: StreamHolder;
  /** Messages a second the client may send; 0 = no limit. */
  readonly messageRate: number;
  readonly nowMs: () => number;
  /** The connection is over: it holds no subscription from here on. */
  readonly onEnding: (connection: Connection) => void;
}

/** One client: its socket, what it is subscribed to, and when it was last heard of. */
export class Connection {
  readonly account: AccountId;
  readonly holder: StreamHolder;
  readonly outbox: Outbox;
  readonly market: MarketSubscriber;
  readonly subscriptions = new Map<FeedNumber, Subscription>();
  /** Candles and open interest, by topic and instrument. */
  readonly marketSubscriptions = new Map<string, MarketSubscription>();
  readonly budget: MessageBudget;
  heardAtMs: number;
  pingedAtMs: number;
  readonly #parts: ConnectionParts;
  #ending: { readonly code: number; readonly reason: string; readonly deadlineMs: number } | null = null;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    this.holder = parts.holder;
    this.account = parts.holder.account;
    this.heardAtMs = this.pingedAtMs = parts.nowMs();
    this.budget = new MessageBudget(parts.messageRate, this.heardAtMs);
    this.outbox = new Outbox(parts.socket, () => this.finish(TRY_AGAIN_LATER, 'too slow: subscribe with resume_from'));
    this.market = {
      socket: parts.socket,
      instruments: new Set<InstrumentIndex>(),
      isLagging: false,
      isClosed: false,
    };
  }

  /** True when it is being closed, or is closed. */
  get isEnding(): boolean {
    return this.#ending !== null || this.market.isClosed;
  }

  /** What counts towards the cap of market data. */
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
   * Closes with a code. A close frame behind a long backlog would be dropped by the socket, so a slow client first
   * gets the time to read what the socket already holds, `waitMs` at most; then it is cut.
   */
  finish(code: number, reason: string, waitMs: number = WS_CLOSE_WAIT_MS_MAX): void {
    if (this.isEnding) return;
    this.outbox.flush();
    this.#ending = { code, reason, deadlineMs: this.#parts.nowMs() + waitMs };
    this.outbox.close();
    this.#parts.onEnding(this);
    this.#endWhenDrained();
  }

  /** Cuts a socket that was given its time; called now and then. */
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

  /** The socket is gone and must not be touched. */
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
