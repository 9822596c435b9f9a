/** Parts of the text that signature version 1 covers. They are concatenated without separators. */
export interface SignedParts {
  /** Epoch milliseconds, real time. */
  readonly timestampMs: number;
  readonly apiKey: string;
  /** 1 to 60000 milliseconds. */
  readonly recvWindowMs: number;
  /** GET: the query string as sent, with sorted keys. POST: the body as sent. */
  readonly payload: string;
}

/** Parts of the text that signature version 2 covers, one line each. */
export interface RequestParts {
  readonly method: 'GET' | 'POST';
  /** As sent, without the query. */
  readonly path: string;
  /** As sent, without `?`; '' without a query. */
  readonly query: string;
  /** Epoch milliseconds, real time. */
  readonly timestampMs: number;
  readonly apiKey: string;
  /** 1 to 60000 milliseconds. */
  readonly recvWindowMs: number;
  /** 16 to 64 letters, digits, dashes and underscores, unique for each request. */
  readonly nonce: string;
  /** SHA-256 of the body in hexadecimal. Without a body, the digest of zero bytes. */
  readonly bodyDigest: string;
}

/** Text that signature version 2 covers. */
export function requestText(parts: RequestParts): string;

/** What the headers of a signed request state. */
export interface UnsignedRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly target: string;
  /** '' without a body. */
  readonly body: string;
  readonly timestampMs: number;
  readonly apiKey: string;
  readonly recvWindowMs: number;
}

/** The cryptography of signature version 2, by Node or by WebCrypto. */
export interface Signing {
  /** Standard Base64. */
  readonly sign: (message: string) => string | Promise<string>;
  /** SHA-256 in hexadecimal. */
  readonly digestOf: (body: string) => string | Promise<string>;
  /** 128 random bits in hexadecimal. */
  readonly newNonce: () => string;
}

/** Headers of a request with signature version 2 and a new nonce. */
export function requestHeaders(request: UnsignedRequest, signing: Signing): Promise<Record<string, string>>;

/** The same headers by WebCrypto. */
export function webRequestHeaders(
  request: UnsignedRequest & { readonly sign: WebSigner },
): Promise<Record<string, string>>;

/** Signs a message. Resolves with standard Base64, the value of X-SIGN. */
export type WebSigner = (message: string) => Promise<string>;

/**
 * Makes a signer: RSA-SHA256 (PKCS#1 v1.5) for a private key in PKCS#8 PEM, HMAC-SHA256 for a Base64 secret. Rejects
 * any other secret.
 */
export function webSigner(apiSecret: string): Promise<WebSigner>;

/** Text that signature version 1 covers. */
export function signedMessage(parts: SignedParts): string;

/** Sorts the keys of a query, the text between `?` and `#`. */
export function sortedQuery(query: string): string;
