import { type Amount, formatAmount, parseAmount } from '../domain/quantity.js';
import {
  type RiskLimitHolder,
  type RiskLimits,
  type EngagedKillSwitch,
  type KillSwitchScope,
  NO_RISK_LIMITS,
} from '../domain/risk-limit.js';
import type { AccountId } from '../domain/ids.js';
import type { KeyTable } from '../keys/database.js';

/*
 * Rows of the table. All values except the first are JSON. The names are those of the first release:
 *
 *   generation         → number of changes of the table
 *   account/<account>  → risk limits of an account
 *   key/<api key>      → risk limits of a key, with its account
 *   halt/<account>     → the engaged kill switch of an account
 *   halts              → the engaged kill switch of the whole service
 */
export const GENERATION = 'generation';
const SERVICE_KILL_SWITCH = 'halts';
const ACCOUNT = 'account/';
const KEY = 'key/';
const HALT = 'halt/';

function holderKey(holder: RiskLimitHolder): string {
  return holder.kind === 'account' ? ACCOUNT + holder.account : KEY + holder.apiKey;
}

function killSwitchKey(scope: KillSwitchScope): string {
  return scope.kind === 'account' ? HALT + scope.account : SERVICE_KILL_SWITCH;
}

/** Any row except the generation. */
export type RiskLimitRow =
  | { readonly kind: 'limits'; readonly holder: RiskLimitHolder; readonly rules: RiskLimits }
  | { readonly kind: 'killSwitch'; readonly scope: KillSwitchScope; readonly engaged: EngagedKillSwitch };

type Stored = Partial<
  Omit<RiskLimits, 'maxOrderNotional' | 'maxGrossExposure'> & {
    readonly account: AccountId;
    readonly maxOrderNotional: string | null;
    readonly maxGrossExposure: string | null;
  }
>;

function encodeRiskLimits({ account }: RiskLimitHolder, rules: RiskLimits): Buffer {
  const [maxOrderNotional, maxGrossExposure] = [rules.maxOrderNotional, rules.maxGrossExposure].map(textOf);
  return Buffer.from(JSON.stringify({ ...rules, account, maxOrderNotional, maxGrossExposure }));
}

/** A row of an earlier version may lack later fields. */
function decodeRiskLimits(bytes: Buffer): { readonly account: AccountId; readonly rules: RiskLimits } {
  const { account, maxOrderNotional, maxGrossExposure, ...others } = JSON.parse(bytes.toString()) as Stored;
  const amounts = { maxOrderNotional: amountOf(maxOrderNotional), maxGrossExposure: amountOf(maxGrossExposure) };
  return { account: account as AccountId, rules: { ...NO_RISK_LIMITS, ...others, ...amounts } };
}

function encodeKillSwitch(engaged: Omit<EngagedKillSwitch, 'scope'>): Buffer {
  const { engagedAtMs, by, who } = engaged;
  return Buffer.from(JSON.stringify({ engagedAtMs, by, who }));
}

/** Decodes one row; null for the generation. */
export function decodeRow(key: string, bytes: Buffer): RiskLimitRow | null {
  if (key === SERVICE_KILL_SWITCH) return killSwitchRow({ kind: 'service' }, bytes);
  if (key.startsWith(HALT))
    return killSwitchRow({ kind: 'account', account: key.slice(HALT.length) as AccountId }, bytes);
  if (key === GENERATION) return null;
  const { account, rules } = decodeRiskLimits(bytes);
  if (key.startsWith(ACCOUNT)) return { kind: 'limits', holder: { kind: 'account', account }, rules };
  const apiKey = key.slice(KEY.length) as Extract<RiskLimitHolder, { kind: 'key' }>['apiKey'];
  return { kind: 'limits', holder: { kind: 'key', account, apiKey }, rules };
}

function killSwitchRow(scope: KillSwitchScope, bytes: Buffer): RiskLimitRow {
  const stored = JSON.parse(bytes.toString()) as Omit<EngagedKillSwitch, 'scope'>;
  return { kind: 'killSwitch', scope, engaged: { scope: scope.kind, ...stored } };
}

function textOf(amount: Amount | null): string | null {
  return amount === null ? null : formatAmount(amount);
}

function amountOf(text: string | null | undefined): Amount | null {
  return text === null || text === undefined ? null : parseAmount(text);
}

/** Changes of risk limits. null removes a limit; an absent one stays. */
export type RiskLimitChange = Partial<RiskLimits>;
export type StoredRiskLimits = Extract<RiskLimitRow, { kind: 'limits' }>;
export type StoredKillSwitch = Extract<RiskLimitRow, { kind: 'killSwitch' }>;

/** Sets risk limits and kill switches. Each change increments the generation, so that other threads notice it. */
export class RiskLimitStore {
  readonly #table: KeyTable;

  constructor(table: KeyTable) {
    this.#table = table;
  }

  /** On disk when it returns. Returns the new limits. */
  set(holder: RiskLimitHolder, change: RiskLimitChange): RiskLimits {
    return this.#table.transactionSync(() => {
      const stored = this.#table.get(holderKey(holder));
      const rules = { ...(stored === undefined ? NO_RISK_LIMITS : decodeRiskLimits(stored).rules), ...change };
      const isHeld = Object.values(rules).some((rule) => rule !== null);
      if (isHeld) this.#table.putSync(holderKey(holder), encodeRiskLimits(holder, rules));
      else this.#table.removeSync(holderKey(holder));
      this.#countGeneration();
      return rules;
    });
  }

  /** Calls back once it is on disk. An engaged switch stays unchanged, so that the first time and origin stay known. */
  engage(scope: KillSwitchScope, engaged: Omit<EngagedKillSwitch, 'scope'>, onDisk: () => void): void {
    const written = this.#table.transaction(() => {
      if (this.#table.get(killSwitchKey(scope)) !== undefined) return;
      void this.#table.put(killSwitchKey(scope), encodeKillSwitch(engaged));
      this.#countGeneration();
    });
    void written.then(() => onDisk());
  }

  /** On disk when it returns; false: it was not engaged. */
  release(scope: KillSwitchScope): boolean {
    return this.#table.transactionSync(() => {
      if (this.#table.get(killSwitchKey(scope)) === undefined) return false;
      this.#table.removeSync(killSwitchKey(scope));
      this.#countGeneration();
      return true;
    });
  }

  /** All rows, accounts before keys. */
  rows(): RiskLimitRow[] {
    this.#table.resetReadTxn();
    return [...this.#table.getRange()].flatMap(({ key, value }) => decodeRow(key, value) ?? []);
  }

  /** Call within a transaction. */
  #countGeneration(): void {
    const generation = Number(this.#table.get(GENERATION)?.toString() ?? 0);
    void this.#table.put(GENERATION, Buffer.from(String(generation + 1)));
  }
}
