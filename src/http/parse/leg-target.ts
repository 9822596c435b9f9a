import { AMOUNT_PRECISION, formatAmount, type Amount } from '../../model/amount.js';
import type { Instrument } from '../../model/instrument.js';
import { formatLots, formatNotional, type Lots, type Notional } from '../../model/quantity.js';
import { isRejected, reject, type OrRejection } from '../../model/rejection.js';
import { isUsdLike } from '../../model/usd.js';
import { isAbsent, shown, type JsonObject } from './json-field.js';
import { parseMoney } from './money.js';
import { boundedLots, parseLots } from './order-terms.js';

/** What a leg is to fill, by its meaning. */
export interface LegTarget {
  readonly value: Amount;
  /** In upper case. */
  readonly ccy: string;
  /** In lots when `ccy` is the base; null: it depends on a price. */
  readonly quantity: Lots | null;
}

/** Reads target_value and ccy, in that order; then whether a quantity of the base lies on its grid. */
export function parseTarget(leg: JsonObject, instrument: Instrument): OrRejection<LegTarget> {
  const given = leg['target_value'];
  if (isAbsent(given)) return reject('INVALID_QUANTITY', 'target_value is missing');
  const value = parseMoney(given, 'target_value', 'INVALID_QUANTITY');
  if (isRejected(value)) return value;
  const ccy = parseCurrency(leg['ccy'], instrument);
  if (isRejected(ccy)) return ccy;
  if (ccy !== instrument.base) return { value, ccy, quantity: null };
  const quantity = parseLots(given, 'target_value', instrument);
  return isRejected(quantity) ? quantity : { value, ccy, quantity };
}

function parseCurrency(value: unknown, { base, quote }: Instrument): OrRejection<string> {
  if (isAbsent(value)) return reject('INVALID_REQUEST', 'ccy is missing');
  const known = [base, quote, ...(isUsdLike(quote) ? ['USD'] : [])];
  const ccy = typeof value === 'string' ? value.toUpperCase() : null;
  if (ccy !== null && known.includes(ccy)) return ccy;
  return reject('INVALID_PARAM', `ccy ${shown(value)} is not one of ${[...new Set(known)].join(', ')}`);
}

/**
 * The lots that money buys at a price, rounded down, if an order of so many may be placed. The price is told twice over,
 * so that a mid needs no half tick.
 */
export function lotsFor({ value, ccy }: LegTarget, twicePrice: number, instrument: Instrument): OrRejection<Lots> {
  const { quantityPrecision, pricePrecision, quote, notionalMin } = instrument;
  const product = 10n ** BigInt(quantityPrecision + pricePrecision);
  const lots = (2n * value * product) / (BigInt(twicePrice) * 10n ** BigInt(AMOUNT_PRECISION));
  const price = formatNotional((5n * BigInt(twicePrice)) as Notional, { quantityPrecision: 1, pricePrecision });
  const named = `target_value of ${formatAmount(value)} ${ccy} at ${price}`;
  const quantity = boundedLots(lots, named, instrument);
  if (isRejected(quantity)) return quantity;
  if (BigInt(quantity) * BigInt(twicePrice) >= 2n * BigInt(notionalMin)) return quantity;
  const minimum = formatNotional(BigInt(notionalMin) as Notional, instrument);
  const size = formatLots(quantity, instrument);
  return reject('INVALID_QUANTITY', `${named} makes ${size}, which is under the minimum of ${minimum} ${quote}`);
}
