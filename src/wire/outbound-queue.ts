import type { BellRinger } from './bell.js';
import type { RingProducer } from './ring.js';

/**
 * A ring with a queue of messages that wait for room. Messages stay in order and none is lost. The producer takes no
 * new work while `waitingCount` is high. It still drains its own rings, so that two threads that write to each other
 * never deadlock.
 */
export class OutboundQueue {
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

  /** Continues after another thread that wrote to the ring. No message may wait in this queue. */
  resume(): void {
    this.#ring.resume();
  }

  send(message: Uint8Array): void {
    if (this.#waiting.length > 0 || !this.#write(message)) this.#waiting.push(message);
  }

  /**
   * Writes waiting messages as far as the ring has room. Wakes the consumer if anything was written since it was woken.
   * `isAwaited` false: does not wake it.
   */
  flush(isAwaited = true): void {
    let written = 0;
    while (written < this.#waiting.length && this.#write(this.#waiting[written] as Uint8Array)) written += 1;
    if (written > 0) this.#waiting = this.#waiting.slice(written);
    if (!this.#hasWritten || !isAwaited) return;
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
