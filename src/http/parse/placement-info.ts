import { DEPTH_LEVELS_COUNT } from '../../model/limits.js';
import { PLACEMENT_MODES, type Placement } from '../../model/order.js';
import { isRejected, reject, type OrRejection } from '../../model/rejection.js';
import type { JsonObject } from './json-field.js';
import { parseChoice, parseNumber } from './param-field.js';

const LEVEL = {
  precision: 0,
  least: 1,
  most: DEPTH_LEVELS_COUNT,
  rule: `a level of the book from 1 to ${DEPTH_LEVELS_COUNT}`,
};

/** Reads PlacementInfo; null when the strategy decides. `placement` and `cancel` make a difference with CUSTOM only. */
export function parsePlacement(info: JsonObject): OrRejection<Placement | null> {
  const mode = parseChoice(info, 'params.placement_infos.placement_mode', PLACEMENT_MODES, 'DEFAULT');
  if (isRejected(mode)) return mode;
  const level = parseNumber(info, 'params.placement_infos.placement', LEVEL, null);
  if (isRejected(level)) return level;
  const cancelLevel = parseNumber(info, 'params.placement_infos.cancel', LEVEL, null);
  if (isRejected(cancelLevel)) return cancelLevel;
  switch (mode) {
    case 'DEFAULT':
      return null;
    case 'TIGHT':
      return { mode };
    case 'CUSTOM':
      return parseLevels(level, cancelLevel);
  }
}

function parseLevels(level: number | null, cancelLevel: number | null): OrRejection<Placement> {
  if (level === null) return missing('placement');
  if (cancelLevel === null) return missing('cancel');
  if (cancelLevel > level) return { mode: 'CUSTOM', level, cancelLevel };
  return reject('INVALID_PARAM', `params.placement_infos.cancel ${cancelLevel} is not more than placement ${level}`);
}

function missing(field: string): OrRejection<never> {
  return reject('INVALID_PARAM', `params.placement_infos.${field} is missing: placement_mode CUSTOM needs it`);
}
