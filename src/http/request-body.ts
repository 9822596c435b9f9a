import type { HttpResponse } from 'uWebSockets.js';
import type { HeldBody } from './body-room.js';

export interface BodyLimits {
  /** Of Content-Length. */
  readonly declaredBytes: number;
  /** A larger body is not held. */
  readonly bytesMax: number;
  /** Called once, when a first part of a body has come: what it may hold with all others. */
  readonly hold: () => HeldBody;
}

export type ReadBody =
  /** Valid only until the callback returns: uWebSockets takes the memory back. */
  | { readonly kind: 'complete'; readonly bytes: Buffer }
  | { readonly kind: 'too large' }
  /** The bodies of all connections hold too much together. */
  | { readonly kind: 'no room' }
  | { readonly kind: 'not as declared'; readonly receivedBytes: number };

/**
 * Collects a body and hands it over once; never, when the client goes away. At most `bytesMax` are held. What goes
 * beyond is read and dropped, so that the client is done sending when it is told.
 */
export function readBody(
  res: HttpResponse,
  { declaredBytes, bytesMax, hold }: BodyLimits,
  done: (body: ReadBody) => void,
): void {
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  let held: HeldBody | null = null;
  let hasRoom = true;
  res.onData((chunk, isLast) => {
    receivedBytes += chunk.byteLength;
    const isSmall = receivedBytes <= bytesMax;
    if (!isLast) {
      held ??= hold();
      hasRoom = hasRoom && isSmall && held.take(chunk.byteLength);
      if (hasRoom) chunks.push(Buffer.from(new Uint8Array(chunk)));
      else chunks.length = 0;
      return;
    }
    held?.close();
    if (!isSmall) return done({ kind: 'too large' });
    if (!hasRoom) return done({ kind: 'no room' });
    if (receivedBytes !== declaredBytes) return done({ kind: 'not as declared', receivedBytes });
    const last = Buffer.from(chunk);
    done({ kind: 'complete', bytes: chunks.length === 0 ? last : Buffer.concat([...chunks, last]) });
  });
}
