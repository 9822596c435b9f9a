import type { KeptSignatureUse, SignatureStore } from '../../src/http/signature-guard.js';

/** Keeps used signatures in memory instead of in files. */
export class FakeSignatureStore implements SignatureStore {
  readonly uses: KeptSignatureUse[] = [];
  unknownBeforeMs = 0;
  isFailing = false;

  load(): ReturnType<SignatureStore['load']> {
    return { uses: [...this.uses], unknownBeforeMs: this.unknownBeforeMs };
  }

  append(use: KeptSignatureUse, onWritten: ((isWritten: boolean) => void) | null): void {
    if (!this.isFailing) this.uses.push(use);
    if (onWritten !== null) setImmediate(onWritten, !this.isFailing);
  }
}
