import { parseVenue, type Venue } from '../../domain/exchange.js';
import type { ClientOrderId } from '../../domain/ids.js';
import type { Instrument } from '../../domain/instrument.js';
import { asciiUpper } from '../../domain/letter-case.js';
import { CLIENT_ORDER_ID_CHARACTERS_MAX, SUBACCOUNT_CHARACTERS_MAX } from '../../domain/limits/trading.js';
import {
  type Amount,
  AMOUNT_PRECISION,
  formatAmount,
  formatLots,
  formatSteps,
  formatTicks,
  type Grid,
  isUsdLike,
  type Lots,
  parseAmount,
  type Ticks,
  stepsOfUnits,
} from '../../domain/quantity.js';
import { type OrRejection, reject, type RejectionCode } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { Field } from './field-slot.js';
import { choiceOf, decimalText, isAbsent, nameForm, shown, stepsOf } from './json-value.js';

/* Reads and writes single values of requests by the kind of their field. */

/** Reads a value that is not absent. The kinds of an instrument's grid need the instrument. */
export function readValue(field: Field, value: unknown, instrument: Instrument | null): OrRejection<unknown> {
  switch (field.kind) {
    case 'choice':
      return (
        choiceOf(field.names, value) ??
        reject(field.code, `${field.path} ${shown(value)} is not one of ${field.names.join(', ')}`)
      );
    case 'number':
      return readNumber(field, value);
    case 'flag':
      return typeof value === 'boolean'
        ? value
        : reject(field.code, `${field.path} ${shown(value)} is not true or false`);
    case 'lots':
      return instrument === null ? null : parseLots(value, field.path, instrument);
    case 'price':
      return instrument === null ? null : parsePrice(value, field.path, field.code, instrument);
    case 'text':
      return typeof value === 'string' && field.form?.test(value) === true
        ? value
        : reject(field.code, `${field.path} ${shown(value)} ${nameRule(field.charactersMax)}`);
    case 'exchange':
      return parseTradingVenue(value);
    case 'instant':
      return parseInstant(value) ?? reject(field.code, `${field.path} ${shown(value)} is not ISO 8601 in UTC with Z`);
    case 'amount':
      return parseMoney(value, field.path, field.code);
    case 'currency':
      return instrument === null ? null : readCurrency(field, value, instrument);
    case 'clip':
    case 'symbol':
    case 'object':
    case 'legs':
      return value;
  }
}

function readNumber({ range, path, code }: Field, value: unknown): OrRejection<number> {
  const { precision, least, most, rule } = range ?? { precision: 0, least: 0, most: 0, rule: '' };
  const steps = stepsOf(value, precision);
  if (typeof steps === 'number' && steps >= least && steps <= most) return steps;
  if (steps === 'off the grid' && precision > 0) {
    return reject(code, `${path} ${shown(value)} has more than ${precision} digits after the point`);
  }
  return reject(code, `${path} ${shown(value)} is not ${rule}`);
}

function readCurrency({ path, code }: Field, value: unknown, { base, quote }: Instrument): OrRejection<string> {
  const known = [base, quote, ...(isUsdLike(quote) ? ['USD'] : [])];
  const ccy = typeof value === 'string' ? asciiUpper(value) : null;
  if (ccy !== null && known.includes(ccy)) return ccy;
  return reject(code, `${path} ${shown(value)} is not one of ${[...new Set(known)].join(', ')}`);
}

/**
 * The text of a value as canonical JSON. Prices and quantities are decimals, so that a finer grid does not change them.
 */
export function valueText({ kind, range }: Field, value: unknown, grid: Grid): string {
  switch (kind) {
    case 'flag':
    case 'instant':
      return String(value);
    case 'number':
      return formatSteps(value as number, range?.precision ?? 0);
    case 'lots':
      return formatLots(value as Lots, grid);
    case 'price':
      return formatTicks(value as Ticks, grid);
    case 'amount':
      return formatAmount(value as Amount);
    case 'clip':
      return value as string;
    case 'choice':
    case 'exchange':
      return `"${value as string}"`;
    case 'text':
    case 'symbol':
    case 'currency':
    case 'object':
    case 'legs':
      return JSON.stringify(value);
  }
}

/** One of the exchanges that take orders. */
export function parseTradingVenue(value: unknown): OrRejection<Venue> {
  if (isAbsent(value)) return reject('INVALID_EXCHANGE', 'exchange is missing');
  const venue = typeof value === 'string' ? parseVenue(value) : null;
  return venue ?? reject('INVALID_EXCHANGE', `exchange ${shown(value)} is not one that takes orders`);
}

const CLIENT_ORDER_ID = new RegExp(nameForm(CLIENT_ORDER_ID_CHARACTERS_MAX), 'u');
const SUBACCOUNT = new RegExp(nameForm(SUBACCOUNT_CHARACTERS_MAX), 'u');

function nameRule(charactersMax: number): string {
  return `is not 1 to ${charactersMax} printable characters without a comma`;
}

export function isClientOrderId(value: unknown): value is ClientOrderId {
  return typeof value === 'string' && CLIENT_ORDER_ID.test(value);
}

export function parseClientOrderId(value: unknown): OrRejection<ClientOrderId | null> {
  if (isAbsent(value)) return null;
  if (isClientOrderId(value)) return value;
  return reject('INVALID_PARAM', `client_order_id ${shown(value)} ${nameRule(CLIENT_ORDER_ID_CHARACTERS_MAX)}`);
}

