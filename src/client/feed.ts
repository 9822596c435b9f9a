import { Backoff } from './retry.js';
import { type CandleInterval, EXCHANGE_BY_ID, type Frame, type Topic } from './wire.js';

export interface FeedRequest {
  readonly topic: Topic;
  readonly exchange: string;
  /** Required for market data, absent for account topics. */
  readonly symbol?: string;
  /** Candle length for topic ohlcv; default ONE_MINUTE. A symbol has one interval at a time. */
  readonly interval?: CandleInterval;
  /** Account topics: the feed begins after the frame with this seq. */
  readonly resumeFrom?: number;
  /**
   * Topic order: the feed begins with a frame for each open order of the exchange. After a reconnect it resumes, unless
   * the connection was lost before the snapshot was complete: then a new snapshot replaces it. Not together with
   * resumeFrom.
   */
  readonly snapshot?: boolean;
}

export type Verdict = 'DELIVER' | 'DUPLICATE' | 'GAP';

/** One subscription: its request, its consumer and the seq of the latest frame delivered. */
export class Feed {
  readonly key: string;
  readonly request: FeedRequest;
  readonly deliver: (frame: Frame) => void;
  /** Delays of the subscriptions after the service has ended this feed. A frame resets them. */
  readonly backoff = new Backoff();
  /** The next of these subscriptions. */
  restart: ReturnType<typeof setTimeout> | undefined;
  /** seq of the latest frame. null before the first frame of a feed without resumeFrom. */
  #seen: number | null;
  /** A part of a snapshot has come, and its end has not. */
  #isPartial = false;

  constructor(request: FeedRequest, deliver: (frame: Frame) => void) {
    this.request = request;
    this.deliver = deliver;
    this.key = feedKey(request.topic, request.exchange.toUpperCase(), request.symbol);
    this.#seen = request.resumeFrom ?? null;
  }

  /** Message that subscribes. After a reconnect it resumes after the latest frame. */
  subscription(): string {
    const { topic, exchange, symbol, interval, snapshot } = this.request;
    const isNew = this.#seen === null || this.#isPartial;
    const begin = isNew ? { snapshot } : { resume_from: this.#seen };
    return JSON.stringify({ topic, exchange, symbol, interval, method: 'subscribe', ...begin });
  }

  unsubscription(): string {
    const { topic, exchange, symbol } = this.request;
    return JSON.stringify({ topic, exchange, symbol, method: 'unsubscribe' });
  }

  /** Checks the seq of a frame. A snapshot replaces all frames up to its seq. */
  judge(frame: Frame): Verdict {
    this.backoff.reset();
    if (!('seq' in frame)) return 'DELIVER';
    if ('snapshot' in frame && frame.snapshot) {
      this.#seen = Math.max(this.#seen ?? 0, frame.seq);
      this.#isPartial = frame.topic === 'order' && frame.snapshot_end !== true;
      return 'DELIVER';
    }
    if (this.#seen !== null && frame.seq <= this.#seen) return 'DUPLICATE';
    if (this.#seen !== null && frame.seq > this.#seen + 1) return 'GAP';
    this.#seen = frame.seq;
    return 'DELIVER';
  }

  /** Makes the next subscription begin with new frames. Used when the service no longer keeps the missing ones. */
  forgetPosition(): void {
    this.#seen = null;
  }
}

function feedKey(topic: string, exchange: string, symbol: string | undefined): string {
  return symbol === undefined ? `${topic} ${exchange}` : `${topic} ${exchange} ${symbol}`;
}

/** Key of the feed to which a frame belongs. */
export function feedKeyOf(frame: Frame): string {
  if ('exchange' in frame) return feedKey(frame.topic, EXCHANGE_BY_ID[frame.exchange] ?? '', frame.symbol);
  return feedKey(frame.topic, EXCHANGE_BY_ID[frame.exchange_id] ?? '', undefined);
}

/** The account feed that the service has ended: subscribed and acknowledged before, without frames from now on. */
export interface EndedFeed {
  readonly topic: string;
  readonly exchange: string;
}

/** A message about requests. Code 0 acknowledges the oldest open one, another code refuses it. */
export interface Acknowledgement {
  readonly code: number;
  readonly message: string;
  /** Present: the message answers no request. */
  readonly ended?: EndedFeed;
}

export function keyOfEnded({ topic, exchange }: EndedFeed): string {
  return feedKey(topic, exchange, undefined);
}
