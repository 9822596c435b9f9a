import { createSecretKey, randomUUID, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { AccountId } from '../model/ids.js';
import type { ListenKeys } from './port.js';

const ALGORITHM = 'HS256';
const TYPE = 'listen+jwt';
const ISSUER = 'sluice';
const AUDIENCE = 'sluice-stream';
/** Longer texts are no listen key and are not looked at. */
const CHARACTERS_MAX = 2048;

export interface ListenKeyParts {
  /** At least 32 bytes. */
  readonly secret: Uint8Array;
  readonly ttlS: number;
  /** Real time of day in milliseconds. */
  readonly realNowMs: () => number;
}

/**
 * Issues and checks the short-lived keys of the WebSocket handshake: JWTs that name an account and nothing else.
 * Synchronous, because the socket library can upgrade a request safely only before its handler returns.
 */
export class JwtListenKeys implements ListenKeys {
  readonly #parts: ListenKeyParts;
  readonly #secret: KeyObject;

  constructor(parts: ListenKeyParts) {
    this.#parts = parts;
    this.#secret = createSecretKey(parts.secret);
  }

  issue(account: AccountId): string {
    const iat = Math.floor(this.#parts.realNowMs() / 1000);
    const claims = { iat, exp: iat + this.#parts.ttlS };
    return jwt.sign(claims, this.#secret, {
      algorithm: ALGORITHM,
      header: { alg: ALGORITHM, typ: TYPE },
      issuer: ISSUER,
      audience: AUDIENCE,
      subject: account,
      jwtid: randomUUID(),
    });
  }

  /** The account of a key that is ours and not expired; null for anything else. Never throws. */
  verify(listenKey: string): { readonly account: AccountId } | null {
    if (listenKey.length > CHARACTERS_MAX) return null;
    try {
      const { header, payload } = jwt.verify(listenKey, this.#secret, {
        complete: true,
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: AUDIENCE,
        clockTimestamp: Math.floor(this.#parts.realNowMs() / 1000),
      });
      const isOurs = header.typ === TYPE && typeof payload !== 'string' && payload.exp !== undefined;
      return isOurs && payload.jti !== undefined && payload.sub !== undefined
        ? { account: payload.sub as AccountId }
        : null;
    } catch {
      return null;
    }
  }
}
