import { WHOLE_PPM_OF_PERCENT } from '../../model/clip.js';
import type { Instrument } from '../../model/instrument.js';
import { TRADING_STYLES, type TradingStyle, type Would } from '../../model/order.js';
import { isRejected, reject, type OrRejection } from '../../model/rejection.js';
import { PERCENT_PRECISION } from './clip.js';
import { isAbsent, type JsonObject } from './json-field.js';
import { parseChoice, parseFlag, parseNumber } from './param-field.js';
import { parsePrice } from './price.js';

const PERCENT = {
  precision: PERCENT_PRECISION,
  least: 1,
  most: WHOLE_PPM_OF_PERCENT,
  rule: 'a percentage above 0 and up to 100',
};

/** Reads WouldInfo: a price or the arrival price, all of the order and the order's own style unless it says otherwise. */
export function parseWould(would: JsonObject, style: TradingStyle, instrument: Instrument): OrRejection<Would> {
  const given = would['would_price'];
  const price = isAbsent(given)
    ? null
    : parsePrice(given, 'params.would.would_price', 'INVALID_WOULD_PRICE', instrument);
  if (isRejected(price)) return price;
  const ppmOfPercent = parseNumber(would, 'params.would.would_pct', PERCENT, WHOLE_PPM_OF_PERCENT);
  if (isRejected(ppmOfPercent)) return ppmOfPercent;
  const ownStyle = parseChoice(would, 'params.would.would_style', TRADING_STYLES, style);
  if (isRejected(ownStyle)) return ownStyle;
  const isArrival = parseFlag(would, 'params.would.would_is_arrival');
  if (isRejected(isArrival)) return isArrival;
  if (price === null && !isArrival) {
    return reject('INVALID_WOULD_PRICE', 'params.would.would_price is missing: it, or would_is_arrival, is needed');
  }
  return { price: isArrival ? null : price, ppmOfPercent, style: ownStyle };
}
