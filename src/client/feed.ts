import { EXCHANGE_BY_ID } from './frames.js';
import type { CandleInterval, Frame, Topic } from './frames.js';

export interface FeedRequest {
  readonly topic: Topic;
  readonly exchange: string;
  /** Market data only. */
  readonly symbol?: string;
  /** Topic ohlcv: how long a candle lasts, ONE_MINUTE when it is left out. One interval of a symbol at a time. */
  readonly interval?: CandleInterval;
  /** Account topics: begin with the frames whose seq is greater. */
  readonly resumeFrom?: number;
}

export type Verdict = 'DELIVER' | 'DUPLICATE' | 'GAP';

/** One subscription: what to ask for now, and which frames its consumer has seen. */
export class Feed {
  readonly key: string;
  readonly request: FeedRequest;
  readonly deliver: (frame: Frame) => void;
  /** seq of the latest frame seen; null before the first, when nothing was said about where to begin. */
  #seen: number | null;

  constructor(request: FeedRequest, deliver: (frame: Frame) => void) {
    this.request = request;
    this.deliver = deliver;
    this.key = feedKey(request.topic, request.exchange.toUpperCase(), request.symbol);
    this.#seen = request.resumeFrom ?? null;
  }

  /** The message that subscribes, at first and after each reconnect. */
  subscription(): string {
    const { topic, exchange, symbol, interval } = this.request;
    const resume = this.#seen === null ? {} : { resume_from: this.#seen };
    return JSON.stringify({ topic, exchange, symbol, interval, method: 'subscribe', ...resume });
  }

  unsubscription(): string {
    const { topic, exchange, symbol } = this.request;
    return JSON.stringify({ topic, exchange, symbol, method: 'unsubscribe' });
  }

  /** Each frame is seen once and in order; a snapshot stands for all frames up to its seq. */
  judge(frame: Frame): Verdict {
    if (!('seq' in frame)) return 'DELIVER';
    if ('snapshot' in frame && frame.snapshot) {
      this.#seen = Math.max(this.#seen ?? 0, frame.seq);
      return 'DELIVER';
    }
    if (this.#seen !== null && frame.seq <= this.#seen) return 'DUPLICATE';
    if (this.#seen !== null && frame.seq > this.#seen + 1) return 'GAP';
    this.#seen = frame.seq;
    return 'DELIVER';
  }

  /** The service no longer has what came after the last frame seen: the next subscription begins with what is new. */
  forgetPosition(): void {
    this.#seen = null;
  }
}

function feedKey(topic: string, exchange: string, symbol: string | undefined): string {
  return symbol === undefined ? `${topic} ${exchange}` : `${topic} ${exchange} ${symbol}`;
}

/** The key of the feed that a frame belongs to. */
export function feedKeyOf(frame: Frame): string {
  if ('exchange' in frame) return feedKey(frame.topic, EXCHANGE_BY_ID[frame.exchange] ?? '', frame.symbol);
  return feedKey(frame.topic, EXCHANGE_BY_ID[frame.exchange_id] ?? '', undefined);
}
