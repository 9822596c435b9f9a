import type { OrRejection } from '../../../domain/rejection.js';
import type { CandleRange, FundingRange, LiveMarketData, MarketTopic } from '../live-exchange.js';
import type { CandleRecord, FundingRecord } from '../normal/records.js';

/** Requests for past market data of one exchange. */
export type MarketHistory = Pick<LiveMarketData, 'candles' | 'fundingRates'>;

/** The subscribed topics of one exchange. */
interface TopicStreams {
  subscribe(topic: MarketTopic): void;
  unsubscribe(topic: MarketTopic): void;
  close(): void;
}

/** Public data of one exchange: its streams, and requests for the past. */
export class MarketData implements LiveMarketData {
  readonly #streams: TopicStreams;
  readonly #history: MarketHistory;

  constructor(streams: TopicStreams, history: MarketHistory) {
    this.#streams = streams;
    this.#history = history;
  }

  subscribe(topic: MarketTopic): void {
    this.#streams.subscribe(topic);
  }

  unsubscribe(topic: MarketTopic): void {
    this.#streams.unsubscribe(topic);
  }

  candles(range: CandleRange): Promise<OrRejection<readonly CandleRecord[]>> {
    return this.#history.candles(range);
  }

  fundingRates(range: FundingRange): Promise<OrRejection<readonly FundingRecord[]>> {
    return this.#history.fundingRates(range);
  }

  close(): void {
    this.#streams.close();
  }
}
