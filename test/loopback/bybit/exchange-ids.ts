import type { LedgerFill } from '../ledger.js';
import type { Category } from './instruments.js';

/*
 * Ids as Bybit writes them: spot orders and trades have 19 digits, linear ones are UUIDs. The number of the loopback
 * exchange is their end.
 */

const SPOT_HEAD = '2';
const SPOT_DIGITS = 18;
const UUID_HEAD = { order: '5cf98598-39a7-459e-97bf-', trade: '7e2ae69c-4edf-5800-a352-' } as const;
const UUID_DIGITS = 12;

export function orderIdText(category: Category, id: number): string {
  return category === 'spot' ? spotId(id) : `${UUID_HEAD.order}${hex(id)}`;
}

/** null: a text that is no id of this exchange. */
export function orderIdOf(category: Category, text: string): number | null {
  const digits = category === 'spot' ? /^2(\d{18})$/.exec(text)?.[1] : linearDigits(text);
  return digits === undefined ? null : Number.parseInt(digits, category === 'spot' ? 10 : 16);
}

/** Both sides of a trade have an id of their own. */
export function executionId(category: Category, { tradeId, isMaker }: Pick<LedgerFill, 'tradeId' | 'isMaker'>): string {
  const number = tradeId * 2 + (isMaker ? 1 : 0);
  return category === 'spot' ? spotId(number) : `${UUID_HEAD.trade}${hex(number)}`;
}

function linearDigits(text: string): string | undefined {
  if (!text.startsWith(UUID_HEAD.order)) return undefined;
  return /^[0-9a-f]{12}$/.exec(text.slice(UUID_HEAD.order.length))?.[0];
}

function spotId(number: number): string {
  return `${SPOT_HEAD}${String(number).padStart(SPOT_DIGITS, '0')}`;
}

function hex(number: number): string {
  return number.toString(16).padStart(UUID_DIGITS, '0');
}
