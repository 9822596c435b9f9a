import type { HttpResponse } from 'uWebSockets.js';

export interface BodyLimits {
  /** Of Content-Length. */
  readonly declaredBytes: number;
  /** A larger body is not held. */
  readonly bytesMax: number;
}

export type ReadBody =
  /** Valid only until the callback returns: uWebSockets takes the memory back. */
  | { readonly kind: 'complete'; readonly bytes: Buffer }
  | { readonly kind: 'too large' }
  | { readonly kind: 'not as declared'; readonly receivedBytes: number };

/**
 * Collects a body and hands it over once; never, when the client goes away. At most `bytesMax` are held. What goes
 * beyond is read and dropped, so that the client is done sending when it is told.
 */
export function readBody(
  res: HttpResponse,
  { declaredBytes, bytesMax }: BodyLimits,
  done: (body: ReadBody) => void,
): void {
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  res.onData((chunk, isLast) => {
    receivedBytes += chunk.byteLength;
    const isHeld = receivedBytes <= bytesMax;
    if (!isHeld) chunks.length = 0;
    if (!isLast) {
      if (isHeld) chunks.push(Buffer.from(new Uint8Array(chunk)));
      return;
    }
    if (!isHeld) return done({ kind: 'too large' });
    if (receivedBytes !== declaredBytes) return done({ kind: 'not as declared', receivedBytes });
    const last = Buffer.from(chunk);
    done({ kind: 'complete', bytes: chunks.length === 0 ? last : Buffer.concat([...chunks, last]) });
  });
}
