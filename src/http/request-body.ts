import type { HttpResponse } from 'uWebSockets.js';
import { CountByKey } from '../domain/count-by-key.js';
import { BODY_WAIT_MS_MAX, HELD_BODY_BYTES_MAX } from '../domain/limits/clients.js';

/** One incomplete body. */
export interface HeldBody {
  /** Takes more bytes; false: there is no room, and the body has released its bytes. */
  take(bytes: number): boolean;
  /** Ends the body: it is complete, or its client has disconnected. */
  close(): void;
}

/** A network subscriber, as `subscriberOf` returns it. */
type Subscriber = number | bigint;

/**
 * Bounds the bytes of incomplete bodies of all connections together. Their senders are not known yet. One network
 * address may use as many bytes as are free, so it gets at most half of the room. A connection is closed when its body
 * is incomplete after BODY_WAIT_MS_MAX.
 */
export class BodyRoom {
  readonly #bytesMax: number;
  readonly #heldBySubscriber = new CountByKey<Subscriber>();
  readonly #deadlines = new Map<HeldBody, { readonly atMs: number; readonly cut: () => void }>();
  #heldBytes = 0;

  constructor(bytesMax: number = HELD_BODY_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes in use now. */
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
        const held = this.#heldBySubscriber.of(subscriber);
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

  /** Closes the connections of overdue bodies; returns their number. Called at an interval. */
  cutOverdue(nowMs: number): number {
    let count = 0;
    // The map is in the order of the deadlines.
    for (const { atMs, cut } of this.#deadlines.values()) {
      if (nowMs < atMs) break;
      cut();
      count += 1;
    }
    return count;
  }

  #add(subscriber: Subscriber, bytes: number): void {
    this.#heldBySubscriber.add(subscriber, bytes);
    this.#heldBytes += bytes;
  }
}

interface BodyLimits {
  /** Content-Length. */
  readonly declaredBytes: number;
  /** A larger body is not stored. */
  readonly bytesMax: number;
  /** Called once, when the first part of a body has arrived. Returns the room for its bytes. */
  readonly hold: () => HeldBody;
}

export type ReadBody =
  | { readonly kind: 'complete'; readonly bytes: Buffer }
  | { readonly kind: 'too large' }
  /** The bodies of all connections use all the room. */
  | { readonly kind: 'no room' }
  | { readonly kind: 'not as declared'; readonly receivedBytes: number };

/**
 * Collects a body and passes it on once; never when the client disconnects. Stores at most `bytesMax`. Reads and drops
 * the bytes beyond that, so that the client has sent everything before it reads the refusal.
 */
export function readBody(
  res: HttpResponse,
  { declaredBytes, bytesMax, hold }: BodyLimits,
  done: (body: ReadBody) => void,
): void {
  let chunks: Buffer[] | null = null;
  let receivedBytes = 0;
  let held: HeldBody | null = null;
  let hasRoom = true;
  res.onData((chunk, isLast) => {
    receivedBytes += chunk.byteLength;
    const isSmall = receivedBytes <= bytesMax;
    if (!isLast) {
      held ??= hold();
      hasRoom = hasRoom && isSmall && held.take(chunk.byteLength);
      if (hasRoom) (chunks ??= []).push(Buffer.from(new Uint8Array(chunk)));
      else chunks = null;
      return;
    }
    held?.close();
    if (!isSmall) return done({ kind: 'too large' });
    if (!hasRoom) return done({ kind: 'no room' });
    if (receivedBytes !== declaredBytes) return done({ kind: 'not as declared', receivedBytes });
    // uWebSockets frees the memory of the chunk after this callback.
    const last = new Uint8Array(chunk);
    done({ kind: 'complete', bytes: chunks === null ? Buffer.from(last) : Buffer.concat([...chunks, last]) });
  });
}
