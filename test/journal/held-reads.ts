import type { WhenComplete } from '../../src/journal/complete-reads.js';
import type { StateReader, StateSnapshot } from '../../src/journal/port.js';

type CompleteRead<Snapshot> = Parameters<WhenComplete<Snapshot>>[0];

/** Reads that run at once, or wait for the store from `hold` to `release`. Each gets the snapshot of its request. */
export class HeldReads<Snapshot = StateSnapshot> {
  readonly #reader: Pick<StateReader<Snapshot>, 'complete' | 'recent'>;
  readonly #waiting: { readonly read: CompleteRead<Snapshot>; readonly snapshot: Snapshot }[] = [];
  #isHolding = false;

  constructor(reader: Pick<StateReader<Snapshot>, 'complete' | 'recent'>) {
    this.#reader = reader;
  }

  readonly when: WhenComplete<Snapshot> = (read) => {
    if (this.#isHolding) this.#waiting.push({ read, snapshot: this.#reader.recent() });
    else read(this.#reader.complete());
  };

  get count(): number {
    return this.#waiting.length;
  }

  hold(): void {
    this.#isHolding = true;
  }

  /** Runs the oldest waiting read. Returns false when none waits. */
  runNext(): boolean {
    const next = this.#waiting.shift();
    next?.read(next.snapshot);
    return next !== undefined;
  }

  /** Runs the reads that wait now. Later ones still wait. */
  run(): void {
    for (const { read, snapshot } of this.#waiting.splice(0)) read(snapshot);
  }

  /** The reads that wait now have waited too long. */
  fail(): void {
    for (const { read } of this.#waiting.splice(0)) read(null);
  }

  /** Runs the waiting reads. Later ones do not wait. */
  release(): void {
    this.#isHolding = false;
    this.run();
  }
}
