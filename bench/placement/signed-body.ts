import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type uWS from 'uWebSockets.js';

/** What a server does with a request whose body has come whole. */
export interface SignedBody {
  readonly body: Buffer;
  readonly isSigned: boolean;
}

/**
 * Reads the signed body of a create and checks its HMAC in constant time, for the servers that Sluice is compared with.
 */
export function signedBodyReader(
  secretText: string,
): (res: uWS.HttpResponse, req: uWS.HttpRequest, onBody: (read: SignedBody) => void) => void {
  const secret = createSecretKey(Buffer.from(secretText, 'base64url'));
  return (res, req, onBody) => {
    const timestamp = req.getHeader('x-timestamp');
    const apiKey = req.getHeader('x-api-key');
    const recvWindow = req.getHeader('x-recv-window');
    const signature = Buffer.from(req.getHeader('x-sign'), 'base64');
    let body: Buffer = Buffer.alloc(0);
    let isAborted = false;
    res.onAborted(() => {
      isAborted = true;
    });
    res.onData((chunk, isLast) => {
      body = Buffer.concat([body, Buffer.from(chunk)]);
      if (!isLast || isAborted) return;
      const expected = createHmac('sha256', secret)
        .update(timestamp + apiKey + recvWindow)
        .update(body)
        .digest();
      onBody({ body, isSigned: expected.length === signature.length && timingSafeEqual(expected, signature) });
    });
  };
}
