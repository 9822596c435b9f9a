import type { GuardrailChange, HeldGuardrails, Identity } from '../journal/identity/index.js';
import { amountOf, type Amount } from '../model/amount.js';
import { parseVenue, type Venue } from '../model/exchange.js';
import { SELF_CROSS_MODES, type GuardrailHolder, type SelfCrossMode } from '../model/guardrail.js';
import type { AccountId, ApiKeyId } from '../model/ids.js';
import {
  GUARDRAIL_NAMES_MAX,
  GUARDRAIL_OPEN_ORDERS_MAX,
  GUARDRAIL_USD_MAX,
  PRICE_COLLAR_BPS_MAX,
} from '../model/limits.js';
import { parseSteps } from '../model/quantity.js';
import { isRejected, reject, type OrRejection } from '../model/rejection.js';
import { withExisting, type DataDirectory } from './data-directory.js';
import { describeGuardrails, type GuardrailTexts } from './guardrail-texts.js';

/** Whose guardrails: an account's or a key's, never both. */
export interface HolderName {
  readonly account?: string | undefined;
  readonly key?: string | undefined;
}

/** Guardrails as they are typed; `off` lifts one, what is absent stays. */
export type GuardrailRequest = { readonly [Name in keyof GuardrailTexts]?: string | undefined };

/** One holder's guardrails, as texts. */
export interface ShownGuardrails {
  readonly account: string;
  /** null: they are the account's. */
  readonly apiKey: string | null;
  readonly rules: Partial<GuardrailTexts>;
}

const OFF = 'off';

/** A running service holds orders to them from their next request on. */
export function setGuardrails(
  data: DataDirectory,
  name: HolderName,
  request: GuardrailRequest,
): Promise<OrRejection<ShownGuardrails>> {
  return withExisting(data, (identity) => {
    const holder = holderOf(identity, name);
    if (isRejected(holder)) return holder;
    const change = parseChange(request);
    if (isRejected(change)) return change;
    return shown({ kind: 'guardrails', holder, rules: identity.guardrails.set(holder, change) });
  });
}

/** Those of one holder, or of all that have any. */
export function listGuardrails(
  data: DataDirectory,
  name: HolderName,
): Promise<OrRejection<readonly ShownGuardrails[]>> {
  return withExisting(data, (identity) => {
    const held = identity.guardrails.rows().filter((row) => row.kind === 'guardrails');
    const { account, key } = name;
    return held
      .filter(({ holder }) => account === undefined || holder.account === account)
      .filter(({ holder }) => key === undefined || (holder.kind === 'key' && holder.apiKey === key))
      .map(shown);
  });
}

/** A holder that nobody has ever been is a typing error, which would hold nobody. */
function holderOf({ keys }: Identity, { account, key }: HolderName): OrRejection<GuardrailHolder> {
  if ((account === undefined) === (key === undefined)) {
    return reject('INVALID_PARAM', 'name either an account or an API key');
  }
  const known = keys.list();
  if (key === undefined) {
    const isKnown = known.some((one) => one.account === account);
    if (isKnown) return { kind: 'account', account: account as AccountId };
    return reject('INVALID_PARAM', `account ${JSON.stringify(account)} has no API key: nobody would be held`);
  }
  const found = known.find(({ apiKey }) => apiKey === key);
  if (found === undefined) return reject('INVALID_API_KEY', `there is no API key ${JSON.stringify(key)}`);
  return { kind: 'key', account: found.account, apiKey: found.apiKey };
}

function parseChange(request: GuardrailRequest): OrRejection<GuardrailChange> {
  const change: { -readonly [Name in keyof GuardrailChange]: GuardrailChange[Name] } = {};
  for (const name of Object.keys(READERS) as (keyof GuardrailTexts)[]) {
    const text = request[name];
    if (text === undefined) continue;
    const value = text.toLowerCase() === OFF ? null : READERS[name](text, name);
    if (isRejected<unknown>(value)) return value;
    Object.assign(change, { [MEMBERS[name]]: value });
  }
  if (Object.keys(change).length > 0) return change;
  return reject('INVALID_PARAM', `name at least one of ${Object.keys(READERS).join(', ')}`);
}

const MEMBERS: { readonly [Name in keyof GuardrailTexts]: keyof GuardrailChange } = {
  max_order_notional: 'maxOrderNotional',
  max_open_orders: 'maxOpenOrders',
  max_gross_exposure: 'maxGrossExposure',
  allowed_exchanges: 'allowedExchanges',
  allowed_symbols: 'allowedSymbols',
  price_collar_bps: 'priceCollarBps',
  self_cross: 'selfCross',
};

const READERS: { readonly [Name in keyof GuardrailTexts]: (text: string, name: string) => OrRejection<unknown> } = {
  max_order_notional: usd,
  max_open_orders: (text, name) => integer(text, name, 0, GUARDRAIL_OPEN_ORDERS_MAX),
  max_gross_exposure: usd,
  allowed_exchanges: exchanges,
  allowed_symbols: symbols,
  price_collar_bps: (text, name) => integer(text, name, 1, PRICE_COLLAR_BPS_MAX),
  self_cross: selfCross,
};

function usd(text: string, name: string): OrRejection<Amount> {
  const cents = parseSteps(text, 2);
  if (typeof cents === 'number' && cents <= GUARDRAIL_USD_MAX * 100) return amountOf(cents, 2);
  return reject(
    'INVALID_PARAM',
    `${name} ${text} is not an amount of USD from 0 to ${GUARDRAIL_USD_MAX} in whole cents`,
  );
}

function integer(text: string, name: string, min: number, max: number): OrRejection<number> {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value;
  return reject('INVALID_PARAM', `${name} ${text} is not an integer from ${min} to ${max}`);
}

function exchanges(text: string, name: string): OrRejection<readonly Venue[]> {
  const venues: Venue[] = [];
  for (const item of text.split(',')) {
    const venue = parseVenue(item.trim());
    if (venue === null) return reject('INVALID_PARAM', `${name}: ${JSON.stringify(item)} takes no orders`);
    if (!venues.includes(venue)) venues.push(venue);
  }
  return venues;
}

const SYMBOL = /^[A-Z0-9]+\/([A-Z0-9]+)(?::\1)?$/;

function symbols(text: string, name: string): OrRejection<readonly string[]> {
  const found = [...new Set(text.split(',').map((item) => item.trim().toUpperCase()))];
  if (found.length > GUARDRAIL_NAMES_MAX) {
    return reject('INVALID_PARAM', `${name} has ${found.length} symbols; at most ${GUARDRAIL_NAMES_MAX} are kept`);
  }
  const wrong = found.find((symbol) => !SYMBOL.test(symbol));
  if (wrong === undefined) return found;
  return reject('INVALID_PARAM', `${name}: ${JSON.stringify(wrong)} is neither BASE/QUOTE nor BASE/QUOTE:QUOTE`);
}

function selfCross(text: string, name: string): OrRejection<SelfCrossMode> {
  const mode = SELF_CROSS_MODES.find((one) => one === text.toUpperCase());
  return mode ?? reject('INVALID_PARAM', `${name} ${text} is not one of ${SELF_CROSS_MODES.join(', ')}`);
}

function shown({ holder, rules }: HeldGuardrails): ShownGuardrails {
  const apiKey: ApiKeyId | null = holder.kind === 'key' ? holder.apiKey : null;
  return { account: holder.account, apiKey, rules: describeGuardrails(rules) };
}
