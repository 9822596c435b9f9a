import { withSlash } from '../domain/instrument.js';
import type { Identity, RiskLimitChange, StoredRiskLimits } from '../runtime/identity.js';
import { type RiskLimitHolder, type RiskLimits, SELF_CROSS_MODES, type SelfCrossMode } from '../domain/risk-limit.js';
import { type Amount, amountOf, formatAmount, parseSteps } from '../domain/quantity.js';
import { asciiLower, asciiUpper } from '../domain/letter-case.js';
import { parseVenue, type Venue } from '../domain/exchange.js';

import type { AccountId, ApiKeyId } from '../domain/ids.js';
import {
  RISK_LIMIT_NAMES_MAX,
  RISK_LIMIT_OPEN_ORDERS_MAX,
  RISK_LIMIT_USD_MAX,
  PRICE_COLLAR_BPS_MAX,
} from '../domain/limits/trading.js';
import { isRejected, type OrRejection, reject } from '../domain/rejection.js';
import { type AdminSite, audit } from './admin-site.js';

/** Owner of risk limits: an account or an API key, never both. */
export interface HolderName {
  readonly account?: string | undefined;
  readonly key?: string | undefined;
}

/** New risk limits as text. `off` removes a limit; an absent limit stays unchanged. */
export type RiskLimitRequest = { readonly [Name in keyof RiskLimitTexts]?: string | undefined };

/** Risk limits of one owner as text. */
export interface ShownRiskLimits {
  readonly account: string;
  /** null: the limits belong to the account. */
  readonly apiKey: string | null;
  readonly rules: Partial<RiskLimitTexts>;
}

const OFF = 'off';

/** Changes risk limits. The service applies them from the next request on. */
export function setRiskLimits(
  site: AdminSite,
  { name, request }: { readonly name: HolderName; readonly request: RiskLimitRequest },
): OrRejection<ShownRiskLimits> {
  const { identity } = site;
  const holder = holderOf(identity, name);
  if (isRejected(holder)) return holder;
  const change = parseChange(request);
  if (isRejected(change)) return change;
  const key = holder.kind === 'key' ? { key: holder.apiKey } : {};
  audit(site, 'risk-limits.set', { account: holder.account, ...key, limits: request });
  return shown({ kind: 'limits', holder, rules: identity.riskLimits.set(holder, change) });
}

/** Lists the risk limits of one owner or of all owners. */
export function listRiskLimits({ identity }: AdminSite, { account, key }: HolderName): readonly ShownRiskLimits[] {
  return identity.riskLimits
    .rows()
    .filter((row) => row.kind === 'limits')
    .filter(({ holder }) => account === undefined || holder.account === account)
    .filter(({ holder }) => key === undefined || (holder.kind === 'key' && holder.apiKey === key))
    .map(shown);
}

/** Finds the owner. Refuses an unknown account or key, because limits on a mistyped name would limit nothing. */
function holderOf({ keys }: Identity, { account, key }: HolderName): OrRejection<RiskLimitHolder> {
  if ((account === undefined) === (key === undefined)) {
    return reject('INVALID_PARAM', 'give either an account or an API key');
  }
  const known = keys.list();
  if (key === undefined) {
    const isKnown = known.some((one) => one.account === account);
    if (isKnown) return { kind: 'account', account: account as AccountId };
    return reject(
      'INVALID_REQUEST',
      `account ${JSON.stringify(account)} has no API key: the limits would apply to no order`,
    );
  }
  const found = known.find(({ apiKey }) => apiKey === key);
  if (found === undefined) return reject('INVALID_API_KEY', `API key ${JSON.stringify(key)} does not exist`);
  return { kind: 'key', account: found.account, apiKey: found.apiKey };
}

function parseChange(request: RiskLimitRequest): OrRejection<RiskLimitChange> {
  const change: { -readonly [Name in keyof RiskLimitChange]: RiskLimitChange[Name] } = {};
  for (const name of Object.keys(READERS) as (keyof RiskLimitTexts)[]) {
    const text = request[name];
    if (text === undefined) continue;
    const value = asciiLower(text) === OFF ? null : READERS[name](text, name);
    if (isRejected<unknown>(value)) return value;
    Object.assign(change, { [MEMBERS[name]]: value });
  }
  if (Object.keys(change).length > 0) return change;
  return reject('INVALID_PARAM', `give at least one of ${Object.keys(READERS).join(', ')}`);
}

