import type { Leg } from '../domain/order.js';
import type { Instrument } from '../domain/instrument.js';
import { formatTicks, type Ticks, formatHalfTicks } from '../domain/quantity.js';
import type { Rejection, RejectionCode } from '../domain/rejection.js';

/** A leg of an open order before the amendment. */
export interface LegBefore {
  readonly leg: Leg;
  readonly hasStarted: boolean;
}

interface NamedPrice {
  readonly field: string;
  readonly code: RejectionCode;
  readonly price: Ticks;
}

const BPS = 10_000n;

/** All prices of the leg except its trigger. */
function pricesOf(leg: Leg): NamedPrice[] {
  const { limitPrice, would } = leg;
  const ladder = leg.ladder;
  const prices: NamedPrice[] = [];
  if (limitPrice !== null) prices.push({ field: 'limit_price', code: 'INVALID_LIMIT_PRICE', price: limitPrice });
  if (would !== null && would.price !== null) {
    prices.push({ field: 'params.would.would_price', code: 'INVALID_WOULD_PRICE', price: would.price });
  }
  if (ladder !== null) {
    prices.push({ field: 'params.start_ladder_price', code: 'INVALID_PARAM', price: ladder.start });
    prices.push({ field: 'params.end_ladder_price', code: 'INVALID_PARAM', price: ladder.end });
  }
  return prices;
}

export function isPriced(leg: Leg): boolean {
  return leg.trigger !== null || pricesOf(leg).length > 0;
}

/** The collar of an instrument around its mid. */
interface PriceCollar {
  readonly instrument: Instrument;
  /** Twice the mid in ticks. */
  readonly twiceMid: number;
  /** Largest distance in basis points. */
  readonly bps: number;
}

/**
 * Checks the distance of the leg's prices from the market; null: all are within the collar. The trigger price is
 * compared with the mid. The other prices of an order with a pending trigger are compared with the trigger price. An
 * amendment is checked only in the prices that it changes.
 */
export function checkPriceCollar(
  leg: Leg,
  before: LegBefore | null,
  { instrument, twiceMid, bps }: PriceCollar,
): Rejection | null {
  const { trigger } = leg;
  const known = before === null ? [] : [...pricesOf(before.leg), ...triggerPrices(before.leg)];
  const reference =
    trigger === null || before?.hasStarted === true
      ? { twice: twiceMid, name: 'the mid' }
      : triggerReference(trigger.price);
  const judged = [
    ...triggerPrices(leg).map((named) => ({ named, twice: twiceMid, name: 'the mid' })),
    ...pricesOf(leg).map((named) => ({ named, ...reference })),
  ];
  for (const { named, twice, name } of judged) {
    const isNew = !known.some(({ field, price }) => field === named.field && price === named.price);
    if (isNew && isBeyond(named.price, twice, bps)) return rejectionOf(named, twice, name, instrument);
  }
  return null;
}

function triggerPrices({ trigger }: Leg): NamedPrice[] {
  if (trigger === null) return [];
  return [{ field: 'params.trigger.trigger_price', code: 'INVALID_TRIGGER_PRICE', price: trigger.price }];
}

function triggerReference(price: Ticks): { readonly twice: number; readonly name: string } {
  return { twice: 2 * price, name: 'params.trigger.trigger_price' };
}

function isBeyond(price: Ticks, twiceReference: number, collarBps: number): boolean {
  return distance(price, twiceReference) * BPS > BigInt(twiceReference) * BigInt(collarBps);
}

/** In half ticks. */
function distance(price: Ticks, twiceReference: number): bigint {
  return BigInt(Math.abs(2 * price - twiceReference));
}

function rejectionOf(
  { field, code, price }: NamedPrice,
  twiceReference: number,
  name: string,
  instrument: Instrument,
): Rejection {
  const reference = formatHalfTicks(twiceReference, instrument);
  const bps = (distance(price, twiceReference) * BPS) / BigInt(twiceReference);
  const message =
    `${field} ${formatTicks(price, instrument)} lies ${bps} basis points from ${name} ${reference} ` +
    `of ${instrument.symbol} on ${instrument.venue}`;
  return { code, message };
}
