import { createHmac, sign } from 'node:crypto';

/** An API key as `npx sluice keys create --json` prints it; of an RSA key the secret is its private key, in PEM. */
export interface ApiKey {
  readonly api_key: string;
  readonly api_secret: string;
}

/** What goes into a signature besides the key. */
export interface Signed {
  /** As text: a test may send what is no number. */
  readonly timestamp: string;
  readonly recvWindow: string;
  /** Query string or body, exactly as sent. */
  readonly payload: string;
}

/** Signing rules 1 to 5 of the contract, written from its text. */
export function signatureOf(key: ApiKey, { timestamp, recvWindow, payload }: Signed): string {
  const message = timestamp + key.api_key + recvWindow + payload;
  if (key.api_secret.startsWith('-----BEGIN'))
    return sign('sha256', Buffer.from(message), key.api_secret).toString('base64');
  return createHmac('sha256', secretOf(key.api_secret)).update(message).digest('base64');
}

/** With `+` or `/` in it or `=` at its end it is standard Base64, otherwise URL-safe. */
function secretOf(text: string): Buffer {
  return Buffer.from(text, /[+/]|=$/.test(text) ? 'base64' : 'base64url');
}
