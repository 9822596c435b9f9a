import { hash } from 'node:crypto';
import type { Clip } from '../../model/order.js';
import { formatLots, formatTicks, type Grid, type Ticks } from '../../model/quantity.js';
import type { OrderRequest } from './order-request.js';

const DIGEST_CHARACTERS = 32;

type MeantRequest = Omit<OrderRequest, 'clientOrderId' | 'terms'> & {
  readonly terms: Omit<OrderRequest['terms'], 'quantity'>;
};

/**
 * Digest of a request by its meaning: equal for requests that ask for the same order, whatever their key order, letter
 * case, trailing zeros or spelled-out defaults. Times count as they were given, not as the clock resolved them.
 */
export function digestOf(request: OrderRequest): string {
  return hashOf(meaningOf(request, formatLots(request.terms.quantity, request.subject.instrument)));
}

export function hashOf(meaning: string): string {
  return hash('sha256', meaning, 'hex').slice(0, DIGEST_CHARACTERS);
}

/** What a request asks for, as a text without a line break; `size` is what is wanted of the instrument. */
export function meaningOf({ subject, terms, times, clip, params }: MeantRequest, size: string): string {
  const { instrument } = subject;
  const limit = terms.limitPrice === null ? '' : formatTicks(terms.limitPrice, instrument);
  // Free text stands last, behind what cannot hold a blank, so that two meanings never make one text.
  return (
    `${subject.venue} ${instrument.symbol} ${subject.assetCategory} ${terms.side} ${terms.strategy} ` +
    `quantity=${size} limit=${limit} ` +
    `start=${times.startAtMs} end=${times.endAtMs} duration=${times.durationMs} clip=${clipText(clip, instrument)} ` +
    `${params.style} ${params.urgency} random=${params.randomizeQuantity} ` +
    `reduce=${params.reduceOnly} post=${params.postOnly}${gatesText(params, instrument)} subaccount=${subject.subaccount ?? ''}`
  );
}

/** Prices as decimals: the grid of an instrument may become finer, the request stays the same. */
function gatesText(params: OrderRequest['params'], instrument: Grid): string {
  const { would, trigger, placement, ladder, imbalanceThresholdPpm, priceLockBps } = params;
  const price = (ticks: Ticks | null): string => (ticks === null ? 'arrival' : formatTicks(ticks, instrument));
  let text = '';
  if (would !== null) text += ` would=${price(would.price)}:${would.ppmOfPercent}:${would.style}`;
  if (trigger !== null) text += ` trigger=${trigger.condition}:${price(trigger.price)}`;
  if (placement?.mode === 'TIGHT') text += ' placement=TIGHT';
  if (placement?.mode === 'CUSTOM') text += ` placement=${placement.level}:${placement.cancelLevel}`;
  if (ladder !== null) text += ` ladder=${price(ladder.start)}:${price(ladder.end)}:${ladder.skewPpm}`;
  if (imbalanceThresholdPpm !== null) text += ` imbalance=${imbalanceThresholdPpm}`;
  if (priceLockBps !== null) text += ` lock=${priceLockBps}`;
  return text;
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
