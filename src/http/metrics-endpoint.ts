import { createHash, timingSafeEqual } from 'node:crypto';
import { METRICS } from '../contract/open-operations.js';
import type { Call } from './call.js';
import type { OpenEndpoint } from './endpoint.js';
import { UNAUTHORIZED } from './errors.js';
import { EXPOSITION_TYPE, type Exposition } from './metrics/exposition.js';
import { isOwnHost } from './own-host.js';
import { isLoopback, networkAddress } from './network-address.js';

export interface MetricsParts {
  readonly exposition: Exposition;
  /** Lets in who is not on this machine; null: nobody. */
  readonly metricsToken: string | null;
  /** The address or name that the service listens at. */
  readonly host: string;
}

const BEARER = /^Bearer +(\S+)$/i;
const HEADERS = `\r\nContent-Type: ${EXPOSITION_TYPE}\r\nCache-Control: no-store`;
const CHALLENGE = '\r\nWWW-Authenticate: Bearer';

/** The metrics, for this machine and for who has the token. */
export function metricsEndpoint({ exposition, metricsToken, host }: MetricsParts): OpenEndpoint {
  const expected = metricsToken === null ? null : digestOf(metricsToken);
  const answer = (call: Call): void => {
    exposition.text().then(
      call.guarded((text) => call.answerFile({ headers: HEADERS, bytes: Buffer.from(text) })),
      (error: unknown) => call.fail(error),
    );
  };
  return {
    path: METRICS.path,
    handle: (call) => {
      const isLocal = isLoopback(networkAddress(call.remoteAddress())) && isOwnHost(call.head.host, host);
      if (isLocal || isToken(call.head.authorization, expected)) answer(call);
      else call.refuse({ code: 'AUTHENTICATION_ERROR', message: WHO_MAY }, UNAUTHORIZED, CHALLENGE);
    },
  };
}

const WHO_MAY =
  'metrics are for this machine by a loopback name or address in Host, and for the bearer token SLUICE_METRICS_TOKEN';

/** Digests are of one length whatever was given, so that the time of comparing them tells nothing of the token. */
function isToken(authorization: string, expected: Buffer | null): boolean {
  const given = BEARER.exec(authorization)?.[1];
  return given !== undefined && expected !== null && timingSafeEqual(digestOf(given), expected);
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
