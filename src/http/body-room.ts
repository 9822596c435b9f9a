import { BODY_WAIT_MS_MAX, HELD_BODY_BYTES_MAX } from '../model/limits.js';

/** One body that has come in part. */
export interface HeldBody {
  /** Takes bytes more; false: there is no room for them, and the body gives back what it held. */
  take(bytes: number): boolean;
  /** It has come as a whole, or its client has gone. */
  close(): void;
}

/** Names a network subscriber, as `subscriberOf` does. */
export type Subscriber = number | bigint;

/**
 * Bounds the bytes of bodies that have come in part, of all connections together: their senders are not known yet. The
 * bytes of one network address may be as many as are free, so one address holds half of the room at most. A body that
 * takes longer than BODY_WAIT_MS_MAX loses its connection.
 */
export class BodyRoom {
  readonly #bytesMax: number;
  readonly #heldBySubscriber = new Map<Subscriber, number>();
  readonly #deadlines = new Map<HeldBody, { readonly atMs: number; readonly cut: () => void }>();
  #heldBytes = 0;

  constructor(bytesMax: number = HELD_BODY_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes that are held now. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** `nowMs` never steps back. `cut` closes the connection. */
  open(subscriber: Subscriber, nowMs: number, cut: () => void): HeldBody {
    let ownBytes = 0;
    const giveBack = (): void => {
      this.#add(subscriber, -ownBytes);
      ownBytes = 0;
    };
    const body: HeldBody = {
      take: (bytes) => {
        const held = this.#heldBySubscriber.get(subscriber) ?? 0;
        if (held + bytes > this.#bytesMax - this.#heldBytes) {
          giveBack();
          return false;
        }
        ownBytes += bytes;
        this.#add(subscriber, bytes);
        return true;
      },
      close: () => {
        giveBack();
        this.#deadlines.delete(body);
      },
    };
    this.#deadlines.set(body, { atMs: nowMs + BODY_WAIT_MS_MAX, cut });
    return body;
  }

  /** Cuts the connections of bodies that take too long; returns how many. Called now and then. */
  cutOverdue(nowMs: number): number {
    let count = 0;
    // They stand in the order of their deadlines.
    for (const { atMs, cut } of this.#deadlines.values()) {
      if (nowMs < atMs) break;
      cut();
      count += 1;
    }
    return count;
  }

  #add(subscriber: Subscriber, bytes: number): void {
    const held = (this.#heldBySubscriber.get(subscriber) ?? 0) + bytes;
    if (held === 0) this.#heldBySubscriber.delete(subscriber);
    else this.#heldBySubscriber.set(subscriber, held);
    this.#heldBytes += bytes;
  }
}
