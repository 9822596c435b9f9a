import {
  isCounting,
  type AppliedLimits,
  type RiskBounds,
  type RiskLimits,
  type EngagedKillSwitch,
} from '../domain/risk-limit.js';
import type { AccountId, ApiKeyId } from '../domain/ids.js';
import { IDENTITY_READ_MS } from '../domain/limits/trading.js';
import type { KeyTable } from '../keys/database.js';
import { decodeRow, GENERATION, type RiskLimitRow } from './limit-store.js';

/** The limits of an account, and the counts that the limits of the account or of its keys need. */
interface AccountBounds {
  rules: RiskLimits | null;
  isCounted: boolean;
  isValued: boolean;
}

/**
 * The risk limits in memory. A change of any thread is read within IDENTITY_READ_MS. Called before every order, so an
 * order without limits costs almost nothing.
 */
export class RiskLimitDirectory {
  readonly #table: KeyTable;
  readonly #listeners: (() => void)[] = [];
  readonly #accounts = new Map<AccountId, AccountBounds>();
  readonly #keys = new Map<ApiKeyId, RiskLimits>();
  readonly #stopped = new Map<AccountId, EngagedKillSwitch>();
  #serviceSwitch: EngagedKillSwitch | null = null;
  #generation = '';
  #readAtMs = -Infinity;
  #isEmpty = true;

  constructor(table: KeyTable) {
    this.#table = table;
    this.refresh();
  }

  /** Calls the listener after every change of limits and kill switches. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** The limits of an order; null: none. */
  boundsOf(account: AccountId, apiKey: ApiKeyId): RiskBounds | null {
    this.refresh();
    if (this.#isEmpty) return null;
    const found = this.#accounts.get(account);
    const killSwitch = this.killSwitchOf(account);
    const keyRules = this.#keys.get(apiKey);
    if (found === undefined && killSwitch === null) return null;
    const bindings: AppliedLimits[] = [];
    if (found?.rules) bindings.push({ holder: 'account', rules: found.rules });
    if (keyRules !== undefined) bindings.push({ holder: 'key', rules: keyRules });
    const isCounted = found?.isCounted ?? false;
    if (bindings.length === 0 && killSwitch === null && !isCounted) return null;
    return { killSwitch, bindings, isCounted, isValued: found?.isValued ?? false };
  }

  /** True when limits are set for the account itself. */
  hasLimits(account: AccountId): boolean {
    this.refresh();
    return (this.#accounts.get(account)?.rules ?? null) !== null;
  }

  /** The engaged kill switch that stops the account; null: none. */
  killSwitchOf(account: AccountId): EngagedKillSwitch | null {
    return this.#serviceSwitch ?? this.#stopped.get(account) ?? null;
  }

  get stoppedAccounts(): readonly AccountId[] {
    return [...this.#stopped.keys()];
  }

  get serviceSwitch(): EngagedKillSwitch | null {
    return this.#serviceSwitch;
  }

  /** Reads changes. `isUrgent`: also when the last read was less than IDENTITY_READ_MS ago. */
  refresh(isUrgent = false): void {
    const nowMs = performance.now();
    if (!isUrgent && nowMs - this.#readAtMs < IDENTITY_READ_MS) return;
    this.#readAtMs = nowMs;
    this.#table.resetReadTxn();
    const generation = this.#table.get(GENERATION)?.toString() ?? '';
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#load();
    for (const listener of this.#listeners) listener();
  }

  #load(): void {
    this.#accounts.clear();
    this.#keys.clear();
    this.#stopped.clear();
    this.#serviceSwitch = null;
    for (const { key, value } of this.#table.getRange()) {
      const row = decodeRow(key, value);
      if (row !== null) this.#take(row);
    }
    this.#isEmpty = this.#accounts.size === 0 && this.#stopped.size === 0 && this.#serviceSwitch === null;
  }

  #take(row: RiskLimitRow): void {
    if (row.kind === 'killSwitch') {
      if (row.scope.kind === 'service') this.#serviceSwitch = row.engaged;
      else this.#stopped.set(row.scope.account, row.engaged);
      return;
    }
    const { holder, rules } = row;
    const found = this.#accounts.get(holder.account) ?? { rules: null, isCounted: false, isValued: false };
    found.isCounted ||= isCounting(rules);
    found.isValued ||= rules.maxGrossExposure !== null;
    if (holder.kind === 'account') found.rules = rules;
    else this.#keys.set(holder.apiKey, rules);
    this.#accounts.set(holder.account, found);
  }
}
