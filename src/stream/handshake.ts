import type { HttpRequest, HttpResponse, us_socket_context_t } from 'uWebSockets.js';
import type { AccountId } from '../model/ids.js';
import { WS_HANDSHAKES_PENDING_MAX } from '../model/limits.js';
import type { RejectionCode } from '../model/rejection.js';
import type { ListenKeyHolder, StreamDeps } from './port.js';

/** What the socket carries from its handshake to its opening. */
export interface Admission {
  readonly account: AccountId;
}

export interface HandshakeRefusal {
  readonly status:
    '401 Unauthorized' | '429 Too Many Requests' | '500 Internal Server Error' | '503 Service Unavailable';
  readonly code: RejectionCode;
  readonly message: string;
}

export interface HandshakeParts extends Pick<StreamDeps, 'verifyListenKey' | 'nextRequestId' | 'onFault'> {
  /** Why one more connection of the account is refused now; null when it is not. */
  readonly refusalOf: (account: AccountId) => HandshakeRefusal | null;
}

const UNAUTHORIZED: HandshakeRefusal = {
  status: '401 Unauthorized',
  code: 'AUTHENTICATION_ERROR',
  message: 'the listen key is missing, invalid or expired; get one from GET /api/v2/trading/listenKey',
};
const BROKEN: HandshakeRefusal = {
  status: '500 Internal Server Error',
  code: 'SYSTEM_ERROR',
  message: 'the listen key could not be verified',
};
const TOO_MANY: HandshakeRefusal = {
  status: '503 Service Unavailable',
  code: 'SYSTEM_BUSY',
  message: 'too many handshakes at once',
};
const RETRY_AFTER_SECONDS = '1';

/** Turns an HTTP request with a valid listen key into a WebSocket, and answers every other one. */
export class Handshakes {
  readonly #parts: HandshakeParts;
  #pendingCount = 0;

  constructor(parts: HandshakeParts) {
    this.#parts = parts;
  }

  /** The request is dead when this returns, the response when the client has gone: both are copied or watched first. */
  onUpgrade(res: HttpResponse, req: HttpRequest, context: us_socket_context_t): void {
    const handshake = new Handshake(res, req, context, this.#parts.nextRequestId());
    const token = listenKeyOf(req);
    if (token === null) return handshake.refuse(UNAUTHORIZED);
    if (this.#pendingCount >= WS_HANDSHAKES_PENDING_MAX) return handshake.refuse(TOO_MANY);
    const holder = this.#parts.verifyListenKey(token);
    if (!(holder instanceof Promise)) return this.#settle(handshake, holder);
    this.#pendingCount += 1;
    void holder
      .then(
        (verified) => this.#settle(handshake, verified),
        (error: unknown) => this.#fail(handshake, error),
      )
      .finally(() => (this.#pendingCount -= 1));
  }

  #settle(handshake: Handshake, holder: ListenKeyHolder | null): void {
    if (holder === null) return handshake.refuse(UNAUTHORIZED);
    const refusal = this.#parts.refusalOf(holder.account);
    if (refusal !== null) return handshake.refuse(refusal);
    handshake.accept({ account: holder.account });
  }

  #fail(handshake: Handshake, error: unknown): void {
    this.#parts.onFault(error);
    handshake.refuse(BROKEN);
  }
}

class Handshake {
  readonly #res: HttpResponse;
  readonly #context: us_socket_context_t;
  readonly #key: string;
  readonly #protocol: string;
  readonly #extensions: string;
  readonly #requestId: string;
  #isAborted = false;

  constructor(res: HttpResponse, req: HttpRequest, context: us_socket_context_t, requestId: string) {
    this.#res = res;
    this.#context = context;
    this.#key = req.getHeader('sec-websocket-key');
    this.#protocol = req.getHeader('sec-websocket-protocol');
    this.#extensions = req.getHeader('sec-websocket-extensions');
    this.#requestId = requestId;
    res.onAborted(() => {
      this.#isAborted = true;
    });
  }

  accept(admission: Admission): void {
    if (this.#isAborted) return;
    this.#res.cork(() => {
      this.#res.writeStatus('101 Switching Protocols').writeHeader('X-Request-Id', this.#requestId);
      this.#res.upgrade<Admission>(admission, this.#key, this.#protocol, this.#extensions, this.#context);
    });
  }

  refuse({ status, code, message }: HandshakeRefusal): void {
    if (this.#isAborted) return;
    const body = JSON.stringify({ error_code: code, message, request_id: this.#requestId });
    this.#res.cork(() => {
      this.#res.writeStatus(status).writeHeader('Content-Type', 'application/json');
      this.#res.writeHeader('X-Request-Id', this.#requestId);
      if (status.startsWith('503') || status.startsWith('429')) {
        this.#res.writeHeader('Retry-After', RETRY_AFTER_SECONDS);
      }
      this.#res.end(body);
    });
  }
}

const BEARER = /^Bearer +(\S+)$/i;

/** From the query, or from the header; null when neither has one. */
function listenKeyOf(req: HttpRequest): string | null {
  const fromQuery = req.getQuery('listenKey');
  if (fromQuery !== undefined && fromQuery !== '') return fromQuery;
  return BEARER.exec(req.getHeader('authorization'))?.[1] ?? null;
}
