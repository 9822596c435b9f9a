import type { Instrument } from '../../model/instrument.js';
import { SIZE_SKEW_PPM_MAX, SIZE_SKEW_PPM_MIN } from '../../model/limits.js';
import { LADDER_DIRECTIONS, LADDER_PROFILES, type Ladder } from '../../model/order.js';
import { formatTicks, type Ticks } from '../../model/quantity.js';
import { isRejected, reject, type OrRejection } from '../../model/rejection.js';
import { isAbsent, type JsonObject } from './json-field.js';
import { parseChoice, parseNumber } from './param-field.js';
import { parsePrice } from './price.js';

export const PPM = 1_000_000;

const SKEW = {
  precision: 6,
  least: SIZE_SKEW_PPM_MIN,
  most: SIZE_SKEW_PPM_MAX,
  rule: `a number from ${SIZE_SKEW_PPM_MIN / PPM} to ${SIZE_SKEW_PPM_MAX / PPM}`,
};

/** Reads the five ladder fields of `params`, in the contract's order; null when no price is given. */
export function parseLadder(params: JsonObject, instrument: Instrument): OrRejection<Ladder | null> {
  const start = parseRung(params, 'start_ladder_price', instrument);
  if (isRejected(start)) return start;
  const end = parseRung(params, 'end_ladder_price', instrument);
  if (isRejected(end)) return end;
  const direction = parseChoice(params, 'params.ladder_direction', LADDER_DIRECTIONS, null);
  if (isRejected(direction)) return direction;
  const profile = parseChoice(params, 'params.ladder_profile', LADDER_PROFILES, 'LINEAR');
  if (isRejected(profile)) return profile;
  const skewPpm = parseNumber(params, 'params.size_skew', SKEW, PPM);
  if (isRejected(skewPpm)) return skewPpm;
  if (start === null && end === null) return null;
  if (start === null) return reject('INVALID_PARAM', 'params.start_ladder_price is missing beside end_ladder_price');
  if (end === null) return reject('INVALID_PARAM', 'params.end_ladder_price is missing beside start_ladder_price');
  const prices = `from ${formatTicks(start, instrument)} to ${formatTicks(end, instrument)}`;
  if (start === end) return reject('INVALID_PARAM', `params.end_ladder_price: a ladder ${prices} has no rungs`);
  if (direction !== null && (direction === 'UPWARDS') !== start < end) {
    return reject('INVALID_PARAM', `params.ladder_direction ${direction} contradicts a ladder ${prices}`);
  }
  return { start, end, skewPpm };
}

function parseRung(params: JsonObject, field: string, instrument: Instrument): OrRejection<Ticks | null> {
  const value = params[field];
  return isAbsent(value) ? null : parsePrice(value, `params.${field}`, 'INVALID_PARAM', instrument);
}
