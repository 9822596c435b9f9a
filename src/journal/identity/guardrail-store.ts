import {
  NO_GUARDRAILS,
  type GuardrailHolder,
  type Guardrails,
  type Halt,
  type KillScope,
} from '../../model/guardrail.js';
import type { Table } from './database.js';
import {
  decodeGuardrails,
  decodeRow,
  encodeGuardrails,
  encodeHalt,
  GENERATION,
  haltKey,
  holderKey,
  type GuardrailRow,
} from './guardrail-row.js';

/** What is to be other than it was; null lifts a guardrail, what is absent stays. */
export type GuardrailChange = Partial<Guardrails>;
export type HeldGuardrails = Extract<GuardrailRow, { kind: 'guardrails' }>;
export type HeldHalt = Extract<GuardrailRow, { kind: 'halt' }>;

/** Sets guardrails and kill switches. Each change counts a generation, by which other processes notice it. */
export class GuardrailStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** On disk when it returns; what holds from then on. */
  set(holder: GuardrailHolder, change: GuardrailChange): Guardrails {
    return this.#table.transactionSync(() => {
      const stored = this.#table.get(holderKey(holder));
      const rules = { ...(stored === undefined ? NO_GUARDRAILS : decodeGuardrails(stored).rules), ...change };
      const isHeld = Object.values(rules).some((rule) => rule !== null);
      if (isHeld) this.#table.putSync(holderKey(holder), encodeGuardrails(holder, rules));
      else this.#table.removeSync(holderKey(holder));
      this.#countGeneration();
      return rules;
    });
  }

  /**
   * Calls back once it is on disk. An engaged switch stays as it was: it is known since when and by whom trading is
   * halted.
   */
  engage(scope: KillScope, halt: Omit<Halt, 'scope'>, onDisk: () => void): void {
    const written = this.#table.transaction(() => {
      if (this.#table.get(haltKey(scope)) !== undefined) return;
      void this.#table.put(haltKey(scope), encodeHalt(halt));
      this.#countGeneration();
    });
    void written.then(() => onDisk());
  }

  /** On disk when it returns; false when it was not engaged. */
  release(scope: KillScope): boolean {
    return this.#table.transactionSync(() => {
      if (this.#table.get(haltKey(scope)) === undefined) return false;
      this.#table.removeSync(haltKey(scope));
      this.#countGeneration();
      return true;
    });
  }

  /** Everything that is set, accounts before keys. */
  rows(): GuardrailRow[] {
    this.#table.resetReadTxn();
    return [...this.#table.getRange()].flatMap(({ key, value }) => decodeRow(key, value) ?? []);
  }

  /** Within a transaction. */
  #countGeneration(): void {
    const generation = Number(this.#table.get(GENERATION)?.toString() ?? 0);
    void this.#table.put(GENERATION, Buffer.from(String(generation + 1)));
  }
}
