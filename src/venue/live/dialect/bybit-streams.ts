import type { AssetCategory } from '../../../domain/exchange.js';
import type { CandleInterval } from '../../../domain/market-feed.js';
import { asObject, memberOf } from '../json/json-fields.js';
import type { MarketTopic } from '../live-exchange.js';
import type { StreamRules } from '../market/stream-rules.js';
import { readBybitFrame } from '../normal/bybit-market.js';
import type { Depth } from '../normal/records.js';
import type { BybitCategory } from './bybit-orders.js';

/*
 * Symbols and streams of Bybit. Spot and perpetuals share symbols, so the port to the exchange names a market by its
 * product and its symbol: `spot/BTCUSDT`, `linear/BTCUSDT`.
 */

/** A market as the exchange names it. */
export interface BybitMarket {
  readonly category: BybitCategory;
  readonly symbol: string;
}

export function marketName({ category, symbol }: BybitMarket): string {
  return `${category}/${symbol}`;
}

/** Throws RangeError for a name that `marketName` does not make. */
export function marketOfName(name: string): BybitMarket {
  const [category, symbol] = name.split('/');
  if ((category !== 'spot' && category !== 'linear') || symbol === undefined) throw new RangeError(`no market ${name}`);
  return { category, symbol };
}

export function categoryOfAssets(assetCategory: AssetCategory): BybitCategory {
  return assetCategory === 'SPOT' ? 'spot' : 'linear';
}

export const BYBIT_INTERVALS: Readonly<Record<CandleInterval, string>> = {
  ONE_MINUTE: '1',
  FIVE_MINUTE: '5',
  FIFTEEN_MINUTE: '15',
  THIRTY_MINUTE: '30',
  ONE_HOUR: '60',
  SIX_HOUR: '360',
  ONE_DAY: 'D',
};

/** The exchange ends a connection without an operation. It asks for one every 20 s. */
const OPERATION_PING_MS = 15_000;

/** Each product has its own part of the stream host. Books and tickers begin with a snapshot. */
export const BYBIT_STREAMS: StreamRules<BybitCategory> = {
  venue: 'BYBIT',
  routes: ['spot', 'linear'],
  namesPerMessageMax: { spot: 10, linear: 100 },
  confirmsEachName: false,
  ping: { text: JSON.stringify({ op: 'ping' }), everyMs: OPERATION_PING_MS, answer: null },
  intervals: BYBIT_INTERVALS,
  // Ids grow. The exchange does not promise that none is missing.
  sequence: {
    first: ({ lastUpdateId }, snapshotId) => Number(lastUpdateId) > snapshotId,
    next: ({ lastUpdateId }, previousId) => Number(lastUpdateId) > previousId,
  },
  bookKinds: new Set(['topOfBook', 'depth']),
  isWrong: isCrossed,
  streamsOf: (topic) => {
    const { category, symbol } = marketOfName(topic.symbol);
    const name = streamOf(topic, category, symbol);
    return name === null ? [] : [{ route: category, name }];
  },
  commandText: ({ id, isSubscribe, names }) => {
    return JSON.stringify({ req_id: String(id), op: isSubscribe ? 'subscribe' : 'unsubscribe', args: names });
  },
  frameOf: (frame) => {
    const message = asObject(frame);
    const [topic, op] = [memberOf(message, 'topic'), memberOf(message, 'op')];
    if (typeof topic === 'string') return { kind: 'records', stream: topic };
    if (op !== 'subscribe' && op !== 'unsubscribe') return null;
    const id = Number(memberOf(message, 'req_id'));
    if (memberOf(message, 'success') !== true) return { kind: 'refused', message: 'a message was refused', id };
    return { kind: 'confirmed', id };
  },
  recordsOf: readBybitFrame,
};

/** The name of the topic's stream; null: the product has none. Mark price and open interest share one. */
function streamOf(topic: MarketTopic, category: BybitCategory, symbol: string): string | null {
  switch (topic.kind) {
    case 'topOfBook':
      return `orderbook.1.${symbol}`;
    case 'depth':
      return `orderbook.50.${symbol}`;
    case 'trades':
      return `publicTrade.${symbol}`;
    case 'candles':
      return `kline.${BYBIT_INTERVALS[topic.interval]}.${symbol}`;
    case 'mark':
    case 'openInterest':
      return category === 'linear' ? `tickers.${symbol}` : null;
  }
}

/** True for a book that cannot be right: a change is missing. */
function isCrossed({ bids, asks }: Depth): boolean {
  const [bid, ask] = [bids[0], asks[0]];
  return bid !== undefined && ask !== undefined && Number(bid.price) >= Number(ask.price);
}
