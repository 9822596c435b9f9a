import { constants, createHmac, sign, type KeyObject } from 'node:crypto';
import type { Answer, RunningServer } from '../http/running-server.js';

/** What a client signs with: a Base64 secret as the service has told it, or its own RSA key. */
export type SigningKey = { readonly apiKey: string } & (
  { readonly secret: string } | { readonly privateKey: KeyObject }
);

export interface SignedSending {
  /** As the address has it; sent with a GET. */
  readonly query?: string;
  /** Sent with a POST. */
  readonly body?: string | Buffer;
  /** Signed instead of the query or the body. */
  readonly signed?: string;
  /** Time stamp against the clock of the server, in milliseconds. */
  readonly aheadMs?: number;
  /** X-RECV-WINDOW; absent: not sent. */
  readonly recvWindow?: string;
  /** Replace or add; '' sends an empty one. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request that is signed by the words of the contract, written apart from the service's own code. */
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
