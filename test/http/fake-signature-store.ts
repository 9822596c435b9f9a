import type { KeptSignatureUse, SignatureStore } from '../../src/http/signature-guard.js';

/** Keeps used signatures in memory instead of in files. */
export class FakeSignatureStore implements SignatureStore {
  readonly uses: KeptSignatureUse[] = [];
  unknownBeforeMs = 0;
  isFailing = false;
  /** Writes that the test ends; null: each ends at once. */
  held: (() => void)[] | null = null;

  load(): ReturnType<SignatureStore['load']> {
    return { uses: [...this.uses], unknownBeforeMs: this.unknownBeforeMs };
  }

  append(use: KeptSignatureUse, onWritten: ((isWritten: boolean) => void) | null): void {
    if (!this.isFailing) this.uses.push(use);
    if (onWritten === null) return;
    if (this.held !== null) this.held.push(() => onWritten(true));
    else setImmediate(onWritten, !this.isFailing);
  }
}
