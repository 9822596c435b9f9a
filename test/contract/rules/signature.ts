import { createHmac, sign } from 'node:crypto';

/** An API key from `npx sluice keys create --json`. The secret of an RSA key is its private key in PEM. */
export interface ApiKey {
  readonly api_key: string;
  readonly api_secret: string;
}

/** The signed values besides the key. */
export interface Signed {
  /** A text, because a test may send a value that is no number. */
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

/** A secret with `+`, `/` or a final `=` is standard Base64, otherwise URL-safe. */
function secretOf(text: string): Buffer {
  return Buffer.from(text, /[+/]|=$/.test(text) ? 'base64' : 'base64url');
}
