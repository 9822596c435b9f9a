import { SluiceError } from '../client/sluice-error.js';
import type { Socket } from './live-stream.js';
import type { Answer, Question } from './service-api.js';

/** The service, as far as a page reaches it: its own origin and nothing else. */

const TIMEOUT_MS = 15_000;
const STREAM_PATH = 'api/v2/ws';

/** Rejects with SluiceError when no answer comes in time. Nothing of it is kept by the browser. */
export async function ask({ method, target, headers, body }: Question): Promise<Answer> {
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

export function probe(path: string): Promise<Answer> {
  return ask({ method: 'GET', target: path, headers: {} });
}

/** A browser sends no headers with a handshake: the listen key stands in the address. */
export function openSocket(listenKey: string): Socket {
  const address = addressOf(`/${STREAM_PATH}`);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  address.searchParams.set('listenKey', listenKey);
  return new WebSocket(address);
}

/** The page may be served below a path of a proxy: what it asks for lies beside it. */
function addressOf(target: string): URL {
  return new URL(`.${target}`, location.href);
}
