import type { BinanceMarketDialect, StreamRoute } from '../dialect/binance-streams.js';
import type { MarketTopic } from '../live-exchange.js';
import { StreamMarket, type StreamMarketParts } from '../market/stream-market.js';
import type { BinanceRequests } from './binance-requests.js';
import { RequestedStates } from './requested-states.js';

type Parts = Omit<StreamMarketParts<StreamRoute>, 'rules' | 'onMissing'> & {
  readonly dialect: BinanceMarketDialect;
  readonly requests: Pick<BinanceRequests, 'read'>;
};

/** The subscribed topics of one section of Binance: combined streams, and requests for present states. */
export class BinanceTopics {
  readonly #streams: StreamMarket<StreamRoute>;
  readonly #requested: RequestedStates;

  constructor(parts: Parts) {
    const { dialect, nowMs, events } = parts;
    this.#requested = new RequestedStates({
      ...parts,
      isMissing: (topic) => this.#streams.isMissing(topic),
      take: (topic, record) => {
        if (topic.kind !== 'openInterest') return this.#streams.takeState(topic, record);
        events.onRecord(record, nowMs());
        return true;
      },
    });
    const onMissing = (topic: MarketTopic): void => this.#requested.request(topic);
    this.#streams = new StreamMarket({ ...parts, rules: dialect.streams, onMissing });
  }

  subscribe(topic: MarketTopic): void {
    if (topic.kind === 'openInterest') this.#requested.request(topic);
    else this.#streams.subscribe(topic);
  }

  unsubscribe(topic: MarketTopic): void {
    this.#requested.forget(topic);
    this.#streams.unsubscribe(topic);
  }

  close(): void {
    this.#requested.close();
    this.#streams.close();
  }
}
