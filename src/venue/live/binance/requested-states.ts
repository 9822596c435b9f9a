import {
  BOOK_SNAPSHOT_LEVELS,
  MARKET_REQUEST_AGAIN_MS,
  MARKET_REQUESTS_MAX,
  OPEN_INTEREST_GAP_MS,
  STREAM_CHECK_MS,
} from '../../../domain/limits/live.js';
import { OPEN_INTEREST_UPDATE_MS } from '../../../domain/limits/trading.js';
import { isRejected } from '../../../domain/rejection.js';
import type { EpochMs } from '../../../domain/time.js';
import type { BinanceMarketDialect } from '../dialect/binance-streams.js';
import { type MarketTopic, topicKey } from '../live-exchange.js';
import { readBinanceBookTicker, readBinanceDepth, readBinanceOpenInterest } from '../normal/binance-market.js';
import type { ReportFinding } from '../normal/message.js';
import type { MarketRecord } from '../normal/records.js';
import type { BinanceRequests } from './binance-requests.js';

export interface RequestedStatesParts {
  readonly dialect: BinanceMarketDialect;
  readonly requests: Pick<BinanceRequests, 'read'>;
  readonly nowMs: () => EpochMs;
  readonly onFinding: ReportFinding;
  /** True for a quote or a book that still lacks its present state. */
  readonly isMissing: (topic: MarketTopic) => boolean;
  /** Takes an answer. False: it does not give the state, and is requested again. */
  readonly take: (topic: MarketTopic, record: MarketRecord) => boolean;
}

interface Requested {
  readonly topic: MarketTopic;
  atMs: number;
  isUnderWay: boolean;
}

/** What Binance tells on request alone: the present state of quotes and books, and open interest again and again. */
export class RequestedStates {
  readonly #parts: RequestedStatesParts;
  readonly #requested = new Map<string, Requested>();
  readonly #timer: NodeJS.Timeout;
  #underWayCount = 0;
  #openInterestAtMs = 0;

  constructor(parts: RequestedStatesParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => this.#advance(parts.nowMs()), STREAM_CHECK_MS);
  }

  request(topic: MarketTopic): void {
    const known = this.#requested.get(topicKey(topic));
    if (known === undefined) this.#requested.set(topicKey(topic), { topic, atMs: 0, isUnderWay: false });
    else known.atMs = 0;
  }

  forget(topic: MarketTopic): void {
    this.#requested.delete(topicKey(topic));
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #advance(nowMs: EpochMs): void {
    for (const requested of this.#requested.values()) {
      if (this.#underWayCount >= MARKET_REQUESTS_MAX) return;
      const { topic, isUnderWay, atMs } = requested;
      if (isUnderWay || atMs > nowMs) continue;
      if (topic.kind === 'openInterest') {
        if (nowMs < this.#openInterestAtMs) continue;
        this.#openInterestAtMs = nowMs + OPEN_INTEREST_GAP_MS;
      } else if (!this.#parts.isMissing(topic)) {
        // The stream has delivered it, or is cut: it asks again when it has begun.
        this.forget(topic);
        continue;
      }
      void this.#ask(requested);
    }
  }

  async #ask(requested: Requested): Promise<void> {
    const { topic } = requested;
    this.#underWayCount += 1;
    requested.isUnderWay = true;
    requested.atMs = Infinity;
    const answer = await this.#parts.requests.read(...this.#callOf(topic));
    this.#underWayCount -= 1;
    requested.isUnderWay = false;
    if (this.#requested.get(topicKey(topic)) !== requested) return;
    const isTaken = !isRejected(answer) && this.#take(topic, answer);
    const nowMs = this.#parts.nowMs();
    if (topic.kind === 'openInterest') requested.atMs = nowMs + OPEN_INTEREST_UPDATE_MS;
    else if (!isTaken) requested.atMs = nowMs + MARKET_REQUEST_AGAIN_MS;
    // A gap during the request has asked again.
    else if (requested.atMs === Infinity) this.forget(topic);
  }

  #callOf({ kind, symbol }: MarketTopic): Parameters<BinanceRequests['read']> {
    const { calls } = this.#parts.dialect;
    if (kind === 'depth') return [calls.depth, { symbol, limit: String(BOOK_SNAPSHOT_LEVELS) }];
    return [kind === 'openInterest' ? calls.openInterest! : calls.bookTicker, { symbol }];
  }

  #take(topic: MarketTopic, answer: unknown): boolean {
    const { onFinding, isMissing, take } = this.#parts;
    // The stream may have delivered a newer quote. After a cut the next beginning of the stream asks again.
    if (topic.kind !== 'openInterest' && !isMissing(topic)) return true;
    const record = recordOf(topic, answer, onFinding);
    return record !== null && take(topic, record);
  }
}

function recordOf({ kind, symbol }: MarketTopic, answer: unknown, report: ReportFinding): MarketRecord | null {
  if (kind === 'openInterest') return readBinanceOpenInterest(answer, report);
  return kind === 'depth' ? readBinanceDepth(answer, symbol, report) : readBinanceBookTicker(answer, report);
}
