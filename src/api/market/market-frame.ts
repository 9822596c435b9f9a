import { quote } from '../field/json-text.js';
import { type Candle, CANDLE_INTERVAL_MS, type CandleInterval, type OpenInterest } from '../../domain/market-feed.js';
import { ASSET_CLASS_IDS, EXCHANGE_IDS } from '../../domain/exchange.js';
import type { Instrument } from '../../domain/instrument.js';
import type { Market } from '../../domain/market.js';
import { addNotional, formatLots, formatNotional, formatTicks, ZERO_NOTIONAL } from '../../domain/quantity.js';

interface ShownCandle {
  readonly interval: CandleInterval;
  readonly candle: Candle;
  /** True when its time is over: it will not change again. */
  readonly isClosed: boolean;
}

/**
 * Frame of topic `ohlcv`. The candle covers the trades from open_time until before close_time; `last` is its latest
 * price.
 */
export function ohlcvFrame({ interval, candle, isClosed }: ShownCandle, instrument: Instrument): string {
  const close = formatTicks(candle.close, instrument);
  return (
    `${marketHead('ohlcv', instrument)},"open":${formatTicks(candle.open, instrument)}` +
    `,"high":${formatTicks(candle.high, instrument)},"low":${formatTicks(candle.low, instrument)}` +
    `,"close":${close},"volume":${formatLots(candle.volume, instrument)},"last":${close}` +
    `,"open_time":${candle.openAtMs},"close_time":${candle.openAtMs + CANDLE_INTERVAL_MS[interval]}` +
    `,"interval":"${interval}","closed":${isClosed}}`
  );
}

/** The constant part of the frame; rendered once per instrument. */
export function tickerHead(instrument: Instrument): string {
  return marketHead('ticker', instrument);
}

/** Frame of topic `ticker`: best bid and ask. An empty side has quantity 0 and no price. */
export function tickerFrame(head: string, market: Market, instrument: Instrument): string {
  const bid = market.bid > 0 ? `,"bid":${formatTicks(market.bid, instrument)}` : '';
  const ask = market.ask > 0 ? `,"ask":${formatTicks(market.ask, instrument)}` : '';
  return (
    `${head}${bid}${ask},"bid_qty":${formatLots(market.bidQuantity, instrument)}` +
    `,"ask_qty":${formatLots(market.askQuantity, instrument)},"timestamp":${market.atMs}}`
  );
}

/** True when the tickers of both markets are equal. */
export function isSameTicker(one: Market, other: Market): boolean {
  return (
    one.bid === other.bid &&
    one.ask === other.ask &&
    one.bidQuantity === other.bidQuantity &&
    one.askQuantity === other.askQuantity
  );
}

/** Frame of topic `open_interest`: base units, and their value in quote currency at the mark price. */
export function openInterestFrame({ openInterest, markPrice, atMs }: OpenInterest, instrument: Instrument): string {
  const value = addNotional(ZERO_NOTIONAL, openInterest, markPrice);
  return (
    `${marketHead('open_interest', instrument)},"open_interest":${formatLots(openInterest, instrument)}` +
    `,"open_interest_value":${formatNotional(value, instrument)},"timestamp":${atMs}}`
  );
}

/** The common start of every frame of a market data topic, without its closing brace. */
function marketHead(topic: string, instrument: Instrument): string {
  const assetClass = ASSET_CLASS_IDS[instrument.assetCategory];
  const exchange = EXCHANGE_IDS[instrument.venue];
  return `{"topic":"${topic}","symbol":${quote(instrument.symbol)},"exchange":${exchange},"asset_class":${assetClass}`;
}
