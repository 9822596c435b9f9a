import { createHmac, type KeyObject } from 'node:crypto';

/** An API key of Bybit that signs with HMAC-SHA256. */
export interface BybitKey {
  readonly apiKey: string;
  readonly secret: KeyObject;
}

/** The headers that sign a request by REST. `payload`: its query or its body. `windowMs`: how long it is valid. */
export function signedHeaders(
  { apiKey, secret }: BybitKey,
  payload: string,
  { timestampMs, windowMs }: { readonly timestampMs: number; readonly windowMs: number },
): Readonly<Record<string, string>> {
  const text = `${timestampMs}${apiKey}${windowMs}${payload}`;
  return {
    'X-BAPI-API-KEY': apiKey,
    'X-BAPI-TIMESTAMP': String(timestampMs),
    'X-BAPI-RECV-WINDOW': String(windowMs),
    'X-BAPI-SIGN': signatureOf(text, secret),
  };
}

/** The arguments of a login on a private socket: key, time until which it holds, and signature. */
export function bybitLogin({ apiKey, secret }: BybitKey, expiresMs: number): readonly (string | number)[] {
  return [apiKey, expiresMs, signatureOf(`GET/realtime${expiresMs}`, secret)];
}

function signatureOf(text: string, secret: KeyObject): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}
