import { Big } from 'big.js';
import type { Instrument } from '../../client/wire.js';
import { PAIR_PATHS } from './pair-fields.js';
import { applies, FIELDS, type TicketField, type TicketValues } from './ticket-fields.js';

/** Something wrong with the order, at its field. */
export interface Finding {
  /** null: it is about the whole order. */
  readonly field: string | null;
  readonly text: string;
}

/** The values of a form with the findings about them. */
export interface FieldForm {
  readonly values: TicketValues;
  readonly findings: readonly Finding[];
  set(name: string, value: string): void;
}

/** A create request with its JSON names. */
export type CreateRequest = Readonly<Record<string, unknown>> & {
  readonly client_order_id: string;
  readonly quantity?: string;
};

/** The market of the ticket, as far as it is known. Prices of the ticker are JSON numbers. */
export interface TicketMarket {
  readonly instrument: Instrument | null;
  readonly bid: number | null;
  readonly ask: number | null;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const SPAN = /^(\d{1,9})\s*([smhd])$/i;
/** Day and time of day in UTC, with or without seconds. */
const INSTANT = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d)?Z?$/;
export const DECIMAL = /^\d+(\.\d+)?$/;

/** A request with the previews that must be without findings before it is sent. */
export interface OrderPlan {
  readonly order: CreateRequest;
  readonly previews: readonly {
    /** The leg that it is about; '' for the whole order. */
    readonly title: string;
    readonly order: object;
    readonly findingOf: (code: string, message: string) => Finding;
  }[];
}

/** The request of these values with its preview; a finding when its quantity has no price to divide it by. */
export function planOf(values: TicketValues, market: TicketMarket): OrderPlan | Finding {
  const order = requestOf(values, market);
  if (order !== null) return { order, previews: [{ title: '', order, findingOf }] };
  const text = 'no price of this market is known yet: enter a limit price or a base quantity';
  return { field: 'quantity', text };
}

/** The create request of these values; null when an amount of quote currency has no price to divide it by. */
export function requestOf(values: TicketValues, market: TicketMarket): CreateRequest | null {
  const quantity = quantityOf(values, market);
  if (quantity === null) return null;
  const order: Record<string, unknown> = {};
  for (const field of FIELDS) {
    const text = field.kind === 'size' ? quantity : (values[field.name] ?? '').trim();
    if (text !== '' && applies(field, values)) put(order, field.name.split('.'), sentValue(field.kind, text));
  }
  return order as CreateRequest;
}

/**
 * The quantity in base units: as entered, or an amount of quote currency ÷ price, rounded down to the lot. The price is
 * the limit price, else the best price of the other side. null without a price.
 */
export function quantityOf(values: TicketValues, { instrument, bid, ask }: TicketMarket): string | null {
  const entered = (values['quantity'] ?? '').trim();
  if (values['sizing'] !== 'QUOTE' || !DECIMAL.test(entered)) return entered;
  const limit = (values['limit_price'] ?? '').trim();
  const price = DECIMAL.test(limit) ? limit : values['side'] === 'SELL' ? bid : ask;
  if (instrument === null || price === null || new Big(price).lte(0)) return null;
  return roundedDown(new Big(entered), new Big(price), lotOf(instrument));
}

export function lotOf({ quantityStep = 1, quantityPrecision }: Instrument): Big {
  return new Big(quantityStep).times(`1e-${quantityPrecision}`);
}

/** A quotient cut off at a multiple of the lot, exactly. */
export function roundedDown(amount: Big, price: Big, lot: Big): string {
  const lotPrice = price.times(lot);
  const lots = amount.div(lotPrice).round(0, 0);
  const isAbove = lots.times(lotPrice).gt(amount);
  return (isAbove ? lots.minus(1) : lots).times(lot).toFixed();
}

/** A finding at the field that its message names first, as all messages of the service do. */
export function findingOf(code: string, message: string): Finding {
  const [name = ''] = message.split(' ', 1);
  const isField = FIELDS.some((field) => field.name === name) || PAIR_PATHS.has(name);
  return { field: isField ? name : null, text: `${message} (${code})` };
}

/** A text that is no duration or instant is sent unchanged: the service reports the error. */
export function sentValue(kind: TicketField['kind'], text: string): string | boolean {
  if (kind === 'flag') return true;
  if (kind === 'instant')
    return text.replace(INSTANT, (_all, day, time, seconds = ':00') => `${day}T${time}${seconds}Z`);
  const [, count, unit = ''] = (kind === 'duration' ? SPAN.exec(text) : null) ?? [];
  return count === undefined ? text : String(Number(count) * (SECONDS[unit.toLowerCase()] ?? 1));
}

/** Sets a member of a nested object. */
export function put(order: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) order[name] = value;
  else put((order[name] ??= {}) as Record<string, unknown>, rest, value);
}
