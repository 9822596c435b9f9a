import { multiply, type Units } from './decimal.js';
import type { Market, PublicTrade } from './market.js';

/** One candle. Times are the first and the last millisecond of its period. */
export interface Candle {
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: Units;
  readonly high: Units;
  readonly low: Units;
  readonly close: Units;
  readonly volume: Units;
  readonly quoteVolume: Units;
  readonly takerBuyVolume: Units;
  readonly takerBuyQuoteVolume: Units;
  readonly tradeCount: number;
  readonly firstTradeId: number;
  readonly lastTradeId: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Lengths by name. The month is left out: it has no fixed length. */
export const INTERVAL_MS: Readonly<Record<string, number>> = {
  '1s': SECOND,
  '1m': MINUTE,
  '3m': 3 * MINUTE,
  '5m': 5 * MINUTE,
  '15m': 15 * MINUTE,
  '30m': 30 * MINUTE,
  '1h': HOUR,
  '2h': 2 * HOUR,
  '4h': 4 * HOUR,
  '6h': 6 * HOUR,
  '8h': 8 * HOUR,
  '12h': 12 * HOUR,
  '1d': DAY,
  '3d': 3 * DAY,
  '1w': 7 * DAY,
};

/** 1970-01-01 was a Thursday; weeks start on Monday. */
const MONDAY_MS = 4 * DAY;

export function openTime(atMs: number, lengthMs: number): number {
  const offset = lengthMs === 7 * DAY ? MONDAY_MS : 0;
  return Math.floor((atMs - offset) / lengthMs) * lengthMs + offset;
}

/** The candle that holds a time, from the trades of the market. Without trades it repeats the last price before it. */
export function candleAt(market: Market, atMs: number, lengthMs: number): Candle {
  return series(market, { firstMs: openTime(atMs, lengthMs), count: 1, lengthMs })[0]!;
}

/** Candles of a period, oldest first: from its start when it has one, else the last ones before its end. */
export function candles(
  market: Market,
  { lengthMs, fromMs, toMs, limit }: { lengthMs: number; fromMs: number | null; toMs: number; limit: number },
): readonly Candle[] {
  const last = openTime(toMs, lengthMs);
  const firstMs = fromMs === null ? last - (limit - 1) * lengthMs : openTime(fromMs + lengthMs - 1, lengthMs);
  const count = Math.min(limit, Math.floor((last - firstMs) / lengthMs) + 1);
  return series(market, { firstMs, count: Math.max(0, count), lengthMs });
}

/**
 * Candles one after the other, with one look at each trade: a market keeps thousands, and a request has a thousand
 * candles.
 */
function series(
  { trades, instrument }: Market,
  { firstMs, count, lengthMs }: { readonly firstMs: number; readonly count: number; readonly lengthMs: number },
): Candle[] {
  const byOpenMs = new Map<number, PublicTrade[]>();
  const endMs = firstMs + count * lengthMs;
  let before = instrument.startPrice;
  for (const trade of trades) {
    if (trade.atMs < firstMs) before = trade.price;
    else if (trade.atMs < endMs) {
      const openMs = openTime(trade.atMs, lengthMs);
      const traded = byOpenMs.get(openMs);
      if (traded === undefined) byOpenMs.set(openMs, [trade]);
      else traded.push(trade);
    }
  }
  return Array.from({ length: count }, (_, index) => {
    const openMs = firstMs + index * lengthMs;
    const candle = candleOf(byOpenMs.get(openMs) ?? [], { openMs, closeMs: openMs + lengthMs - 1, before });
    before = candle.close;
    return candle;
  });
}

/** `before`: the last price before the candle. */
function candleOf(
  trades: readonly PublicTrade[],
  { openMs, closeMs, before }: { readonly openMs: number; readonly closeMs: number; readonly before: Units },
): Candle {
  const prices = trades.map(({ price }) => price);
  const takerBuys = trades.filter(({ isBuyerMaker }) => !isBuyerMaker);
  return {
    openMs,
    closeMs,
    open: prices[0] ?? before,
    high: prices.reduce((most, price) => (price > most ? price : most), prices[0] ?? before),
    low: prices.reduce((least, price) => (price < least ? price : least), prices[0] ?? before),
    close: prices.at(-1) ?? before,
    volume: total(trades, ({ quantity }) => quantity),
    quoteVolume: total(trades, ({ price, quantity }) => multiply(price, quantity)),
    takerBuyVolume: total(takerBuys, ({ quantity }) => quantity),
    takerBuyQuoteVolume: total(takerBuys, ({ price, quantity }) => multiply(price, quantity)),
    tradeCount: trades.length,
    firstTradeId: trades[0]?.id ?? -1,
    lastTradeId: trades.at(-1)?.id ?? -1,
  };
}

function total(trades: readonly PublicTrade[], value: (trade: PublicTrade) => Units): Units {
  return trades.reduce((sum, trade) => sum + value(trade), 0n);
}
