import type { HttpRequest, HttpResponse, us_socket_context_t } from 'uWebSockets.js';
import { errorText, JSON_ANSWER_HEADERS } from '../api/field/error-code.js';
import type { AccountId } from '../domain/ids.js';
import { RETRY_AFTER_S } from '../domain/limits/clients.js';
import { isRejected, type Rejection } from '../domain/rejection.js';
import type { StreamDeps, StreamHolder } from './port.js';

/** Data of a socket from its handshake to its opening. */
export interface SocketData {
  readonly holder: StreamHolder;
}

export interface HandshakeRefusal {
  readonly status:
    | '401 Unauthorized'
    | '426 Upgrade Required'
    | '429 Too Many Requests'
    | '500 Internal Server Error'
    | '503 Service Unavailable';
  readonly rejection: Rejection;
  /** Whole seconds until the next try; null: a retry does not help. */
  readonly retryAfterS: number | null;
}

interface HandshakeParts<Data extends object> extends Pick<StreamDeps, 'waitOf' | 'nextRequestId'> {
  /** The data of the new socket, or its refusal. `address`: as the socket reports it. */
  readonly admit: (req: HttpRequest, address: ArrayBuffer) => Data | HandshakeRefusal;
}

const UNAUTHORIZED: HandshakeRefusal = {
  status: '401 Unauthorized',
  rejection: {
    code: 'AUTHENTICATION_ERROR',
    message: 'the listen key is missing, invalid or expired; get one from GET /api/v2/trading/listenKey',
  },
  retryAfterS: null,
};
const BROKEN: HandshakeRefusal = {
  status: '500 Internal Server Error',
  rejection: { code: 'SYSTEM_ERROR', message: 'the listen key could not be verified' },
  retryAfterS: null,
};

const NO_UPGRADE: HandshakeRefusal = {
  status: '426 Upgrade Required',
  rejection: { code: 'INVALID_REQUEST', message: 'this path is a WebSocket; send an upgrade request' },
  retryAfterS: null,
};

/** Refusal at the connection bound of the service. */
export function busy(message: string): HandshakeRefusal {
  return unavailable({ code: 'SYSTEM_BUSY', message });
}

function unavailable(rejection: Rejection): HandshakeRefusal {
  return { status: '503 Service Unavailable', rejection, retryAfterS: RETRY_AFTER_S };
}

/** Refusal during the shutdown. */
export const SHUTTING_DOWN = unavailable({
  code: 'SYSTEM_BUSY',
  message: 'the service is shutting down',
  reason: 'SHUTTING_DOWN',
});

/** Refusal at the connection bound of the client. */
export function tooMany(message: string, retryAfterS: number = RETRY_AFTER_S): HandshakeRefusal {
  return { status: '429 Too Many Requests', rejection: { code: 'RATE_LIMIT_EXCEEDED', message }, retryAfterS };
}

/**
 * Upgrades an admitted HTTP request to a WebSocket, and answers every other one. It does everything before the handler
 * returns: at the end of a later cork around an upgrade, this build of the library reads freed memory of the response,
 * and may close the new socket.
 */
export class Handshakes<Data extends object> {
  readonly #parts: HandshakeParts<Data>;

  constructor(parts: HandshakeParts<Data>) {
    this.#parts = parts;
  }

  onUpgrade(res: HttpResponse, req: HttpRequest, context: us_socket_context_t): void {
    const requestId = this.#parts.nextRequestId();
    res.onAborted(() => undefined);
    const address = res.getRemoteAddress();
    const admission = this.#addressRefusal(address) ?? this.#parts.admit(req, address);
    if ('status' in admission) return refuse(res, admission, requestId);
    res.writeStatus('101 Switching Protocols').writeHeader('X-Request-Id', requestId);
    res.upgrade<Data>(
      admission,
      req.getHeader('sec-websocket-key'),
      req.getHeader('sec-websocket-protocol'),
      req.getHeader('sec-websocket-extensions'),
      context,
    );
  }

  /** A request at the path of the WebSocket that is no handshake. */
  onPlain(res: HttpResponse): void {
    const requestId = this.#parts.nextRequestId();
    res.onAborted(() => undefined);
    refuse(res, this.#addressRefusal(res.getRemoteAddress()) ?? NO_UPGRADE, requestId);
  }

  #addressRefusal(address: ArrayBuffer): HandshakeRefusal | null {
    const waitS = this.#parts.waitOf(address);
    return waitS > 0 ? tooMany(`too many requests from this address, retry in ${waitS} s`, waitS) : null;
  }
}

interface ListenKeyParts extends Pick<StreamDeps, 'verifyListenKey' | 'onFault'> {
  /** The refusal of one more connection of the account; null: it is allowed. */
  readonly refusalOf: (account: AccountId) => HandshakeRefusal | null;
}

/** Admits requests with a valid listen key. */
export function listenKeyAdmission({ verifyListenKey, onFault, refusalOf }: ListenKeyParts) {
  return (req: HttpRequest, address: ArrayBuffer): SocketData | HandshakeRefusal => {
    const token = listenKeyOf(req);
    if (token === null) return UNAUTHORIZED;
    try {
      const holder = verifyListenKey(token, address);
      if (holder === null) return UNAUTHORIZED;
      if (isRejected(holder)) return { ...UNAUTHORIZED, rejection: holder.rejection };
      return refusalOf(holder.account) ?? { holder };
    } catch (error) {
      onFault(error);
      return BROKEN;
    }
  };
}

function refuse(res: HttpResponse, { status, rejection, retryAfterS }: HandshakeRefusal, requestId: string): void {
  res.writeStatus(status);
  for (const [name, value] of JSON_ANSWER_HEADERS) res.writeHeader(name, value);
  res.writeHeader('X-Request-Id', requestId);
  if (status === NO_UPGRADE.status) res.writeHeader('Upgrade', 'websocket');
  if (retryAfterS !== null) res.writeHeader('Retry-After', String(retryAfterS));
  res.end(errorText(rejection, requestId));
}

const BEARER = /^Bearer +(\S+)$/i;

/** From the query or the header; null: neither has one. */
function listenKeyOf(req: HttpRequest): string | null {
  const fromQuery = req.getQuery('listenKey');
  if (fromQuery !== undefined && fromQuery !== '') return fromQuery;
  return BEARER.exec(req.getHeader('authorization'))?.[1] ?? null;
}
