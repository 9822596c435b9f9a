import type { Amount } from './amount.js';
import type { Venue } from './exchange.js';
import type { AccountId, ApiKeyId } from './ids.js';

/** REFUSE: no order may come in that could trade with an open one of the same account. */
export const SELF_CROSS_MODES = ['ALLOW', 'REFUSE'] as const;
export type SelfCrossMode = (typeof SELF_CROSS_MODES)[number];

/** What the orders of an account, or of one API key, are held to before they are taken; null: not by this. */
export interface Guardrails {
  /** Worth of one order in USD, both legs of a pair together. */
  readonly maxOrderNotional: Amount | null;
  /** Parent orders of the account that may be open at once, its pairs counted once. */
  readonly maxOpenOrders: number | null;
  /** Worth in USD of all that open orders have left to trade and of all futures positions, long and short added up. */
  readonly maxGrossExposure: Amount | null;
  readonly allowedExchanges: readonly Venue[] | null;
  /** Canonical: `BTC/USDT` is the spot pair alone, `BTC/USDT:USDT` its perpetual. */
  readonly allowedSymbols: readonly string[] | null;
  /** How far a price of an order may lie from the mid, in basis points of it, either way. */
  readonly priceCollarBps: number | null;
  readonly selfCross: SelfCrossMode | null;
}

export const NO_GUARDRAILS: Guardrails = {
  maxOrderNotional: null,
  maxOpenOrders: null,
  maxGrossExposure: null,
  allowedExchanges: null,
  allowedSymbols: null,
  priceCollarBps: null,
  selfCross: null,
};

/** By the names of their fields; what refuses is counted by these. */
export const GUARDRAIL_NAMES = [
  'kill_switch',
  'allowed_exchanges',
  'allowed_symbols',
  'price_collar_bps',
  'self_cross',
  'max_order_notional',
  'max_open_orders',
  'max_gross_exposure',
] as const;
export type GuardrailName = (typeof GUARDRAIL_NAMES)[number];

/** How often each guardrail has refused since the service started. */
export type GuardrailCounts = Record<GuardrailName, number>;

export function noGuardrailCounts(): GuardrailCounts {
  return Object.fromEntries(GUARDRAIL_NAMES.map((name) => [name, 0])) as GuardrailCounts;
}

/** Who is held to guardrails. */
export type GuardrailHolder =
  | { readonly kind: 'account'; readonly account: AccountId }
  | { readonly kind: 'key'; readonly account: AccountId; readonly apiKey: ApiKeyId };

/** What a kill switch stands still: one account's trading, or everybody's. */
export type KillScope = { readonly kind: 'account'; readonly account: AccountId } | { readonly kind: 'service' };

/** An engaged kill switch. */
export interface Halt {
  readonly scope: KillScope['kind'];
  /** Real time, epoch milliseconds. */
  readonly engagedAtMs: number;
  readonly by: 'OPERATOR' | 'API_KEY';
}

/** One set of guardrails that an order is judged by, and whose it is. */
export interface Binding {
  readonly holder: GuardrailHolder['kind'];
  readonly rules: Guardrails;
}

/** All that an order of an account, sent with one of its keys, is judged by. */
export interface Bounds {
  readonly halt: Halt | null;
  /** Those that hold anything, the account's first. */
  readonly bindings: readonly Binding[];
  /** Open orders of the account are counted, because it or one of its keys is bound by them. */
  readonly isCounted: boolean;
  /** What they are worth is, too. */
  readonly isValued: boolean;
}

/** True when the open orders of the account decide, and not the order alone. */
export function isCounting({ maxOpenOrders, maxGrossExposure, selfCross }: Guardrails): boolean {
  return maxOpenOrders !== null || maxGrossExposure !== null || selfCross === 'REFUSE';
}
