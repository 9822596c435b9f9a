import { createHmac, type KeyObject } from 'node:crypto';

/** An API key of OKX: it signs with HMAC-SHA256. */
export interface OkxKey {
  readonly apiKey: string;
  readonly secret: KeyObject;
  readonly passphrase: KeyObject;
}

const MS_PER_S = 1_000;

/** The headers that sign a request by REST. `path` includes the query. `exchangeMs`: time of the exchange. */
export function signedHeaders(
  { apiKey, secret, passphrase }: OkxKey,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: string | null },
  exchangeMs: number,
): Readonly<Record<string, string>> {
  const timestamp = new Date(exchangeMs).toISOString();
  return {
    'OK-ACCESS-KEY': apiKey,
    'OK-ACCESS-PASSPHRASE': textOf(passphrase),
    'OK-ACCESS-TIMESTAMP': timestamp,
    'OK-ACCESS-SIGN': signatureOf(`${timestamp}${method}${path}${body ?? ''}`, secret),
  };
}

/** The message that logs a private socket on. `exchangeMs`: time of the exchange. */
export function loginMessage({ apiKey, secret, passphrase }: OkxKey, exchangeMs: number): string {
  const timestamp = String(Math.floor(exchangeMs / MS_PER_S));
  const sign = signatureOf(`${timestamp}GET/users/self/verify`, secret);
  return JSON.stringify({ op: 'login', args: [{ apiKey, passphrase: textOf(passphrase), timestamp, sign }] });
}

function signatureOf(text: string, secret: KeyObject): string {
  return createHmac('sha256', secret).update(text).digest('base64');
}

/** The exchange wants the passphrase itself. It is a text for as long as one message. */
function textOf(passphrase: KeyObject): string {
  return passphrase.export().toString('utf8');
}
