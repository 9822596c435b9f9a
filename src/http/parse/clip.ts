import { WHOLE_PPM_OF_PERCENT } from '../../model/clip.js';
import { CLIP_COUNT_MAX } from '../../model/limits.js';
import { CLIP_SIZE_TYPES, type Clip } from '../../model/order.js';
import { formatLots, formatSteps, type Grid, type Lots } from '../../model/quantity.js';
import { reject, type OrRejection } from '../../model/rejection.js';
import { choiceOf, isAbsent, shown, stepsOf } from './json-field.js';

const AUTOMATIC: Clip = { type: 'AUTOMATIC' };
/** Percent are kept in units of 10^-6 percent. */
export const PERCENT_PRECISION = 6;

/** How large one child may be; clip_size_val is a decimal, and makes a difference only where the type needs it. */
export function parseClip(
  sizeType: unknown,
  value: unknown,
  instrument: Grid & { quantityMin: Lots },
): OrRejection<Clip> {
  const type = isAbsent(sizeType) ? 'AUTOMATIC' : choiceOf(CLIP_SIZE_TYPES, sizeType);
  switch (type) {
    case null: {
      const rule = `one of ${CLIP_SIZE_TYPES.join(', ')}`;
      return reject('INVALID_PARAM', `clip_size_type ${shown(sizeType)} is not ${rule}`);
    }
    case 'AUTOMATIC': {
      const isDecimal = isAbsent(value) || stepsOf(value, 0) !== 'not a decimal';
      return isDecimal ? AUTOMATIC : refuse(type, value, 'a decimal of no consequence');
    }
    case 'ABSOLUTE':
      return parseAbsolute(value, instrument);
    case 'PERCENTAGE': {
      const ppmOfPercent = stepsOf(value, PERCENT_PRECISION);
      const isShare = typeof ppmOfPercent === 'number' && ppmOfPercent > 0 && ppmOfPercent <= WHOLE_PPM_OF_PERCENT;
      return isShare ? { type, ppmOfPercent } : refuse(type, value, 'above 0 and up to 100 with at most 6 decimals');
    }
    case 'ORDER_COUNT': {
      const count = stepsOf(value, 0);
      const isCount = typeof count === 'number' && count >= 1 && count <= CLIP_COUNT_MAX;
      return isCount ? { type, count } : refuse(type, value, `an integer from 1 to ${CLIP_COUNT_MAX}`);
    }
  }
}

/** The canonical decimal of clip_size_val. */
export function clipValue(clip: Exclude<Clip, { type: 'AUTOMATIC' }>, instrument: Grid): string {
  switch (clip.type) {
    case 'ABSOLUTE':
      return formatLots(clip.quantity, instrument);
    case 'PERCENTAGE':
      return formatSteps(clip.ppmOfPercent, PERCENT_PRECISION);
    case 'ORDER_COUNT':
      return String(clip.count);
  }
}

function parseAbsolute(value: unknown, instrument: Grid & { quantityMin: Lots }): OrRejection<Clip> {
  const quantity = stepsOf(value, instrument.quantityPrecision);
  if (typeof quantity === 'number' && quantity >= instrument.quantityMin) {
    return { type: 'ABSOLUTE', quantity: quantity as Lots };
  }
  const minimum = formatLots(instrument.quantityMin, instrument);
  return refuse('ABSOLUTE', value, `a multiple of ${formatLots(1 as Lots, instrument)} of at least ${minimum}`);
}

function refuse(type: Clip['type'], value: unknown, rule: string): OrRejection<never> {
  const found = isAbsent(value) ? 'is missing' : `${shown(value)} is wrong`;
  return reject('INVALID_PARAM', `clip_size_val ${found}: with clip_size_type ${type} it is ${rule}`);
}
