import { hash } from 'node:crypto';
import { formatLots, formatTicks } from '../../model/quantity.js';
import type { OrderRequest } from './order-request.js';

const DIGEST_CHARACTERS = 32;

/**
 * Digest of a request by its meaning: equal for requests that ask for the same order, whatever their key order, letter
 * case, trailing zeros or spelled-out defaults. Times count as they were given, not as the clock resolved them.
 */
export function digestOf({ subject, terms, times, clip, params }: OrderRequest): string {
  const { instrument } = subject;
  const meaning = JSON.stringify([
    subject.venue,
    subject.subaccount,
    instrument.symbol,
    subject.assetCategory,
    terms.side,
    formatLots(terms.quantity, instrument),
    terms.strategy,
    terms.limitPrice === null ? null : formatTicks(terms.limitPrice, instrument),
    times.startAtMs,
    times.endAtMs,
    times.durationMs,
    clip.type === 'ABSOLUTE' ? [clip.type, formatLots(clip.quantity, instrument)] : clip,
    params.style,
    params.urgency,
    params.randomizeQuantity,
    params.reduceOnly,
    params.postOnly,
  ]);
  return hash('sha256', meaning, 'hex').slice(0, DIGEST_CHARACTERS);
}
