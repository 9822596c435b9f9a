import { CONNECTION_MS_MAX, CONNECTION_OVERLAP_MS } from '../../../domain/limits/live.js';

/** A connection opens and is cut again and again, until `close`. */
interface Connection {
  close(): void;
}

export interface ConnectionEvents {
  /** The connection is ready: it is open, and all that it needs is subscribed. */
  readonly onReady: () => void;
  readonly onCut: () => void;
}

interface RenewedParts<Opened extends Connection> {
  readonly open: (events: ConnectionEvents) => Opened;
  /** The present connection is ready after a cut, or for the first time. */
  readonly onReady: () => void;
  readonly onCut: () => void;
}

interface Replaced {
  /** On the monotonic clock. */
  readonly atMs: number;
  readonly timer: NodeJS.Timeout;
}

/**
 * A connection that another one replaces before its exchange ends it, without a gap:
 *
 *     first ─────────────── renewal ───────── ready ── CONNECTION_OVERLAP_MS ──┤ closed
 *                              └─ second: opening ┴──────────────────────────────────▶
 *
 * Both deliver in the overlap. Requests go to the second one from then on; those under way at the first one get their
 * answers.
 */
export class RenewedConnection<Opened extends Connection> {
  readonly #parts: RenewedParts<Opened>;
  #current: Opened;
  /** What replaces the current connection when it is ready. */
  #next: Opened | null = null;
  /** Connections that were replaced and still deliver. */
  readonly #ending = new Map<Opened, Replaced>();
  #isReady = false;
  #age: NodeJS.Timeout | undefined;

  constructor(parts: RenewedParts<Opened>) {
    this.#parts = parts;
    this.#current = this.#open();
  }

  get current(): Opened {
    return this.#current;
  }

  /** Opens another connection that replaces the current one. No effect while one is opening. */
  renew(): void {
    this.#next ??= this.#open();
  }

  close(): void {
    clearTimeout(this.#age);
    for (const ending of this.#ending.keys()) this.#end(ending);
    this.#next?.close();
    this.#current.close();
  }

  /** Milliseconds since another connection has replaced this one; 0: none has. */
  replacedMs(opened: Opened): number {
    const ending = this.#ending.get(opened);
    return ending === undefined ? 0 : performance.now() - ending.atMs;
  }

  #open(): Opened {
    const opened: Opened = this.#parts.open({
      onReady: () => this.#ready(opened),
      onCut: () => this.#cut(opened),
    });
    return opened;
  }

  #ready(opened: Opened): void {
    if (opened === this.#next) this.#replace(opened);
    else if (opened !== this.#current) return;
    clearTimeout(this.#age);
    this.#age = setTimeout(() => this.renew(), CONNECTION_MS_MAX);
    if (this.#isReady) return;
    this.#isReady = true;
    this.#parts.onReady();
  }

  #replace(next: Opened): void {
    const old = this.#current;
    this.#current = next;
    this.#next = null;
    const timer = setTimeout(() => this.#end(old), CONNECTION_OVERLAP_MS);
    this.#ending.set(old, { atMs: performance.now(), timer });
  }

  #end(ending: Opened): void {
    clearTimeout(this.#ending.get(ending)?.timer);
    this.#ending.delete(ending);
    ending.close();
  }

  #cut(opened: Opened): void {
    if (this.#ending.has(opened)) return this.#end(opened);
    if (opened !== this.#current || !this.#isReady) return;
    this.#isReady = false;
    this.#parts.onCut();
  }
}
