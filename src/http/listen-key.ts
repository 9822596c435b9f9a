import { randomUUID } from 'node:crypto';
import { SignJWT, jwtVerify } from 'jose';
import type { AccountId } from '../model/ids.js';
import type { ListenKeys } from './port.js';

const ALGORITHM = 'HS256';
const TYPE = 'listen+jwt';
const ISSUER = 'sluice';
const AUDIENCE = 'sluice-stream';

export interface ListenKeyParts {
  /** At least 32 bytes. */
  readonly secret: Uint8Array;
  readonly ttlS: number;
  /** Real time of day in milliseconds. */
  readonly realNowMs: () => number;
}

/** Issues and checks the short-lived keys of the WebSocket handshake: JWTs that name an account and nothing else. */
export class JwtListenKeys implements ListenKeys {
  readonly #parts: ListenKeyParts;

  constructor(parts: ListenKeyParts) {
    this.#parts = parts;
  }

  issue(account: AccountId): Promise<string> {
    const { secret, ttlS, realNowMs } = this.#parts;
    const nowS = Math.floor(realNowMs() / 1000);
    return new SignJWT()
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setSubject(account)
      .setJti(randomUUID())
      .setIssuedAt(nowS)
      .setExpirationTime(nowS + ttlS)
      .sign(secret);
  }

  /** The account of a key that is ours and not expired; null for anything else. Never rejects. */
  async verify(listenKey: string): Promise<{ readonly account: AccountId } | null> {
    const { secret, realNowMs } = this.#parts;
    try {
      const { payload } = await jwtVerify(listenKey, secret, {
        algorithms: [ALGORITHM],
        typ: TYPE,
        issuer: ISSUER,
        audience: AUDIENCE,
        requiredClaims: ['sub', 'exp', 'jti'],
        currentDate: new Date(realNowMs()),
      });
      return { account: payload.sub as AccountId };
    } catch {
      return null;
    }
  }
}
