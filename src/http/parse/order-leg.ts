import type { Instrument, InstrumentCatalogue } from '../../model/instrument.js';
import type { Clip } from '../../model/order.js';
import type { Lots } from '../../model/quantity.js';
import { isRejected, reject, type OrRejection, type Rejection } from '../../model/rejection.js';
import { parseClip } from './clip.js';
import { isAbsent, isJsonObject, shown, type JsonObject } from './json-field.js';
import { lotsFor, parseTarget, type LegTarget } from './leg-target.js';
import { NO_PARAMS, parseWorking, type OrderParams } from './order-params.js';
import { parseInstrument, parseTradingVenue, type OrderSubject } from './order-subject.js';
import { LIMITLESS, parseLimitPrice, parseStrategy, SIDES, smallness, type OrderTerms } from './order-terms.js';
import { parseFlag } from './param-field.js';
import { parseRequired } from './required-choice.js';

/** What is wanted of a leg's instrument; null where its quantity depends on the market's price. */
export type LegTerms = Omit<OrderTerms, 'quantity'> & { readonly quantity: Lots | null };

/** A CreateOrderLegRequest whose form is right, by its meaning: like an order, and what only a leg has. */
export interface LegRequest {
  readonly subject: OrderSubject;
  readonly terms: LegTerms;
  readonly target: LegTarget;
  readonly clip: Clip;
  readonly params: OrderParams;
  /** null: the leg does not say. */
  readonly isLeading: boolean | null;
}

/**
 * The leg, or the first rule that it breaks, in the order of the contract's table: exchange, symbol, asset_category, side,
 * target_value, ccy, limit_price, strategy, clip_size_type and clip_size_val, params. Unknown fields are ignored.
 */
export function parseLeg(
  leg: unknown,
  subaccount: string | null,
  catalogue: InstrumentCatalogue,
): OrRejection<LegRequest> {
  if (!isJsonObject(leg)) return reject('INVALID_REQUEST', `is ${shown(leg)}, not an object`);
  const venue = parseTradingVenue(leg['exchange']);
  if (isRejected(venue)) return venue;
  const subject = parseInstrument(leg, venue, subaccount, catalogue);
  if (isRejected(subject)) return subject;
  const { instrument } = subject;
  const terms = parseLegTerms(leg, instrument);
  if (isRejected(terms)) return terms;
  const clip = parseClip(leg['clip_size_type'], leg['clip_size_val'], instrument);
  if (isRejected(clip)) return clip;
  const params = parseLegParams(leg['params'], instrument);
  if (isRejected(params)) return params;
  return { subject, ...terms, clip, ...params };
}

function parseLegTerms(leg: JsonObject, instrument: Instrument): OrRejection<Pick<LegRequest, 'terms' | 'target'>> {
  const side = parseRequired(leg, 'side', SIDES);
  if (isRejected(side)) return side;
  const target = parseTarget(leg, instrument);
  if (isRejected(target)) return target;
  const limitPrice = parseLimitPrice(leg['limit_price'], instrument);
  if (isRejected(limitPrice)) return limitPrice;
  const strategy = parseStrategy(leg['strategy']);
  if (isRejected(strategy)) return strategy;
  if (strategy === 'SCALE') return { rejection: LADDERLESS };
  if (strategy === 'LIMIT' && limitPrice === null) return { rejection: LIMITLESS };
  const quantity = limitPrice === null ? target.quantity : quantityAt(target, limitPrice, instrument);
  if (isRejected(quantity)) return quantity;
  const terms = { side, quantity, strategy, limitPrice };
  const small = quantity === null ? null : smallness({ ...terms, quantity }, instrument, 'target_value');
  return small ?? { terms, target };
}

function quantityAt(target: LegTarget, price: number, instrument: Instrument): OrRejection<Lots> {
  return target.quantity ?? lotsFor(target, 2 * price, instrument);
}

const LADDERLESS: Rejection = {
  code: 'INVALID_TRADE_STRATEGY',
  message: 'strategy SCALE is not one of a leg: it works a ladder, which a leg does not have',
};

/** Reads OrderLegParams: what a leg has in common with an order, and is_leading. */
function parseLegParams(value: unknown, instrument: Instrument): OrRejection<Pick<LegRequest, 'params' | 'isLeading'>> {
  if (isAbsent(value)) return { params: NO_PARAMS, isLeading: null };
  if (!isJsonObject(value)) return reject('INVALID_PARAM', `params is ${shown(value)}, not an object`);
  const working = parseWorking(value, instrument);
  if (isRejected(working)) return working;
  const isLeading = isAbsent(value['is_leading']) ? null : parseFlag(value, 'params.is_leading');
  return isRejected(isLeading) ? isLeading : { params: { ...NO_PARAMS, ...working }, isLeading };
}
