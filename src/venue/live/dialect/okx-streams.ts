import { OKX_PING_MS } from '../../../domain/limits/live.js';
import type { CandleInterval } from '../../../domain/market-feed.js';
import { asObject, memberOf, shown } from '../json/json-fields.js';
import type { MarketTopic } from '../live-exchange.js';
import type { StreamRules } from '../market/stream-rules.js';
import { readOkxFrame } from '../normal/okx.js';

/** OKX's names of our candle intervals. Longer ones begin in Hong Kong time unless they say `utc`. */
export const OKX_INTERVALS: Readonly<Record<CandleInterval, string>> = {
  ONE_MINUTE: '1m',
  FIVE_MINUTE: '5m',
  FIFTEEN_MINUTE: '15m',
  THIRTY_MINUTE: '30m',
  ONE_HOUR: '1H',
  SIX_HOUR: '6Hutc',
  ONE_DAY: '1Dutc',
};

/** Parts of the socket host with public data. */
export type StreamRoute = 'public' | 'business';

/** Streams are named `channel:instId`. */
export const OKX_STREAMS: StreamRules<StreamRoute> = {
  venue: 'OKX',
  routes: ['public', 'business'],
  confirmsEachName: true,
  ping: { text: 'ping', everyMs: OKX_PING_MS, answer: 'pong' },
  intervals: OKX_INTERVALS,
  // Each change names the one before it.
  sequence: {
    first: ({ previousUpdateId }, snapshotId) => Number(previousUpdateId) === snapshotId,
    next: ({ previousUpdateId }, previousId) => Number(previousUpdateId) === previousId,
  },
  bookKinds: new Set(['depth']),
  streamsOf: (topic) => {
    const route = topic.kind === 'candles' ? 'business' : 'public';
    return channelsOf(topic).map((channel) => ({ route, name: `${channel}:${topic.symbol}` }));
  },
  commandText: ({ id, isSubscribe, names }) => {
    const op = isSubscribe ? 'subscribe' : 'unsubscribe';
    return JSON.stringify({ id: String(id), op, args: names.map(argumentOf) });
  },
  frameOf: (frame) => {
    const message = asObject(frame);
    const event = memberOf(message, 'event');
    const arg = asObject(memberOf(message, 'arg'));
    const name = `${String(memberOf(arg, 'channel'))}:${String(memberOf(arg, 'instId'))}`;
    if (event === undefined) return { kind: 'records', stream: name };
    if (event === 'subscribe' || event === 'unsubscribe')
      return { kind: 'confirmed', id: Number(memberOf(message, 'id')), name };
    return { kind: 'refused', message: `${shown(event)} with ${shown(memberOf(message, 'code'))}` };
  },
  recordsOf: readOkxFrame,
};

/** The argument of a subscription to a stream. */
function argumentOf(stream: string): { readonly channel: string; readonly instId: string } {
  const [channel = '', instId = ''] = stream.split(':');
  return { channel, instId };
}

/** The channels that carry a topic. A mark has its price and its funding rate in two of them. */
function channelsOf(topic: MarketTopic): readonly string[] {
  switch (topic.kind) {
    case 'topOfBook':
      return ['bbo-tbt'];
    case 'depth':
      return ['books'];
    case 'trades':
      return ['trades'];
    case 'mark':
      return ['mark-price', 'funding-rate'];
    case 'openInterest':
      return ['open-interest'];
    case 'candles':
      return [`candle${OKX_INTERVALS[topic.interval]}`];
  }
}
