import type { HttpResponse, TemplatedApp } from 'uWebSockets.js';
import type { RefusalCounts } from '../model/refusal-counts.js';

/**
 * Bounds the sockets that are open at once, WebSockets among them. Without a bound a flood of connections uses up the
 * descriptors of the process: then its journal cannot open a segment, and connections that cannot be accepted keep the
 * event loop awake.
 */
export class ConnectionRoom {
  readonly #countMax: number;
  readonly #refusals: RefusalCounts;
  #count = 0;

  constructor(countMax: number, refusals: RefusalCounts) {
    this.#countMax = countMax;
    this.#refusals = refusals;
  }

  /** Sockets that are open now. */
  get count(): number {
    return this.#count;
  }

  /** Counts the connections of an application, and closes those beyond the bound before anything of them is read. */
  watch(app: TemplatedApp): void {
    app.filter((res: HttpResponse, change) => {
      if (Number(change) < 0) return this.closed();
      this.#count += 1;
      if (this.#count <= this.#countMax) return;
      this.#refusals.connections += 1;
      res.close();
    });
  }

  /** A socket is closed. The application reports this of HTTP connections and not of those that were upgraded. */
  closed(): void {
    this.#count -= 1;
  }
}
