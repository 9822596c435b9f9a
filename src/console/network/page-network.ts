import { SluiceError } from '../../client/sluice-error.js';
import type { LiveSocket } from './live-stream.js';
import type { Answer, ApiRequest } from './service-api.js';

/* Network access of the page, to its own origin only. */

const TIMEOUT_MS = 15_000;
const STREAM_PATH = 'api/v2/ws';

/** Rejects with SluiceError when no answer arrives in time. The browser does not store the answer. */
export async function ask({ method, target, headers, body }: ApiRequest): Promise<Answer> {
  try {
    const answer = await fetch(addressOf(target), {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: answer.status, text: await answer.text() };
  } catch (cause) {
    const message = 'the service does not answer';
    throw new SluiceError({ status: 0, code: 'NETWORK_ERROR', message, requestId: null, cause });
  }
}

/** A browser cannot send headers with a handshake: the listen key is part of the address. */
export function openSocket(listenKey: string): LiveSocket {
  const address = addressOf(`/${STREAM_PATH}`);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  address.searchParams.set('listenKey', listenKey);
  return new WebSocket(address);
}

/** URL of an API path relative to the page: a proxy may serve the page under a path prefix. */
function addressOf(target: string): URL {
  return new URL(`.${target}`, location.href);
}
