import type { BellRinger } from './doorbell.js';
import type { RingProducer } from './ring.js';

/**
 * A ring with a waiting line: what the ring cannot take yet waits here in order, and nothing is lost. The producer
 * looks at `waitingCount` and takes no new work while it is high, but goes on draining its own rings, so that two
 * threads that write to each other never wait for each other.
 */
export class Lane {
  readonly #ring: RingProducer;
  readonly #bell: BellRinger;
  #waiting: Uint8Array[] = [];
  #hasWritten = false;

  constructor(ring: RingProducer, bell: BellRinger) {
    this.#ring = ring;
    this.#bell = bell;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  send(message: Uint8Array): void {
    if (this.#waiting.length > 0 || !this.#write(message)) this.#waiting.push(message);
  }

  /** Writes what the ring takes now and wakes the consumer if anything was written since the last call. */
  flush(): void {
    let written = 0;
    while (written < this.#waiting.length && this.#write(this.#waiting[written] as Uint8Array)) written += 1;
    if (written > 0) this.#waiting = this.#waiting.slice(written);
    if (!this.#hasWritten) return;
    this.#hasWritten = false;
    this.#bell.ring();
  }

  #write(message: Uint8Array): boolean {
    const result = this.#ring.tryWrite(message);
    if (result === 'oversize')
      throw new RangeError(`a message of ${message.byteLength} bytes is too large for its ring`);
    if (result === 'full') return false;
    this.#hasWritten = true;
    return true;
  }
}
