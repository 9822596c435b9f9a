import { CLIP_COUNT_MAX } from '../../domain/limits/trading.js';
import type { Instrument } from '../../domain/instrument.js';
import {
  type Clip,
  type Ladder,
  type LADDER_DIRECTIONS,
  type BookPlacement,
  type PLACEMENT_MODES,
  type TradingStyle,
  type Trigger,
  WHOLE_PPM_OF_PERCENT,
  type Would,
} from '../../domain/order.js';
import {
  formatLots,
  formatSteps,
  formatTicks,
  type Grid,
  type Lots,
  type Ticks,
  stepsOfUnits,
} from '../../domain/quantity.js';
import { type OrRejection, reject } from '../../domain/rejection.js';
import { isAbsent, shown, stepsOf } from '../field/json-value.js';

/* Values of the typed order that are made from several request fields. */

/** Values of the fields that make one composite value, by the name of the field. */
export type Parts = Record<string, unknown>;

/** Joins the values of several fields to one value of the order, and splits it again. */
export interface Composite {
  /** The value when no field is given. */
  readonly none: unknown;
  /** Returns the value, or the first violation of a rule between its fields. */
  join(parts: Parts, instrument: Instrument, style: TradingStyle): OrRejection<unknown>;
  /** Returns the values of the fields, without fields that do not apply. The value is not `none`. */
  split(value: unknown, grid: Grid): Parts;
}

const AUTOMATIC: Clip = { type: 'AUTOMATIC' };
/** Percentages are integers in units of 10^-6 percent. */
export const PERCENT_PRECISION = 6;

/** Composites by the member of the typed order. */
export const COMPOSITES: Readonly<Record<string, Composite>> = {
  clip: {
    none: AUTOMATIC,
    join: (parts, instrument) => clipOf(parts['clip_size_type'] as Clip['type'], parts['clip_size_val'], instrument),
    split: (value, grid) => clipParts(value as Clip, grid),
  },
  would: {
    none: null,
    join: (parts, _instrument, style) => wouldOf(parts, style),
    split: (value) => wouldParts(value as Would),
  },
  trigger: {
    none: null,
    join: ({ trigger_price: price, trigger_condition: condition }) => ({ price, condition }),
    split: (value) => ({
      trigger_price: (value as Trigger).price,
      trigger_condition: (value as Trigger).condition,
    }),
  },
  placement: { none: null, join: placementOf, split: (value) => placementParts(value as BookPlacement) },
  ladder: { none: null, join: ladderOf, split: (value) => ladderParts(value as Ladder) },
  imbalanceThresholdPpm: {
    none: null,
    join: ({ ob_imbalance_cancel: isWanted, ob_imbalance_threshold: threshold }) =>
      isWanted === true ? threshold : null,
    split: (value) => ({ ob_imbalance_cancel: true, ob_imbalance_threshold: value }),
  },
};

type SizedClip = Exclude<Clip, { type: 'AUTOMATIC' }>;

/** The unit of clip_size_val depends on the type. With AUTOMATIC it must be a decimal and has no effect. */
function clipOf(type: Clip['type'], value: unknown, instrument: Instrument): OrRejection<Clip> {
  switch (type) {
    case 'AUTOMATIC': {
      const isDecimal = isAbsent(value) || stepsOf(value, 0) !== 'not a decimal';
      return isDecimal ? AUTOMATIC : refusedClip(type, value, 'a decimal without effect');
    }
    case 'ABSOLUTE':
      return absoluteClip(value, instrument);
    case 'PERCENTAGE': {
      const ppmOfPercent = stepsOf(value, PERCENT_PRECISION);
      const isShare = typeof ppmOfPercent === 'number' && ppmOfPercent > 0 && ppmOfPercent <= WHOLE_PPM_OF_PERCENT;
      return isShare
        ? { type, ppmOfPercent }
        : refusedClip(type, value, 'above 0 and up to 100 with at most 6 decimals');
    }
    case 'ORDER_COUNT': {
      const count = stepsOf(value, 0);
      const isCount = typeof count === 'number' && count >= 1 && count <= CLIP_COUNT_MAX;
      return isCount ? { type, count } : refusedClip(type, value, `an integer from 1 to ${CLIP_COUNT_MAX}`);
    }
  }
}

