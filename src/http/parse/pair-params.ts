import { formatAmount, type Amount } from '../../model/amount.js';
import {
  HEDGE_SLIPPAGE_BPS_DEFAULT,
  HEDGE_SLIPPAGE_BPS_MAX,
  MAX_UNHEDGED_SECONDS_DEFAULT,
  MAX_UNHEDGED_SECONDS_MAX,
} from '../../model/limits.js';
import type { Pair } from '../../model/pair.js';
import { formatSteps } from '../../model/quantity.js';
import { isRejected, reject, type OrRejection } from '../../model/rejection.js';
import type { DurationMs } from '../../model/time.js';
import { isAbsent, isJsonObject, shown, type JsonObject } from './json-field.js';
import { parseMoney } from './money.js';
import { parseNumber } from './param-field.js';

/** Members of MultiLegsOrderParams. */
export const PAIR_PARAMS = ['max_unhedged_value', 'max_unhedged_seconds', 'hedge_slippage_bps'];

/** MultiLegsOrderParams, by their meaning. */
export type PairParams = Pick<Pair, 'maxUnhedgedValue' | 'maxUnhedgedMs' | 'hedgeSlippageBps'>;

const SECONDS_PRECISION = 3;
const DEFAULTS: PairParams = {
  maxUnhedgedValue: null,
  maxUnhedgedMs: (MAX_UNHEDGED_SECONDS_DEFAULT * 1000) as DurationMs,
  hedgeSlippageBps: HEDGE_SLIPPAGE_BPS_DEFAULT,
};

const SECONDS = {
  precision: SECONDS_PRECISION,
  least: 1000,
  most: MAX_UNHEDGED_SECONDS_MAX * 1000,
  rule: `a number of seconds from 1 to ${MAX_UNHEDGED_SECONDS_MAX}`,
};
const SLIPPAGE = {
  precision: 0,
  least: 1,
  most: HEDGE_SLIPPAGE_BPS_MAX,
  rule: `an integer from 1 to ${HEDGE_SLIPPAGE_BPS_MAX}`,
};

/** Reads `params` of a multi-leg order: max_unhedged_value, max_unhedged_seconds and hedge_slippage_bps. */
export function parsePairParams(value: unknown): OrRejection<PairParams> {
  if (isAbsent(value)) return DEFAULTS;
  if (!isJsonObject(value)) return reject('INVALID_PARAM', `params is ${shown(value)}, not an object`);
  const maxUnhedgedValue = parseUnhedgedValue(value);
  if (isRejected(maxUnhedgedValue)) return maxUnhedgedValue;
  const maxUnhedgedMs = parseNumber(value, 'params.max_unhedged_seconds', SECONDS, DEFAULTS.maxUnhedgedMs);
  if (isRejected(maxUnhedgedMs)) return maxUnhedgedMs;
  const hedgeSlippageBps = parseNumber(value, 'params.hedge_slippage_bps', SLIPPAGE, DEFAULTS.hedgeSlippageBps);
  if (isRejected(hedgeSlippageBps)) return hedgeSlippageBps;
  return { maxUnhedgedValue, maxUnhedgedMs: maxUnhedgedMs as DurationMs, hedgeSlippageBps };
}

function parseUnhedgedValue(params: JsonObject): OrRejection<Amount | null> {
  const value = params['max_unhedged_value'];
  return isAbsent(value) ? null : parseMoney(value, 'params.max_unhedged_value', 'INVALID_PARAM');
}

/** What streams repeat of them; '' when they say nothing but defaults. */
export function pairEcho({ maxUnhedgedValue, maxUnhedgedMs, hedgeSlippageBps }: PairParams): string {
  const members: string[] = [];
  if (maxUnhedgedValue !== null) members.push(`"max_unhedged_value":${formatAmount(maxUnhedgedValue)}`);
  if (maxUnhedgedMs !== DEFAULTS.maxUnhedgedMs) {
    members.push(`"max_unhedged_seconds":${formatSteps(maxUnhedgedMs, SECONDS_PRECISION)}`);
  }
  if (hedgeSlippageBps !== DEFAULTS.hedgeSlippageBps) members.push(`"hedge_slippage_bps":${hedgeSlippageBps}`);
  return members.length === 0 ? '' : `{"params":{${members.join(',')}}}`;
}
