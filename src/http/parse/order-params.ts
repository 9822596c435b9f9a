import { PARAMS_NOT_OFFERED } from '../../contract/offer.js';
import { TRADING_STYLES, URGENCIES, type TradingStyle, type Urgency } from '../../model/order.js';
import { isRejected, reject, type OrRejection } from '../../model/rejection.js';
import type { DurationMs } from '../../model/time.js';
import { choiceOf, isAbsent, isJsonObject, shown, type JsonObject } from './json-field.js';
import { parseDuration } from './trade-times.js';

/** OrderParams of the contract, as far as they are offered. */
export interface OrderParams {
  readonly durationMs: DurationMs | null;
  readonly style: TradingStyle;
  readonly urgency: Urgency;
  readonly randomizeQuantity: boolean;
  readonly reduceOnly: boolean;
  readonly postOnly: boolean;
}

const NO_PARAMS: OrderParams = {
  durationMs: null,
  style: 'HYBRID',
  urgency: 'MEDIUM',
  randomizeQuantity: false,
  reduceOnly: false,
  postOnly: false,
};

/** Reads `params`; fields the contract does not know are ignored. */
export function parseParams(value: unknown): OrRejection<OrderParams> {
  if (isAbsent(value)) return NO_PARAMS;
  if (!isJsonObject(value)) return reject('INVALID_PARAM', `params is ${shown(value)}, not an object`);
  const durationMs = parseDuration(value['duration_seconds']);
  if (isRejected(durationMs)) return durationMs;
  const style = parseChoice(value, 'trading_style', TRADING_STYLES, NO_PARAMS.style);
  if (isRejected(style)) return style;
  const urgency = parseChoice(value, 'urgency', URGENCIES, NO_PARAMS.urgency);
  if (isRejected(urgency)) return urgency;
  const randomizeQuantity = parseFlag(value, 'randomize_amount');
  if (isRejected(randomizeQuantity)) return randomizeQuantity;
  const reduceOnly = parseFlag(value, 'reduce_only');
  if (isRejected(reduceOnly)) return reduceOnly;
  const postOnly = parseFlag(value, 'post_only');
  if (isRejected(postOnly)) return postOnly;
  for (const name of PARAMS_NOT_OFFERED) {
    if (!isAbsent(value[name])) return reject('INVALID_PARAM', `params.${name} is not supported yet`);
  }
  return { durationMs, style, urgency, randomizeQuantity, reduceOnly, postOnly };
}

function parseChoice<Name extends string>(
  params: JsonObject,
  field: string,
  names: readonly Name[],
  fallback: Name,
): OrRejection<Name> {
  const value = params[field];
  if (isAbsent(value)) return fallback;
  return (
    choiceOf(names, value) ??
    reject('INVALID_PARAM', `params.${field} ${shown(value)} is not one of ${names.join(', ')}`)
  );
}

function parseFlag(params: JsonObject, field: string): OrRejection<boolean> {
  const value = params[field];
  if (isAbsent(value)) return false;
  return typeof value === 'boolean'
    ? value
    : reject('INVALID_PARAM', `params.${field} ${shown(value)} is not true or false`);
}
