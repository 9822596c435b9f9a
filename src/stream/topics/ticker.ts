import type { Instrument } from '../../model/instrument.js';
import type { Market } from '../../model/market.js';
import { formatLots, formatTicks } from '../../model/quantity.js';
import { marketHead } from './market-head.js';

/** What of the frame never changes; rendered once an instrument. */
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

/** True when a subscriber to the ticker could see a difference. */
export function isSameTicker(one: Market, other: Market): boolean {
  return (
    one.bid === other.bid &&
    one.ask === other.ask &&
    one.bidQuantity === other.bidQuantity &&
    one.askQuantity === other.askQuantity
  );
}
