import type { Instrument } from '../../model/instrument.js';
import type { OpenInterest } from '../../model/market-feed.js';
import { addNotional, formatLots, formatNotional, ZERO_NOTIONAL } from '../../model/quantity.js';
import { marketHead } from './market-head.js';

/** Frame of topic `open_interest`: base units, and their worth in quote currency at the mark price. */
export function openInterestFrame({ openInterest, markPrice, atMs }: OpenInterest, instrument: Instrument): string {
  const value = addNotional(ZERO_NOTIONAL, openInterest, markPrice);
  return (
    `${marketHead('open_interest', instrument)},"open_interest":${formatLots(openInterest, instrument)}` +
    `,"open_interest_value":${formatNotional(value, instrument)},"timestamp":${atMs}}`
  );
}
