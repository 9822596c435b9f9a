import { isCounting, type Binding, type Bounds, type Guardrails, type Halt } from '../../model/guardrail.js';
import type { AccountId, ApiKeyId } from '../../model/ids.js';
import { IDENTITY_LOOK_MS } from '../../model/limits.js';
import type { Table } from './database.js';
import { decodeRow, GENERATION, type GuardrailRow } from './guardrail-row.js';

/** What holds an account as a whole: its own guardrails, and what those of all its keys need to know of it. */
interface AccountBounds {
  rules: Guardrails | null;
  isCounted: boolean;
  isValued: boolean;
}

/**
 * The guardrails as a running service has them: in memory, read anew within a millisecond of any process's change. Asked
 * before every order, so an order that nothing holds costs next to nothing.
 */
export class GuardrailDirectory {
  readonly #table: Table;
  readonly #listeners: (() => void)[] = [];
  readonly #accounts = new Map<AccountId, AccountBounds>();
  readonly #keys = new Map<ApiKeyId, Guardrails>();
  readonly #halted = new Map<AccountId, Halt>();
  #serviceHalt: Halt | null = null;
  #generation = '';
  #lookedAtMs = -Infinity;
  #isEmpty = true;

  constructor(table: Table) {
    this.#table = table;
    this.look();
  }

  /** Tells the listener, from now on, whenever something has been set, lifted, engaged or released. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** What an order is judged by; null: by nothing. */
  boundsOf(account: AccountId, apiKey: ApiKeyId): Bounds | null {
    this.look();
    if (this.#isEmpty) return null;
    const found = this.#accounts.get(account);
    const halt = this.haltOf(account);
    const keyRules = this.#keys.get(apiKey);
    if (found === undefined && halt === null) return null;
    const bindings: Binding[] = [];
    if (found?.rules) bindings.push({ holder: 'account', rules: found.rules });
    if (keyRules !== undefined) bindings.push({ holder: 'key', rules: keyRules });
    const isCounted = found?.isCounted ?? false;
    if (bindings.length === 0 && halt === null && !isCounted) return null;
    return { halt, bindings, isCounted, isValued: found?.isValued ?? false };
  }

  /** The engaged kill switch that halts the account; null: none does. */
  haltOf(account: AccountId): Halt | null {
    return this.#serviceHalt ?? this.#halted.get(account) ?? null;
  }

  get haltedAccounts(): readonly AccountId[] {
    return [...this.#halted.keys()];
  }

  get isServiceHalted(): boolean {
    return this.#serviceHalt !== null;
  }

  /** Takes up what has changed; with `isUrgent` even if it has looked just before. */
  look(isUrgent = false): void {
    const nowMs = performance.now();
    if (!isUrgent && nowMs - this.#lookedAtMs < IDENTITY_LOOK_MS) return;
    this.#lookedAtMs = nowMs;
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
    this.#halted.clear();
    this.#serviceHalt = null;
    for (const { key, value } of this.#table.getRange()) {
      const row = decodeRow(key, value);
      if (row !== null) this.#take(row);
    }
    this.#isEmpty = this.#accounts.size === 0 && this.#halted.size === 0 && this.#serviceHalt === null;
  }

  #take(row: GuardrailRow): void {
    if (row.kind === 'halt') {
      if (row.scope.kind === 'service') this.#serviceHalt = row.halt;
      else this.#halted.set(row.scope.account, row.halt);
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
