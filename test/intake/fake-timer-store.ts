import type { CancelAllAfterTimer } from '../../src/domain/command.js';
import type { CancelAllAfterStore } from '../../src/intake/cancel-all-after.js';
import type { AccountId } from '../../src/domain/ids.js';

/** Keeps timers in memory. The test decides when a write is on disk. */
export class FakeTimerStore implements CancelAllAfterStore {
  readonly kept = new Map<AccountId, CancelAllAfterTimer>();
  isSlow = false;
  #waiting: (() => void)[] = [];

  load(): Iterable<readonly [AccountId, CancelAllAfterTimer]> {
    return this.kept;
  }

  put(account: AccountId, timer: CancelAllAfterTimer | null, onDisk: () => void): void {
    if (timer === null) this.kept.delete(account);
    else this.kept.set(account, timer);
    if (this.isSlow) this.#waiting.push(onDisk);
    else onDisk();
  }

  sync(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const done of waiting) done();
  }
}
