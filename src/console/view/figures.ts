import { Big } from 'big.js';
import { SluiceError } from '../../client/sluice-error.js';
import type { TimelineEntry } from '../../client/wire.js';

/** Weight of a text: important texts stand out. */
export type Tone = 'plain' | 'quiet' | 'good' | 'warning' | 'bad';

/*
 * Numbers and times as text. Quantities and money are exact decimals: the shortest decimal of a JSON number of the
 * service is the decimal that the service wrote. Times are UTC, if their text does not say otherwise.
 */

const PRICE = new Intl.NumberFormat('en', { maximumSignificantDigits: 8 });
const MONEY = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const THOUSANDS = /\B(?=(\d{3})+$)/g;

/** The exact decimal, its integer part in groups of three digits. */
export function decimalText(value: number | string): string {
  const [integer = '', fraction] = new Big(value).toFixed().split('.');
  const grouped = integer.replace(THOUSANDS, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** The exact sum of two decimals. */
export function sum(one: number, other: number): number {
  return new Big(one).plus(other).toNumber();
}

/** The exact difference of two decimals. */
export function difference(whole: number, part: number): number {
  return new Big(whole).minus(part).toNumber();
}

/** The figures of a reason as `name=value`, and its words. */
export function detailText(detail: TimelineEntry['detail']): string {
  return Object.entries(detail ?? {})
    .map(([name, value]) => {
      if (name === 'message') return value;
      return `${name}=${typeof value === 'number' ? new Big(value).toFixed() : value}`;
    })
    .join(' ');
}

/** A price, or an average of prices, at 8 significant digits. */
export function priceText(price: number): string {
  return PRICE.format(price);
}

/** An amount of money at two decimals. */
export function moneyText(amount: number): string {
  return MONEY.format(amount);
}

/** A share of 1 as percent, rounded down: only a whole shows 100%. */
export function percentText(share: number): string {
  return `${Math.floor(share * 1000) / 10}%`;
}

/** Basis points with their sign; 0.0 has none. */
export function basisPointsText(bps: number): string {
  const tenths = Math.round(bps * 10);
  return `${tenths > 0 ? '+' : ''}${(tenths / 10 || 0).toFixed(1)} bps`;
}

/** A time span in its two largest units. */
export function spanText(spanMs: number): string {
  const ms = Math.max(0, spanMs);
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)}s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m ${padded(Math.floor((ms % MINUTE_MS) / SECOND_MS))}s`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)}h ${padded(Math.floor((ms % HOUR_MS) / MINUTE_MS))}m`;
  return `${Math.floor(ms / DAY_MS)}d ${padded(Math.floor((ms % DAY_MS) / HOUR_MS))}h`;
}

/** Time of day, to the second. */
export function clockText(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19);
}

/** Time of day, to the millisecond. */
export function exactClockText(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 23);
}

/** Day and time in the time zone of this machine. */
export function localText(atMs: number): string {
  const at = new Date(atMs);
  const day = [at.getFullYear(), padded(at.getMonth() + 1), padded(at.getDate())].join('-');
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(padded).join(':')}`;
}

/** Day and time. */
export function instantText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A refusal in the words of the service: CODE (REASON): message. Parts that it did not give are left out. */
export function refusalText(code: string | undefined, reason: string | null | undefined, message = ''): string {
  const head = [code, reason ? `(${reason})` : ''].filter((part) => part !== undefined && part !== '').join(' ');
  return [head, message].filter((part) => part !== '').join(': ');
}

/** What anything that was thrown says. A code that says nothing, and one that no answer gave, is left out. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof SluiceError)) return error.message;
  const { status, code, reason, message } = error;
  const saysNothing = status === 0 || (code === 'OTHER' && reason === null);
  return refusalText(saysNothing ? '' : code, reason, message);
}

function padded(count: number): string {
  return String(count).padStart(2, '0');
}
