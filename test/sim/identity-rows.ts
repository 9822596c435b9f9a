import type { Table } from '../../src/journal/identity/database.js';
import { MemoryTable } from './memory-table.js';

type Later = (run: () => void) => void;

/** One use of a signature, as the service keeps it. */
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

type Rows = ReadonlyMap<string, Buffer>;

/** The identity store, as far as the simulation uses it: on disk as soon as it is written, told with a later turn. */
export class IdentityRows {
  readonly #tables: Record<'ids' | 'switches' | 'guardrails', Map<string, Buffer>>;

  readonly #signatures: LoggedUse[];

  constructor(from?: IdentityRows) {
    this.#signatures = [...(from?.usedSignatures ?? [])];
    this.#tables = {
      ids: new Map(from?.rowsOf('ids')),
      switches: new Map(from?.rowsOf('switches')),
      guardrails: new Map(from?.rowsOf('guardrails')),
    };
  }

  get usedSignatures(): readonly LoggedUse[] {
    return this.#signatures;
  }

  /** Used signatures: a use is on file with the turn after the one that writes it. */
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

  rowsOf(table: 'ids' | 'switches' | 'guardrails'): Rows {
    return this.#tables[table];
  }

  ids(later: Later): Table {
    return new MemoryTable(later, this.#tables.ids).table;
  }

  switches(later: Later): Table {
    return new MemoryTable(later, this.#tables.switches).table;
  }

  guardrails(later: Later): Table {
    return new MemoryTable(later, this.#tables.guardrails).table;
  }
}
