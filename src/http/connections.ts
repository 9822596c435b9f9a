import type { HttpResponse, TemplatedApp } from 'uWebSockets.js';
import { WS_END_MS } from '../domain/limits/clients.js';
import type { RefusalCounts } from '../domain/rejection.js';

/**
 * Bounds the sockets that are open at once, including WebSockets. Without a bound, a flood of connections uses all
 * descriptors of the process. Its journal could then not open a segment, and pending connections would keep the event
 * loop busy.
 */
export class ConnectionRoom {
  readonly #countMax: number;
  readonly #refusals: RefusalCounts;
  readonly #hasShare: (address: ArrayBuffer) => boolean;
  #count = 0;

  /** `hasShare`: counts a connection of an address, as the socket reports it. False: the address has too many. */
  constructor(countMax: number, refusals: RefusalCounts, hasShare: (address: ArrayBuffer) => boolean) {
    this.#countMax = countMax;
    this.#refusals = refusals;
    this.#hasShare = hasShare;
  }

  /** Sockets that are open now, or whose descriptors may still be. */
  get count(): number {
    return this.#count;
  }

  /** Counts the connections of an application. Closes those beyond the bound before it reads from them. */
  watch(app: TemplatedApp): void {
    app.filter((res: HttpResponse, change) => {
      if (Number(change) < 0) return this.#closed();
      this.#count += 1;
      if (this.#count <= this.#countMax && this.#hasShare(res.getRemoteAddress())) return;
      this.#refusals.connections += 1;
      res.close();
    });
  }

  /**
   * Counts the end of a WebSocket, which the application does not report. A kept descriptor stays counted for as long
   * as the library may keep it: a client that never closes could otherwise use all descriptors.
   */
  webSocketClosed(isDescriptorKept: boolean): void {
    if (isDescriptorKept) setTimeout(() => this.#closed(), WS_END_MS).unref();
    else this.#closed();
  }

  #closed(): void {
    this.#count -= 1;
  }
}

/** Counts the calls without an answer, so that a shutdown can let them finish. */
export class OpenCalls {
  #count = 0;
  #onDrained: (() => void) | null = null;

  readonly opened = (): void => {
    this.#count += 1;
  };

  readonly over = (): void => {
    this.#count -= 1;
    if (this.#count === 0) this.#onDrained?.();
  };

  /** Resolves when no call is open, or after `waitMs` of real time. */
  drained(waitMs: number): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.#onDrained = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
