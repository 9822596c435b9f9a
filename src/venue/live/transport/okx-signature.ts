import { createHmac, type KeyObject } from 'node:crypto';

/** An API key of OKX: it signs with HMAC-SHA256. */
export interface OkxKey {
  readonly apiKey: string;
  readonly secret: KeyObject;
  readonly passphrase: string;
}

const MS_PER_S = 1_000;

/** The message that logs a private socket on. `exchangeMs`: time of the exchange. */
export function loginMessage({ apiKey, secret, passphrase }: OkxKey, exchangeMs: number): string {
  const timestamp = String(Math.floor(exchangeMs / MS_PER_S));
  const sign = createHmac('sha256', secret).update(`${timestamp}GET/users/self/verify`).digest('base64');
  return JSON.stringify({ op: 'login', args: [{ apiKey, passphrase, timestamp, sign }] });
}
