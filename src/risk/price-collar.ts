import type { Instrument } from '../domain/instrument.js';
import { formatSteps, formatTicks, type Ticks } from '../domain/quantity.js';
import type { Rejection, RejectionCode } from '../domain/rejection.js';
import type { PartBefore } from './limit-checks.js';
import { ladderOf, type OrderPart } from './order-worth.js';

interface NamedPrice {
  readonly field: string;
  readonly code: RejectionCode;
  readonly price: Ticks;
}

const BPS = 10_000n;

/** All prices of the part except its trigger. */
function pricesOf(part: OrderPart): NamedPrice[] {
  const { limitPrice, would } = part;
  const ladder = ladderOf(part);
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

export function isPriced(part: OrderPart): boolean {
  return part.trigger !== null || pricesOf(part).length > 0;
}

/**
 * Checks the distance of the part's prices from the market; null: all are within the collar. The trigger price is compared
 * with the mid. The other prices of an order with a pending trigger are compared with the trigger price. An amendment is
 * checked only in the prices that it changes.
 */
export function checkPriceCollar(
  part: OrderPart,
  before: PartBefore | null,
  instrument: Instrument,
  twiceMid: number,
  collarBps: number,
): Rejection | null {
  const { trigger } = part;
  const known = before === null ? [] : [...pricesOf(before.part), ...triggerPrices(before.part)];
  const reference =
    trigger === null || before?.hasStarted === true
      ? { twice: twiceMid, name: 'the mid' }
      : triggerReference(trigger.price);
  const judged = [
    ...triggerPrices(part).map((named) => ({ named, twice: twiceMid, name: 'the mid' })),
    ...pricesOf(part).map((named) => ({ named, ...reference })),
  ];
  for (const { named, twice, name } of judged) {
    const isNew = !known.some(({ field, price }) => field === named.field && price === named.price);
    if (isNew && isBeyond(named.price, twice, collarBps)) return rejectionOf(named, twice, name, instrument);
  }
  return null;
}

function triggerPrices({ trigger }: OrderPart): NamedPrice[] {
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
  const reference = formatSteps(5n * BigInt(twiceReference), instrument.pricePrecision + 1);
  const bps = (distance(price, twiceReference) * BPS) / BigInt(twiceReference);
  const message =
    `${field} ${formatTicks(price, instrument)} lies ${bps} basis points from ${name} ${reference} ` +
    `of ${instrument.symbol} on ${instrument.venue}`;
  return { code, message };
}
