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

/** What the second way to sign covers: a line each, so that nothing of a request can be exchanged. */
export interface RequestParts {
  readonly method: 'GET' | 'POST';
  /** As sent, without the query. */
  readonly path: string;
  /** As sent, without `?`; '' when there is none. */
  readonly query: string;
  /** Epoch milliseconds, real time. */
  readonly timestampMs: number;
  readonly apiKey: string;
  /** 1 to 60000 milliseconds. */
  readonly recvWindowMs: number;
  /** 16 to 64 letters, digits, dashes and underscores; of each request another one. */
  readonly nonce: string;
  /** SHA-256 of the body in hexadecimal; of no bytes when there is no body. */
  readonly bodyDigest: string;
}

/** The text that the second way signs. */
export function requestText(parts: RequestParts): string;

/** The headers of a request that is signed the second way, with a nonce by chance. */
export function webRequestHeaders(request: {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly target: string;
  /** '' when there is none. */
  readonly body: string;
  readonly timestampMs: number;
  readonly apiKey: string;
  readonly recvWindowMs: number;
  readonly sign: WebSigner;
}): Promise<Record<string, string>>;

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
