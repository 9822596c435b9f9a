import { constants, createHmac, sign, type KeyObject } from 'node:crypto';
import type { Answer, RunningServer } from '../http/running-server.js';

/** The key of a client: the Base64 secret from the service, or an RSA private key. */
export type SigningKey = { readonly apiKey: string } & (
  | { readonly secret: string }
  | { readonly privateKey: KeyObject }
);

export interface SignedSending {
  /** The query string of a GET. */
  readonly query?: string;
  /** The body of a POST. */
  readonly body?: string | Buffer;
  /** This text is signed instead of the query or the body. */
  readonly signed?: string;
  /** Time stamp minus server time, in milliseconds. */
  readonly aheadMs?: number;
  /** X-RECV-WINDOW; absent: the header is not sent. */
  readonly recvWindow?: string;
  /** Headers that replace or add; '' sends an empty header. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request that is signed by the contract's rules, independent of the service's code. */
export function sendSigned(
  server: RunningServer,
  key: SigningKey,
  path: string,
  { query = '', body, signed, aheadMs = 0, recvWindow, headers = {} }: SignedSending = {},
): Promise<Answer> {
  const timestamp = String(server.realMs + aheadMs);
  const payload = Buffer.from(signed ?? body ?? query);
  const message = Buffer.concat([Buffer.from(timestamp + key.apiKey + (recvWindow ?? '5000')), payload]);
  const sent = {
    'X-API-KEY': key.apiKey,
    'X-TIMESTAMP': timestamp,
    'X-SIGN': signatureOf(key, message),
    ...(recvWindow === undefined ? {} : { 'X-RECV-WINDOW': recvWindow }),
    ...headers,
  };
  if (body !== undefined) return server.send('POST', path, body, sent);
  return server.send('GET', query === '' ? path : `${path}?${query}`, '', sent);
}

export function signatureOf(key: SigningKey, message: Buffer): string {
  if ('secret' in key) return createHmac('sha256', decoded(key.secret)).update(message).digest('base64');
  return sign('sha256', message, { key: key.privateKey, padding: constants.RSA_PKCS1_PADDING }).toString('base64');
}

/** "If it contains + or / or ends with =, it is standard Base64; otherwise it is URL-safe Base64." */
function decoded(secret: string): Buffer {
  return Buffer.from(secret, /[+/]|=$/.test(secret) ? 'base64' : 'base64url');
}
