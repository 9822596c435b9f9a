import type { CancelAllAfterTimer } from '../../src/domain/command.js';
import type { AccountId } from '../../src/domain/ids.js';
import type { SessionRecord } from '../../src/domain/session.js';

/** Keeps rows in memory. The test decides when a write is on disk. */
class FakeRows<Key, Row> {
  readonly kept = new Map<Key, Row>();
  isSlow = false;
  #waiting: (() => void)[] = [];

  load(): Iterable<readonly [Key, Row]> {
    return this.kept;
  }

  put(key: Key, row: Row | null, onDisk: () => void): void {
    if (row === null) this.kept.delete(key);
    else this.kept.set(key, row);
    if (this.isSlow) this.#waiting.push(onDisk);
    else onDisk();
  }

  sync(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const done of waiting) done();
  }
}

export class FakeTimerStore extends FakeRows<AccountId, CancelAllAfterTimer> {}
export class FakeSessionRecords extends FakeRows<string, SessionRecord> {}
