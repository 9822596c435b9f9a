import type { Ladder, Placement, Trigger, Would } from '../../model/order.js';
import { formatSteps, formatTicks, type Grid } from '../../model/quantity.js';
import type { JsonObject } from './json-field.js';
import { clipValue, PERCENT_PRECISION } from './clip.js';
import { PPM } from './ladder.js';
import type { OrderParams } from './order-params.js';
import type { OrderRequest } from './order-request.js';

const PPM_PRECISION = 6;

/**
 * What streams repeat of a request: a JSON object with clip_size_type, clip_size_val and params, numbers as literals;
 * '' when the request says nothing but defaults.
 */
export function echoOf({ subject, clip, params }: Pick<OrderRequest, 'subject' | 'clip' | 'params'>): string {
  const members: string[] = [];
  if (clip.type !== 'AUTOMATIC') {
    members.push(`"clip_size_type":"${clip.type}","clip_size_val":${clipValue(clip, subject.instrument)}`);
  }
  const named = paramMembers(params, subject.instrument);
  if (named.length > 0) members.push(`"params":{${named.join(',')}}`);
  return members.length === 0 ? '' : `{${members.join(',')}}`;
}

/** What is told of it again, as it would be sent; numbers become texts, so that no digit is lost on the way. */
export function requestOfEcho(echo: string): { readonly [name: string]: unknown; readonly params?: object } {
  if (echo === '') return {};
  return JSON.parse(echo.replaceAll(/:(\d+(?:\.\d+)?)(?=[,}])/g, ':"$1"')) as JsonObject;
}

/** In the order of the contract's table; what equals its default is left out. */
function paramMembers(params: OrderParams, instrument: Grid): string[] {
  const { ladder } = params;
  const members: string[] = [];
  if (params.durationMs !== null) members.push(`"duration_seconds":${formatSteps(params.durationMs, 3)}`);
  if (params.style !== 'HYBRID') members.push(`"trading_style":"${params.style}"`);
  if (params.urgency !== 'MEDIUM') members.push(`"urgency":"${params.urgency}"`);
  if (params.randomizeQuantity) members.push('"randomize_amount":true');
  if (params.would !== null) members.push(`"would":${wouldText(params.would, instrument)}`);
  if (params.trigger !== null) members.push(`"trigger":${triggerText(params.trigger, instrument)}`);
  if (params.placement !== null) members.push(`"placement_infos":${placementText(params.placement)}`);
  if (params.reduceOnly) members.push('"reduce_only":true');
  if (ladder !== null) members.push(...ladderMembers(ladder, instrument));
  if (params.imbalanceThresholdPpm !== null) {
    const threshold = formatSteps(params.imbalanceThresholdPpm, PPM_PRECISION);
    members.push(`"ob_imbalance_cancel":true,"ob_imbalance_threshold":${threshold}`);
  }
  if (params.priceLockBps !== null) members.push(`"price_lock_bps":${params.priceLockBps}`);
  if (params.postOnly) members.push('"post_only":true');
  return members;
}

function wouldText({ price, ppmOfPercent, style }: Would, instrument: Grid): string {
  const at = price === null ? '"would_is_arrival":true' : `"would_price":${formatTicks(price, instrument)}`;
  return `{${at},"would_pct":${formatSteps(ppmOfPercent, PERCENT_PRECISION)},"would_style":"${style}"}`;
}

function triggerText({ price, condition }: Trigger, instrument: Grid): string {
  return `{"trigger_price":${formatTicks(price, instrument)},"trigger_condition":"${condition}"}`;
}

function placementText(placement: Placement): string {
  if (placement.mode === 'TIGHT') return '{"placement_mode":"TIGHT"}';
  const { mode, level, cancelLevel } = placement;
  return `{"placement_mode":"${mode}","placement":${level},"cancel":${cancelLevel}}`;
}

function ladderMembers({ start, end, skewPpm }: Ladder, instrument: Grid): string[] {
  const members = [
    `"start_ladder_price":${formatTicks(start, instrument)},"end_ladder_price":${formatTicks(end, instrument)}`,
    `"ladder_direction":"${start < end ? 'UPWARDS' : 'DOWNWARDS'}"`,
  ];
  if (skewPpm !== PPM) members.push(`"size_skew":${formatSteps(skewPpm, PPM_PRECISION)}`);
  return members;
}
