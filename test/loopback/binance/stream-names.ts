import { INTERVAL_MS } from '../candles.js';
import type { Exchange } from '../exchange.js';
import type { Market } from '../market.js';

/** One market data stream that a name means. */
export type MarketStream =
  | { readonly kind: 'bookTicker' | 'aggTrade' | 'trade' | 'depthDiff'; readonly market: Market }
  | { readonly kind: 'depth'; readonly market: Market; readonly levels: number }
  | { readonly kind: 'kline'; readonly market: Market; readonly interval: string; readonly lengthMs: number }
  | { readonly kind: 'markPrice'; readonly market: Market };

/** The futures section serves streams of the book under `/public` and all others under `/market`. */
export type StreamRoute = 'public' | 'market';

const DEPTH = /^depth(5|10|20)?(@(100|250|500|1000)ms)?$/;
const KLINE = /^kline_(\w+)$/;
const MARK = /^markPrice(@1s)?$/;
const SIMPLE = ['bookTicker', 'aggTrade', 'trade'] as const;

/** Parses `btcusdt@depth5@100ms`. Returns null for a name that means no stream; the exchange ignores it silently. */
export function parseStream(exchange: Exchange, name: string): MarketStream | null {
  const at = name.indexOf('@');
  const symbol = name.slice(0, Math.max(at, 0));
  if (at === -1 || symbol !== symbol.toLowerCase()) return null;
  const market = exchange.market(symbol.toUpperCase());
  if (market === null) return null;
  const rest = name.slice(at + 1);
  const simple = SIMPLE.find((kind) => kind === rest);
  if (simple !== undefined) return { kind: simple, market };
  const depth = DEPTH.exec(rest);
  if (depth !== null) {
    return depth[1] === undefined ? { kind: 'depthDiff', market } : { kind: 'depth', market, levels: Number(depth[1]) };
  }
  const interval = KLINE.exec(rest)?.[1];
  const lengthMs = interval === undefined ? undefined : INTERVAL_MS[interval];
  if (interval !== undefined && lengthMs !== undefined) return { kind: 'kline', market, interval, lengthMs };
  return market.instrument.kind === 'linear' && MARK.test(rest) ? { kind: 'markPrice', market } : null;
}

export function routeOf({ kind }: MarketStream): StreamRoute {
  return kind === 'bookTicker' || kind === 'depth' || kind === 'depthDiff' ? 'public' : 'market';
}
