import type { Ticks } from '../../../src/domain/quantity.js';
import type { AggregateTrade } from '../aggregate-trades.js';
import { candleAt } from '../candles.js';
import { formatUnits } from '../decimal.js';
import type { Market, PublicTrade } from '../market.js';
import { writeLevels, writerOf } from './market-data.js';

/** Contract kind of the futures frames: 1 for a perpetual. */
const PERPETUAL = 1;
const HOUR_MS = 3_600_000;
const FUNDING_HOURS = 8;

function isLinear({ instrument }: Market): boolean {
  return instrument.kind === 'linear';
}

export function bookTickerFrame(market: Market, nowMs: number): object {
  const [bid] = market.depth('BUY', 1);
  const [ask] = market.depth('SELL', 1);
  const write = writerOf(market);
  const { symbol } = market.instrument;
  const quotes = {
    b: write.price(bid?.[0] ?? 0n),
    B: write.quantity(bid?.[1] ?? 0n),
    a: write.price(ask?.[0] ?? 0n),
    A: write.quantity(ask?.[1] ?? 0n),
  };
  if (!isLinear(market)) return { u: market.updateId, s: symbol, ...quotes };
  return { e: 'bookTicker', u: market.updateId, E: nowMs, T: nowMs, s: symbol, ps: symbol, ...quotes, st: PERPETUAL };
}

export function tradeFrame(market: Market, trade: PublicTrade, nowMs: number): object {
  const write = writerOf(market);
  return {
    e: 'trade',
    E: nowMs,
    s: market.instrument.symbol,
    t: trade.id,
    p: write.price(trade.price),
    q: write.quantity(trade.quantity),
    T: trade.atMs,
    m: trade.isBuyerMaker,
    ...(isLinear(market) ? { X: 'MARKET' } : { M: true }),
  };
}

export function aggTradeFrame(market: Market, trade: AggregateTrade, nowMs: number): object {
  const write = writerOf(market);
  const quantity = write.quantity(trade.quantity);
  return {
    e: 'aggTrade',
    E: nowMs,
    s: market.instrument.symbol,
    a: trade.id,
    p: write.price(trade.price),
    q: quantity,
    ...(isLinear(market) && { nq: quantity }),
    f: trade.firstTradeId,
    l: trade.lastTradeId,
    T: trade.atMs,
    m: trade.isBuyerMaker,
    ...(isLinear(market) ? { st: PERPETUAL } : { M: true }),
  };
}

/** Changes of the book between two flushes: `U` is the first update id and `u` the last. */
export interface BookChanges {
  readonly firstId: number;
  readonly lastId: number;
  /** Last id of the flush before. */
  readonly previousId: number;
  readonly bids: readonly Ticks[];
  readonly asks: readonly Ticks[];
}

export function depthDiffFrame(market: Market, changes: BookChanges, nowMs: number): object {
  const { symbol } = market.instrument;
  const levels = {
    b: writeLevels(
      market,
      changes.bids.map((price) => market.levelAt('BUY', price)),
    ),
    a: writeLevels(
      market,
      changes.asks.map((price) => market.levelAt('SELL', price)),
    ),
  };
  const ids = { U: changes.firstId, u: changes.lastId };
  if (!isLinear(market)) return { e: 'depthUpdate', E: nowMs, s: symbol, ...ids, ...levels };
  const head = { e: 'depthUpdate', E: nowMs, T: nowMs, s: symbol, ps: symbol, st: PERPETUAL };
  return { ...head, ...ids, pu: changes.previousId, ...levels };
}

export function depthFrame(
  market: Market,
  { levels, changes }: { levels: number; changes: BookChanges },
  nowMs: number,
): object {
  const bids = writeLevels(market, market.depth('BUY', levels));
  const asks = writeLevels(market, market.depth('SELL', levels));
  if (!isLinear(market)) return { lastUpdateId: market.updateId, bids, asks };
  return { ...depthDiffFrame(market, { ...changes, bids: [], asks: [] }, nowMs), b: bids, a: asks };
}

export function klineFrame(
  market: Market,
  { interval, lengthMs }: { interval: string; lengthMs: number },
  nowMs: number,
): object {
  const write = writerOf(market);
  const candle = candleAt(market, nowMs, lengthMs);
  const { symbol } = market.instrument;
  return {
    e: 'kline',
    E: nowMs,
    s: symbol,
    k: {
      t: candle.openMs,
      T: candle.closeMs,
      s: symbol,
      i: interval,
      f: candle.firstTradeId,
      L: candle.lastTradeId,
      o: write.price(candle.open),
      c: write.price(candle.close),
      h: write.price(candle.high),
      l: write.price(candle.low),
      v: write.quantity(candle.volume),
      n: candle.tradeCount,
      x: nowMs >= candle.closeMs,
      q: formatUnits(candle.quoteVolume),
      V: write.quantity(candle.takerBuyVolume),
      Q: formatUnits(candle.takerBuyQuoteVolume),
      B: '0',
    },
  };
}

export function markPriceFrame(market: Market, nowMs: number): object {
  const price = formatUnits(market.lastPrice);
  return {
    e: 'markPriceUpdate',
    E: nowMs,
    s: market.instrument.symbol,
    p: price,
    ap: price,
    P: price,
    i: price,
    r: FUNDING_RATE,
    T: nextFunding(nowMs),
    st: PERPETUAL,
  };
}

export const FUNDING_RATE = '0.00010000';

/** Funding is paid at 00:00, 08:00 and 16:00 UTC. */
export function nextFunding(nowMs: number): number {
  return Math.floor(nowMs / (FUNDING_HOURS * HOUR_MS) + 1) * FUNDING_HOURS * HOUR_MS;
}
