/* Numbers and times as the page shows them: plain text, times in UTC. */

const QUANTITY = new Intl.NumberFormat('en', { maximumFractionDigits: 8 });
const PRICE = new Intl.NumberFormat('en', { maximumSignificantDigits: 8 });
const MONEY = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const COUNT = new Intl.NumberFormat('en');

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export function quantityText(quantity: number): string {
  return QUANTITY.format(quantity);
}

/** A price, or an average of prices, at 8 digits. */
export function priceText(price: number): string {
  return PRICE.format(price);
}

export function moneyText(amount: number): string {
  return MONEY.format(amount);
}

export function countText(count: number): string {
  return COUNT.format(count);
}

/** A part of 1 as percent, rounded down: only what is whole says 100%. */
export function percentText(part: number): string {
  return `${Math.floor(part * 1000) / 10}%`;
}

/** Signed basis points. */
export function basisPointsText(bps: number): string {
  return `${bps > 0 ? '+' : ''}${bps.toFixed(1)} bps`;
}

/** How long, in its two largest units. */
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

/** Day and time. */
export function instantText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function padded(count: number): string {
  return String(count).padStart(2, '0');
}
