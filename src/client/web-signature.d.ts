/** What a request is signed over: the four parts are concatenated without separators. */
export interface SignedParts {
  /** Epoch milliseconds, real time. */
  readonly timestampMs: number;
  readonly apiKey: string;
  /** 1 to 60000 milliseconds. */
  readonly recvWindowMs: number;
  /** GET: the query string exactly as sent, keys in alphabetical order. POST: the body exactly as sent. */
  readonly payload: string;
}

/** Signs a message; the signature is X-SIGN, standard Base64. */
export type WebSigner = (message: string) => Promise<string>;

/**
 * A signer by HMAC-SHA256, or by RSA-SHA256 (PKCS#1 v1.5) when the secret is a private key in PKCS#8 PEM. Rejects when
 * the secret is neither Base64 nor such a key.
 */
export function webSigner(apiSecret: string): Promise<WebSigner>;

export function signedMessage(parts: SignedParts): string;

/** The text between `?` and `#`, its keys in alphabetical order. */
export function sortedQuery(query: string): string;