const MEMBERS: { readonly [Name in keyof RiskLimitTexts]: keyof RiskLimitChange } = {
  max_order_notional: 'maxOrderNotional',
  max_open_orders: 'maxOpenOrders',
  max_gross_exposure: 'maxGrossExposure',
  allowed_exchanges: 'allowedExchanges',
  allowed_symbols: 'allowedSymbols',
  price_collar_bps: 'priceCollarBps',
  self_cross: 'selfCross',
};

const READERS: { readonly [Name in keyof RiskLimitTexts]: (text: string, name: string) => OrRejection<unknown> } = {
  max_order_notional: usd,
  max_open_orders: (text, name) => integer(text, name, 0, RISK_LIMIT_OPEN_ORDERS_MAX),
  max_gross_exposure: usd,
  allowed_exchanges: exchanges,
  allowed_symbols: symbols,
  price_collar_bps: (text, name) => integer(text, name, 1, PRICE_COLLAR_BPS_MAX),
  self_cross: selfCross,
};

function usd(text: string, name: string): OrRejection<Amount> {
  const cents = parseSteps(text, 2);
  if (typeof cents === 'number' && cents <= RISK_LIMIT_USD_MAX * 100) return amountOf(cents, 2);
  return reject(
    'INVALID_PARAM',
    `${name} ${text} is not an amount of USD from 0 to ${RISK_LIMIT_USD_MAX} in whole cents`,
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
    if (venue === null) return reject('INVALID_PARAM', `${name}: ${JSON.stringify(item)} is not a trading exchange`);
    if (!venues.includes(venue)) venues.push(venue);
  }
  return venues;
}

const SYMBOL = /^[A-Z0-9]+\/([A-Z0-9]+)(?::\1)?$/;

function symbols(text: string, name: string): OrRejection<readonly string[]> {
  const found = [...new Set(text.split(',').map((item) => withSlash(item.trim())))];
  if (found.length > RISK_LIMIT_NAMES_MAX) {
    return reject('INVALID_PARAM', `${name} has ${found.length} symbols; the maximum is ${RISK_LIMIT_NAMES_MAX}`);
  }
  const wrong = found.find((symbol) => !SYMBOL.test(symbol));
  if (wrong === undefined) return found;
  return reject('INVALID_PARAM', `${name}: ${JSON.stringify(wrong)} is neither BASE/QUOTE nor BASE/QUOTE:QUOTE`);
}

function selfCross(text: string, name: string): OrRejection<SelfCrossMode> {
  const mode = SELF_CROSS_MODES.find((one) => one === asciiUpper(text));
  return mode ?? reject('INVALID_PARAM', `${name} ${text} is not one of ${SELF_CROSS_MODES.join(', ')}`);
}

function shown({ holder, rules }: StoredRiskLimits): ShownRiskLimits {
  const apiKey: ApiKeyId | null = holder.kind === 'key' ? holder.apiKey : null;
  return { account: holder.account, apiKey, rules: describeRiskLimits(rules) };
}

/** Risk limits by their names in the public API. */
interface RiskLimitTexts {
  readonly max_order_notional: string;
  readonly max_open_orders: string;
  readonly max_gross_exposure: string;
  readonly allowed_exchanges: string;
  readonly allowed_symbols: string;
  readonly price_collar_bps: string;
  readonly self_cross: string;
}

/** Formats the limits that are set. */
export function describeRiskLimits(rules: RiskLimits): Partial<RiskLimitTexts> {
  const texts: { readonly [Name in keyof RiskLimitTexts]: string | null } = {
    max_order_notional: amountText(rules.maxOrderNotional),
    max_open_orders: rules.maxOpenOrders === null ? null : String(rules.maxOpenOrders),
    max_gross_exposure: amountText(rules.maxGrossExposure),
    allowed_exchanges: rules.allowedExchanges?.join(',') ?? null,
    allowed_symbols: rules.allowedSymbols?.join(',') ?? null,
    price_collar_bps: rules.priceCollarBps === null ? null : String(rules.priceCollarBps),
    self_cross: rules.selfCross,
  };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null));
}

function amountText(amount: Amount | null): string | null {
  return amount === null ? null : formatAmount(amount);
}