function absoluteClip(value: unknown, instrument: Instrument): OrRejection<Clip> {
  const quantity = stepsOfUnits(stepsOf(value, instrument.quantityPrecision), instrument.quantityStep);
  if (typeof quantity === 'number' && quantity >= instrument.quantityMin) {
    return { type: 'ABSOLUTE', quantity: quantity as Lots };
  }
  const minimum = formatLots(instrument.quantityMin, instrument);
  return refusedClip('ABSOLUTE', value, `a multiple of ${formatLots(1 as Lots, instrument)} of at least ${minimum}`);
}

function refusedClip(type: Clip['type'], value: unknown, rule: string): OrRejection<never> {
  const found = isAbsent(value) ? 'is missing' : `${shown(value)} is wrong`;
  return reject('INVALID_PARAM', `clip_size_val ${found}: with clip_size_type ${type} it is ${rule}`);
}

function clipParts(clip: Clip, grid: Grid): Parts {
  // A stored order has a copy of AUTOMATIC.
  return clip.type === 'AUTOMATIC' ? {} : { clip_size_type: clip.type, clip_size_val: clipSize(clip, grid) };
}

/** The canonical decimal of clip_size_val. */
export function clipSize(clip: SizedClip, grid: Grid): string {
  switch (clip.type) {
    case 'ABSOLUTE':
      return formatLots(clip.quantity, grid);
    case 'PERCENTAGE':
      return formatSteps(clip.ppmOfPercent, PERCENT_PRECISION);
    case 'ORDER_COUNT':
      return String(clip.count);
  }
}

function wouldOf(parts: Parts, orderStyle: TradingStyle): OrRejection<Would> {
  const price = parts['would_price'] as Ticks | null;
  const isArrival = parts['would_is_arrival'] === true;
  if (price === null && !isArrival) {
    return reject('INVALID_WOULD_PRICE', 'params.would.would_price is missing: it, or would_is_arrival, is needed');
  }
  return {
    price: isArrival ? null : price,
    ppmOfPercent: parts['would_pct'] as number,
    style: (parts['would_style'] as TradingStyle | null) ?? orderStyle,
  };
}

function wouldParts({ price, ppmOfPercent, style }: Would): Parts {
  return { would_price: price, would_pct: ppmOfPercent, would_style: style, would_is_arrival: price === null };
}

function placementOf(parts: Parts): OrRejection<BookPlacement | null> {
  const mode = parts['placement_mode'] as (typeof PLACEMENT_MODES)[number];
  if (mode !== 'CUSTOM') return mode === 'TIGHT' ? { mode } : null;
  const level = parts['placement'] as number | null;
  const cancelLevel = parts['cancel'] as number | null;
  if (level === null) return missingLevel('placement');
  if (cancelLevel === null) return missingLevel('cancel');
  if (cancelLevel > level) return { mode, level, cancelLevel };
  return reject('INVALID_PARAM', `params.placement_infos.cancel ${cancelLevel} is not more than placement ${level}`);
}

function missingLevel(name: string): OrRejection<never> {
  return reject('INVALID_PARAM', `params.placement_infos.${name} is missing: placement_mode CUSTOM needs it`);
}

function placementParts(placement: BookPlacement): Parts {
  if (placement.mode === 'TIGHT') return { placement_mode: placement.mode };
  return { placement_mode: placement.mode, placement: placement.level, cancel: placement.cancelLevel };
}

/** A ladder has two different prices; without a price there is no ladder. */
function ladderOf(parts: Parts, instrument: Instrument): OrRejection<Ladder | null> {
  const start = parts['start_ladder_price'] as Ticks | null;
  const end = parts['end_ladder_price'] as Ticks | null;
  const direction = parts['ladder_direction'] as (typeof LADDER_DIRECTIONS)[number] | null;
  if (start === null && end === null) return null;
  if (start === null) return reject('INVALID_PARAM', 'params.start_ladder_price is missing beside end_ladder_price');
  if (end === null) return reject('INVALID_PARAM', 'params.end_ladder_price is missing beside start_ladder_price');
  const prices = `from ${formatTicks(start, instrument)} to ${formatTicks(end, instrument)}`;
  if (start === end) return reject('INVALID_PARAM', `params.end_ladder_price: a ladder ${prices} has no rungs`);
  if (direction !== null && (direction === 'UPWARDS') !== start < end) {
    return reject('INVALID_PARAM', `params.ladder_direction ${direction} contradicts a ladder ${prices}`);
  }
  return { start, end, skewPpm: parts['size_skew'] as number };
}

function ladderParts({ start, end, skewPpm }: Ladder): Parts {
  return {
    start_ladder_price: start,
    end_ladder_price: end,
    ladder_direction: start < end ? 'UPWARDS' : 'DOWNWARDS',
    size_skew: skewPpm,
  };
}
