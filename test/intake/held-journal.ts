import type { UnnumberedEvent } from '../../src/domain/event.js';
import type { Seq } from '../../src/domain/ids.js';
import type { CreateJournal, NumberedEvent } from '../../src/journal/port.js';
import { encodeUnnumberedEvent } from '../../src/wire/codec/envelope.js';

/** A journal that makes events durable when the test says so. */
export class HeldJournal implements CreateJournal {
  isFull = false;
  readonly #held: (() => void)[] = [];
  #lastSeq = 0;

  encode(event: UnnumberedEvent): Uint8Array {
    return encodeUnnumberedEvent(event);
  }

  append(event: UnnumberedEvent, bytes: Uint8Array, release: (event: NumberedEvent) => void): boolean {
    if (this.isFull) return false;
    this.#held.push(() => {
      this.#lastSeq += 1;
      release({ envelope: { ...event, seq: this.#lastSeq as Seq }, bytes, marks: [] });
    });
    return true;
  }

  releaseDurable(): void {
    for (const release of this.#held.splice(0)) release();
  }
}