export function parseSubaccount(value: unknown): OrRejection<string | null> {
  if (isAbsent(value)) return null;
  if (typeof value === 'string' && SUBACCOUNT.test(value)) return value;
  return reject('INVALID_PARAM', `subaccount ${shown(value)} ${nameRule(SUBACCOUNT_CHARACTERS_MAX)}`);
}

const ONE_LOT = 1 as Lots;
const ONE_TICK = 1 as Ticks;

/** Reads a quantity on the instrument's lot grid and within its bounds. */
export function parseLots(value: unknown, path: string, instrument: Instrument): OrRejection<Lots> {
  const lots = stepsOfUnits(stepsOf(value, instrument.quantityPrecision), instrument.quantityStep);
  if (lots === 'not a decimal' || lots === 0) {
    return reject('INVALID_QUANTITY', `${path} ${shown(value)} is not a decimal above 0`);
  }
  if (lots === 'off the grid') {
    const rule = `not a multiple of the lot ${formatLots(ONE_LOT, instrument)}`;
    return reject('INVALID_QUANTITY', `${path} ${shown(value)} is ${rule} of ${nameOf(instrument)}`);
  }
  // Repeats the check of `boundedLots`, so that a valid order needs no text for a message.
  const { quantityMin, quantityMax } = instrument;
  if (lots !== 'too large' && lots >= quantityMin && lots <= quantityMax) return lots as Lots;
  return boundedLots(lots, `${path} ${shown(value)}`, instrument);
}

/** Checks a number of lots against the instrument's bounds. `subject` begins the message of a refusal. */
export function boundedLots(
  lots: number | bigint | 'too large',
  subject: string,
  instrument: Instrument,
): OrRejection<Lots> {
  const { quantityMin, quantityMax, symbol } = instrument;
  if (lots === 'too large' || lots > quantityMax) {
    const maximum = formatLots(quantityMax, instrument);
    return reject('QUANTITY_EXCEED', `${subject} is above the maximum ${maximum} of ${symbol}`);
  }
  if (lots < quantityMin) {
    const minimum = formatLots(quantityMin, instrument);
    return reject('INVALID_QUANTITY', `${subject} is under the minimum ${minimum} of ${nameOf(instrument)}`);
  }
  return Number(lots) as Lots;
}

function nameOf({ symbol, venue }: Instrument): string {
  return `${symbol} on ${venue}`;
}

/** Reads a price on the instrument's grid and within its bounds; `code` is the error code of a wrong price. */
function parsePrice(value: unknown, path: string, code: RejectionCode, instrument: Instrument): OrRejection<Ticks> {
  const ticks = stepsOfUnits(stepsOf(value, instrument.pricePrecision), instrument.priceStep);
  const { priceMin, priceMax } = instrument.filters;
  if (typeof ticks === 'number' && ticks > 0 && ticks >= priceMin && ticks <= priceMax) return ticks as Ticks;
  const given = `${path} ${shown(value)}`;
  if (ticks === 'not a decimal' || ticks === 0) return reject(code, `${given} is not a decimal above 0`);
  const rule =
    ticks === 'off the grid'
      ? `not a multiple of the tick ${formatTicks(ONE_TICK, instrument)}`
      : ticks === 'too large' || ticks > priceMax
        ? `above the maximum ${formatTicks(priceMax, instrument)}`
        : `under the minimum ${formatTicks(priceMin, instrument)}`;
  return reject(code, `${given} is ${rule} of ${nameOf(instrument)}`);
}

/** Reads a decimal above 0, exactly; `code` is the error code of a wrong one. */
function parseMoney(value: unknown, path: string, code: RejectionCode): OrRejection<Amount> {
  const steps = stepsOf(value, AMOUNT_PRECISION);
  if (steps === 'not a decimal' || steps === 0) return reject(code, `${path} ${shown(value)} is not a decimal above 0`);
  if (steps === 'off the grid') {
    return reject(code, `${path} ${shown(value)} has more than ${AMOUNT_PRECISION} digits after the point`);
  }
  const text = decimalText(value) ?? '';
  return parseAmount(text.includes('.') ? text.replace(/0+$/, '') : text);
}

/** ISO 8601 in UTC: seconds and their fraction may be absent. */
const INSTANT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?(?:\.(\d{1,9}))?Z$/;

/**
 * Reads an instant to the millisecond; finer digits are cut off. null when the text is not an instant of the calendar.
 */
function parseInstant(value: unknown): EpochMs | null {
  const match = typeof value === 'string' ? INSTANT.exec(value) : null;
  if (match === null) return null;
  const [, year, month, day, hour, minute, second = 0, fraction = ''] = match;
  const [dayOfMonth, milliseconds] = [Number(day), Number(fraction.slice(0, 3).padEnd(3, '0'))];
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const midnight = new Date(0);
  midnight.setUTCFullYear(Number(year), Number(month) - 1, dayOfMonth);
  // A day or month that the calendar does not have rolls over into the next.
  if (midnight.getUTCDate() !== dayOfMonth || midnight.getUTCMonth() !== Number(month) - 1) return null;
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  return (midnight.getTime() + seconds * 1000 + milliseconds) as EpochMs;
}
