import type { KeyTable } from '../../src/keys/database.js';
import { TradingStore } from '../../src/keys/trading-store.js';
import { restoreRecord } from '../../src/domain/restore.js';
import { MemoryTable } from './memory-table.js';

type Later = (run: () => void) => void;

/** One use of a signature, as the service stores it. */
interface LoggedUse {
  readonly account: string;
  readonly mark: string;
  readonly target: string;
  readonly validUntilMs: number;
  readonly isSpent: boolean;
}

interface Signatures {
  load(): { readonly uses: readonly LoggedUse[]; readonly unknownBeforeMs: number };
  append(use: LoggedUse, onWritten: ((isWritten: boolean) => void) | null): void;
}

const TABLES = ['ids', 'timers', 'guardrails', 'releases', 'sessions', 'settlements', 'trading'] as const;
type TableName = (typeof TABLES)[number];
type Rows = ReadonlyMap<string, Buffer>;

/**
 * The part of the identity store that the simulation uses. A write is on disk at once and is confirmed in a later turn.
 */
export class IdentityRows {
  readonly #tables: Record<TableName, Map<string, Buffer>>;

  readonly #signatures: LoggedUse[];

  constructor(from?: IdentityRows) {
    this.#signatures = [...(from?.usedSignatures ?? [])];
    const tables = TABLES.map((name) => [name, new Map(from?.rowsOf(name))] as const);
    this.#tables = Object.fromEntries(tables) as Record<TableName, Map<string, Buffer>>;
  }

  get usedSignatures(): readonly LoggedUse[] {
    return this.#signatures;
  }

  /** Used signatures. A use is on disk one turn after its write. */
  signatures(later: Later): Signatures {
    return {
      load: () => ({ uses: [...this.#signatures], unknownBeforeMs: 0 }),
      append: (use, onWritten) => {
        later(() => {
          this.#signatures.push(use);
          onWritten?.(true);
        });
      },
    };
  }

  rowsOf(table: TableName): Rows {
    return this.#tables[table];
  }

  /** As `sluice restore` does: timers are dropped, and the service starts halted. Times are real. */
  markRestored(restored: {
    readonly nowMs: number;
    readonly backupAtMs: number;
    readonly backupServiceMs: number;
  }): void {
    this.#tables.timers.clear();
    const trading = new TradingStore(this.table('trading', (run) => run()));
    trading.begin(restoreRecord(trading.restore(), restored));
  }

  table(name: TableName, later: Later): KeyTable {
    return new MemoryTable(later, this.#tables[name]).table;
  }
}
