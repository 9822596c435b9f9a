import { hash } from 'node:crypto';
import type { Clip } from '../../model/order.js';
import { formatLots, formatTicks, type Grid } from '../../model/quantity.js';
import type { OrderRequest } from './order-request.js';

const DIGEST_CHARACTERS = 32;

/**
 * Digest of a request by its meaning: equal for requests that ask for the same order, whatever their key order, letter
 * case, trailing zeros or spelled-out defaults. Times count as they were given, not as the clock resolved them.
 */
export function digestOf({ subject, terms, times, clip, params }: OrderRequest): string {
  const { instrument } = subject;
  const limit = terms.limitPrice === null ? '' : formatTicks(terms.limitPrice, instrument);
  // Free text stands last, behind what cannot hold a blank, so that two meanings never make one text.
  const meaning =
    `${subject.venue} ${instrument.symbol} ${subject.assetCategory} ${terms.side} ${terms.strategy} ` +
    `quantity=${formatLots(terms.quantity, instrument)} limit=${limit} ` +
    `start=${times.startAtMs} end=${times.endAtMs} duration=${times.durationMs} clip=${clipText(clip, instrument)} ` +
    `${params.style} ${params.urgency} random=${params.randomizeQuantity} ` +
    `reduce=${params.reduceOnly} post=${params.postOnly} subaccount=${subject.subaccount ?? ''}`;
  return hash('sha256', meaning, 'hex').slice(0, DIGEST_CHARACTERS);
}

function clipText(clip: Clip, instrument: Grid): string {
  switch (clip.type) {
    case 'AUTOMATIC':
      return clip.type;
    case 'ABSOLUTE':
      return `${clip.type}:${formatLots(clip.quantity, instrument)}`;
    case 'PERCENTAGE':
      return `${clip.type}:${clip.ppmOfPercent}`;
    case 'ORDER_COUNT':
      return `${clip.type}:${clip.count}`;
  }
}
