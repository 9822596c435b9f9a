import { Socket } from 'node:net';

/** Notes when this process hands bytes to a connection. Only one may exist. */
export class WriteProbe {
  #armedAtMs = 0;
  #writtenAfterMs: number | null = null;

  constructor() {
    const note = (): void => {
      this.#writtenAfterMs ??= performance.now() - this.#armedAtMs;
    };
    const { write } = Socket.prototype as { write: (...values: unknown[]) => boolean };
    Socket.prototype.write = function noted(this: Socket, ...values: unknown[]): boolean {
      note();
      return write.apply(this, values);
    };
  }

  /** The next bytes count from now on. */
  arm(): void {
    this.#writtenAfterMs = null;
    this.#armedAtMs = performance.now();
  }

  /** Milliseconds from the arming to the first bytes. Throws when none were written. */
  take(): number {
    if (this.#writtenAfterMs === null) throw new Error('nothing was written');
    return this.#writtenAfterMs;
  }
}
