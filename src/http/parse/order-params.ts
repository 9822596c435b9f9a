import type { Instrument } from '../../model/instrument.js';
import { IMBALANCE_PPM_DEFAULT, IMBALANCE_PPM_MAX, IMBALANCE_PPM_MIN, PRICE_LOCK_BPS_MAX } from '../../model/limits.js';
import { TRADING_STYLES, URGENCIES, type Ladder, type WorkingTerms } from '../../model/order.js';
import { isRejected, reject, type OrRejection, type Rejection } from '../../model/rejection.js';
import { isAbsent, isJsonObject, shown, type JsonObject } from './json-field.js';
import { parseLadder, PPM } from './ladder.js';
import { parseChoice, parseFlag, parseNested, parseNumber } from './param-field.js';
import { parsePlacement } from './placement-info.js';
import { parseDuration } from './trade-times.js';
import { parseTrigger } from './trigger.js';
import { parseWould } from './would.js';

/** OrderParams of the contract, by their meaning; null where the order does without. */
export interface OrderParams extends WorkingTerms {
  readonly reduceOnly: boolean;
  readonly ladder: Ladder | null;
  readonly imbalanceThresholdPpm: number | null;
  readonly priceLockBps: number | null;
  readonly postOnly: boolean;
}

/** The params of an order that says nothing of them. */
export const NO_PARAMS: OrderParams = {
  durationMs: null,
  style: 'HYBRID',
  urgency: 'MEDIUM',
  randomizeQuantity: false,
  would: null,
  trigger: null,
  placement: null,
  reduceOnly: false,
  ladder: null,
  imbalanceThresholdPpm: null,
  priceLockBps: null,
  postOnly: false,
};

const THRESHOLD = {
  precision: 6,
  least: IMBALANCE_PPM_MIN,
  most: IMBALANCE_PPM_MAX,
  rule: `a decimal from ${IMBALANCE_PPM_MIN / PPM} to ${IMBALANCE_PPM_MAX / PPM}`,
};
const LOCK = { precision: 0, least: 1, most: PRICE_LOCK_BPS_MAX, rule: `an integer from 1 to ${PRICE_LOCK_BPS_MAX}` };

/** Reads `params` in the order of the contract's table; fields the contract does not know are ignored. */
export function parseParams(value: unknown, instrument: Instrument): OrRejection<OrderParams> {
  if (isAbsent(value)) return NO_PARAMS;
  if (!isJsonObject(value)) return reject('INVALID_PARAM', `params is ${shown(value)}, not an object`);
  const working = parseWorking(value, instrument);
  if (isRejected(working)) return working;
  const reduceOnly = parseFlag(value, 'params.reduce_only');
  if (isRejected(reduceOnly)) return reduceOnly;
  const ladder = parseLadder(value, instrument);
  if (isRejected(ladder)) return ladder;
  const imbalanceThresholdPpm = parseImbalance(value);
  if (isRejected(imbalanceThresholdPpm)) return imbalanceThresholdPpm;
  const priceLockBps = parseNumber(value, 'params.price_lock_bps', LOCK, null);
  if (isRejected(priceLockBps)) return priceLockBps;
  const postOnly = parseFlag(value, 'params.post_only');
  if (isRejected(postOnly)) return postOnly;
  const { durationMs, style, urgency, randomizeQuantity, would, trigger, placement } = working;
  // Member by member: spreading `working` costs more than all of the parsing before it.
  return {
    durationMs,
    style,
    urgency,
    randomizeQuantity,
    would,
    trigger,
    placement,
    reduceOnly,
    ladder,
    imbalanceThresholdPpm,
    priceLockBps,
    postOnly,
  };
}

/** Everything that is wrong with `params`, in the order in which `parseParams` looks. */
export function paramsFindings(value: unknown, instrument: Instrument): Rejection[] {
  if (isAbsent(value) || !isJsonObject(value)) {
    const params = parseParams(value, instrument);
    return isRejected(params) ? [params.rejection] : [];
  }
  const style = parseChoice(value, 'params.trading_style', TRADING_STYLES, NO_PARAMS.style);
  const known = isRejected(style) ? NO_PARAMS.style : style;
  const parts = [
    parseDuration(value['duration_seconds']),
    style,
    parseChoice(value, 'params.urgency', URGENCIES, NO_PARAMS.urgency),
    parseFlag(value, 'params.randomize_amount'),
    parseNested(value, 'params.would', (nested) => parseWould(nested, known, instrument)),
    parseNested(value, 'params.trigger', (nested) => parseTrigger(nested, instrument)),
    parseNested(value, 'params.placement_infos', parsePlacement),
    parseFlag(value, 'params.reduce_only'),
    parseLadder(value, instrument),
    parseImbalance(value),
    parseNumber(value, 'params.price_lock_bps', LOCK, null),
    parseFlag(value, 'params.post_only'),
  ];
  return parts.flatMap((part) => (isRejected(part) ? [part.rejection] : []));
}

/** Reads duration_seconds, trading_style, urgency, randomize_amount, would, trigger and placement_infos. */
export function parseWorking(params: JsonObject, instrument: Instrument): OrRejection<WorkingTerms> {
  const durationMs = parseDuration(params['duration_seconds']);
  if (isRejected(durationMs)) return durationMs;
  const style = parseChoice(params, 'params.trading_style', TRADING_STYLES, NO_PARAMS.style);
  if (isRejected(style)) return style;
  const urgency = parseChoice(params, 'params.urgency', URGENCIES, NO_PARAMS.urgency);
  if (isRejected(urgency)) return urgency;
  const randomizeQuantity = parseFlag(params, 'params.randomize_amount');
  if (isRejected(randomizeQuantity)) return randomizeQuantity;
  const would = parseNested(params, 'params.would', (nested) => parseWould(nested, style, instrument));
  if (isRejected(would)) return would;
  const trigger = parseNested(params, 'params.trigger', (nested) => parseTrigger(nested, instrument));
  if (isRejected(trigger)) return trigger;
  const placement = parseNested(params, 'params.placement_infos', parsePlacement);
  if (isRejected(placement)) return placement;
  return { durationMs, style, urgency, randomizeQuantity, would, trigger, placement };
}

/** The threshold when resting children are to be withdrawn from a leaning book; null when they are not. */
function parseImbalance(params: JsonObject): OrRejection<number | null> {
  const isWanted = parseFlag(params, 'params.ob_imbalance_cancel');
  if (isRejected(isWanted)) return isWanted;
  const threshold = parseNumber(params, 'params.ob_imbalance_threshold', THRESHOLD, IMBALANCE_PPM_DEFAULT);
  if (isRejected(threshold)) return threshold;
  return isWanted ? threshold : null;
}
