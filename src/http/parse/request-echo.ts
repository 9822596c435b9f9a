import type { Clip } from '../../model/order.js';
import { formatLots, formatSteps } from '../../model/quantity.js';
import type { OrderRequest } from './order-request.js';
import { PERCENT_PRECISION } from './clip.js';

/**
 * What streams repeat of a request: a JSON object with clip_size_type, clip_size_val and params, numbers as literals;
 * '' when the request says nothing but defaults.
 */
export function echoOf({ subject, clip, params }: OrderRequest): string {
  const members: string[] = [];
  if (clip.type !== 'AUTOMATIC') {
    members.push(`"clip_size_type":"${clip.type}","clip_size_val":${clipValue(clip, subject.instrument)}`);
  }
  const named = paramMembers(params);
  if (named.length > 0) members.push(`"params":{${named.join(',')}}`);
  return members.length === 0 ? '' : `{${members.join(',')}}`;
}

function clipValue(
  clip: Exclude<Clip, { type: 'AUTOMATIC' }>,
  instrument: OrderRequest['subject']['instrument'],
): string {
  switch (clip.type) {
    case 'ABSOLUTE':
      return formatLots(clip.quantity, instrument);
    case 'PERCENTAGE':
      return formatSteps(clip.ppmOfPercent, PERCENT_PRECISION);
    case 'ORDER_COUNT':
      return String(clip.count);
  }
}

function paramMembers(params: OrderRequest['params']): string[] {
  const members: string[] = [];
  if (params.durationMs !== null) members.push(`"duration_seconds":${formatSteps(params.durationMs, 3)}`);
  if (params.style !== 'HYBRID') members.push(`"trading_style":"${params.style}"`);
  if (params.urgency !== 'MEDIUM') members.push(`"urgency":"${params.urgency}"`);
  if (params.randomizeQuantity) members.push('"randomize_amount":true');
  if (params.reduceOnly) members.push('"reduce_only":true');
  if (params.postOnly) members.push('"post_only":true');
  return members;
}
