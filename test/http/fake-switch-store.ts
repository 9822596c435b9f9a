import type { CancelSwitchStore } from '../../src/http/port.js';
import type { AccountId } from '../../src/model/ids.js';

/** Keeps switches as a disk would, which may be slow. */
export class FakeSwitchStore implements CancelSwitchStore {
  readonly kept = new Map<AccountId, number>();
  isSlow = false;
  #waiting: (() => void)[] = [];

  load(): Iterable<readonly [AccountId, number]> {
    return this.kept;
  }

  put(account: AccountId, triggerAtMs: number | null, onDisk: () => void): void {
    if (triggerAtMs === null) this.kept.delete(account);
    else this.kept.set(account, triggerAtMs);
    if (this.isSlow) this.#waiting.push(onDisk);
    else onDisk();
  }

  sync(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const done of waiting) done();
  }
}
