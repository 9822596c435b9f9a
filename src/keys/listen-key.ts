import { createSecretKey, randomUUID, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { AccountId, ApiKeyId } from '../domain/ids.js';
import { LISTEN_KEY_AHEAD_MS_MAX } from '../domain/limits/clients.js';
import type { ListenKeyHolder, ListenKeys } from './port.js';

const ALGORITHM = 'HS256';
const TYPE = 'listen+jwt';
const ISSUER = 'sluice';
const AUDIENCE = 'sluice-stream';
/** A longer text is no listen key and is not parsed. */
const CHARACTERS_MAX = 2048;

/** Private claim of the JWT. */
const API_KEY_CLAIM = 'api_key';

export interface ListenKeyParts {
  /** At least 32 bytes. */
  readonly secret: Uint8Array;
  readonly ttlS: number;
  /** Real time of day in milliseconds. */
  readonly realNowMs: () => number;
}

/**
 * Issues and checks the short-lived keys of the WebSocket handshake. They are JWTs that name an account and the API key
 * of the request. Synchronous, because the socket library can upgrade a request safely only before its handler returns.
 */
export class JwtListenKeys implements ListenKeys {
  readonly #parts: ListenKeyParts;
  readonly #secret: KeyObject;

  constructor(parts: ListenKeyParts) {
    this.#parts = parts;
    this.#secret = createSecretKey(parts.secret);
  }

  issue(account: AccountId, apiKey: ApiKeyId): string {
    const iat = Math.floor(this.#parts.realNowMs() / 1000);
    const claims = { iat, exp: iat + this.#parts.ttlS, [API_KEY_CLAIM]: apiKey };
    return jwt.sign(claims, this.#secret, {
      algorithm: ALGORITHM,
      header: { alg: ALGORITHM, typ: TYPE },
      issuer: ISSUER,
      audience: AUDIENCE,
      subject: account,
      jwtid: randomUUID(),
    });
  }

  /**
   * Returns the holder of a valid listen key of this service; null for anything else. Never throws. Refuses a key whose
   * issue time is in the future: the wall clock was ahead then, and the key would live longer than its time to live.
   */
  verify(listenKey: string): ListenKeyHolder | null {
    if (listenKey.length > CHARACTERS_MAX) return null;
    const nowMs = this.#parts.realNowMs();
    try {
      const { header, payload } = jwt.verify(listenKey, this.#secret, {
        complete: true,
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: AUDIENCE,
        clockTimestamp: Math.floor(nowMs / 1000),
      });
      if (header.typ !== TYPE || typeof payload === 'string' || payload.exp === undefined) return null;
      if (payload.iat !== undefined && payload.iat * 1000 > nowMs + LISTEN_KEY_AHEAD_MS_MAX) return null;
      const { jti, sub, [API_KEY_CLAIM]: apiKey } = payload as Record<string, unknown>;
      if (jti === undefined || typeof sub !== 'string' || typeof apiKey !== 'string') return null;
      return { account: sub as AccountId, apiKey: apiKey as ApiKeyId };
    } catch {
      return null;
    }
  }
}
