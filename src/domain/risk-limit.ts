import type { Venue } from './exchange.js';
import type { AccountId, ApiKeyId } from './ids.js';
import type { Amount } from './quantity.js';
/** REFUSE: refuses an order that could trade with an open order of the same account. */
export const SELF_CROSS_MODES = ['ALLOW', 'REFUSE'] as const;
export type SelfCrossMode = (typeof SELF_CROSS_MODES)[number];

/** Risk limits for the orders of an account, or of one API key; null: no such limit. */
export interface RiskLimits {
  /** Largest worth of one order in USD, both legs of a pair together. */
  readonly maxOrderNotional: Amount | null;
  /** Largest number of open parent orders of the account. A pair counts once. */
  readonly maxOpenOrders: number | null;
  /** Largest sum in USD of the leaves of all open orders and of all futures positions, long and short added up. */
  readonly maxGrossExposure: Amount | null;
  readonly allowedExchanges: readonly Venue[] | null;
  /** Canonical symbols: `BTC/USDT` is the spot pair only, `BTC/USDT:USDT` its perpetual. */
  readonly allowedSymbols: readonly string[] | null;
  /** Largest distance of an order's price from the mid in either direction, in basis points of the mid. */
  readonly priceCollarBps: number | null;
  readonly selfCross: SelfCrossMode | null;
}

export const NO_RISK_LIMITS: RiskLimits = {
  maxOrderNotional: null,
  maxOpenOrders: null,
  maxGrossExposure: null,
  allowedExchanges: null,
  allowedSymbols: null,
  priceCollarBps: null,
  selfCross: null,
};

/** The names of the fields; refusals are counted by them. */
export const RISK_LIMIT_NAMES = [
  'kill_switch',
  'allowed_exchanges',
  'allowed_symbols',
  'price_collar_bps',
  'self_cross',
  'max_order_notional',
  'max_open_orders',
  'max_gross_exposure',
] as const;
export type RiskLimitName = (typeof RISK_LIMIT_NAMES)[number];

/** Refusals by risk limit since the service started. */
export type RiskLimitCounts = Record<RiskLimitName, number>;

export function noRiskLimitCounts(): RiskLimitCounts {
  return Object.fromEntries(RISK_LIMIT_NAMES.map((name) => [name, 0])) as RiskLimitCounts;
}

/** Holder of risk limits: an account or an API key. */
export type RiskLimitHolder =
  | { readonly kind: 'account'; readonly account: AccountId }
  | { readonly kind: 'key'; readonly account: AccountId; readonly apiKey: ApiKeyId };

/** Scope of a kill switch: the trading of one account, or of all accounts. */
export type KillSwitchScope = { readonly kind: 'account'; readonly account: AccountId } | { readonly kind: 'service' };

/** An engaged kill switch. */
export interface EngagedKillSwitch {
  readonly scope: KillSwitchScope['kind'];
  /** Real time, epoch milliseconds. */
  readonly engagedAtMs: number;
  readonly by: 'OPERATOR' | 'API_KEY';
  /** The operator's user of the operating system, or the id of the API key. Absent: engaged by an earlier release. */
  readonly who?: string;
}

/** One set of risk limits for an order, and its holder. */
export interface AppliedLimits {
  readonly holder: RiskLimitHolder['kind'];
  readonly rules: RiskLimits;
}

/** All risk limits and the kill switch for an order of an account, sent with one of its keys. */
export interface RiskBounds {
  readonly killSwitch: EngagedKillSwitch | null;
  /** Sets with at least one limit, the account's first. */
  readonly bindings: readonly AppliedLimits[];
  /** True when a limit of the account or of one of its keys needs the count of open orders. */
  readonly isCounted: boolean;
  /** True when a limit needs the worth of the open orders too. */
  readonly isValued: boolean;
}

/** True when a limit depends on the account's open orders, and not only on the order itself. */
export function isCounting({ maxOpenOrders, maxGrossExposure, selfCross }: RiskLimits): boolean {
  return maxOpenOrders !== null || maxGrossExposure !== null || selfCross === 'REFUSE';
}

/** The account's use of its limits. */
export interface AccountUsage {
  readonly openOrderCount: number;
  /** In USD; null: no limit needs it. */
  readonly grossExposure: Amount | null;
}
