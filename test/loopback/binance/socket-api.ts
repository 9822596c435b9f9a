import type { FaultScript, View } from '../faults.js';
import { serveRequest } from '../request-service.js';
import type { SocketSession } from '../socket-server.js';
import { ApiError, faultError } from './api-error.js';
import { type ApiParts, type Endpoint, isSigned } from './endpoint.js';
import { Parameters } from './parameters.js';
import { checkSignature, checkTimestamp, identify, type Identity, socketPayload } from './signing.js';

/**
 * One connection to the socket API. A logon with an Ed25519 key makes the later requests of the session need no
 * signature.
 */
export interface ApiSession {
  readonly socket: SocketSession;
  readonly connectedAtMs: number;
  identity: Identity | null;
  authorizedAtMs: number | null;
}

interface SocketRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A request that belongs to the session: logon and subscriptions of the user data stream. */
export interface SessionEndpoint {
  readonly socket: string;
  readonly isSigned: boolean;
  readonly run: (
    session: ApiSession,
    request: { identity: Identity | null; parameters: Parameters; nowMs: number },
  ) => unknown;
}

interface SocketApiParts extends ApiParts {
  readonly sessionEndpoints: readonly SessionEndpoint[];
  readonly faults: FaultScript;
  /** `spot` or `futures`: the first word of the names of the fault rules. */
  readonly section: string;
  readonly onClosed: (session: ApiSession) => void;
}

interface SocketAnswer {
  readonly id: unknown;
  readonly status: number;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly rateLimits?: unknown;
}

/** Requests and answers on a socket: `{id, method, params}` and `{id, status, result | error, rateLimits}`. */
export class SocketApi {
  readonly #parts: SocketApiParts;
  readonly #endpoints: ReadonlyMap<string, Endpoint>;
  readonly #sessionEndpoints: ReadonlyMap<string, SessionEndpoint>;

  constructor(parts: SocketApiParts) {
    this.#parts = parts;
    const offered = parts.endpoints.filter(({ socket }) => socket !== undefined);
    this.#endpoints = new Map(offered.map((endpoint) => [endpoint.socket!, endpoint]));
    this.#sessionEndpoints = new Map(parts.sessionEndpoints.map((endpoint) => [endpoint.socket, endpoint]));
  }

  open(socket: SocketSession): void {
    const nowMs = this.#parts.clock.nowMs();
    const session: ApiSession = { socket, connectedAtMs: nowMs, identity: null, authorizedAtMs: null };
    socket.onMessage((text) => {
      void this.#receive(session, text);
    });
    socket.onClose(() => this.#parts.onClosed(session));
  }

  async #receive(session: ApiSession, text: string): Promise<void> {
    const request = parseRequest(text);
    if (request === null) {
      const error = { code: -1135, msg: 'Invalid JSON Request' };
      session.socket.write(JSON.stringify({ id: null, status: 400, error }));
      return;
    }
    await serveRequest<SocketAnswer>(this.#parts.faults, {
      name: `${this.#parts.section} ${request.method}`,
      execute: (view) => this.#execute(session, request, view),
      failure: (fault) => {
        const error =
          fault.kind === 'maintenance'
            ? faultError({ kind: 'fail', failure: 'unknown', executed: false })
            : faultError(fault);
        return { id: request.id, status: error.status, error: error.body };
      },
      send: (answer) => session.socket.write(JSON.stringify(answer)),
      cut: () => session.socket.cut(),
    });
  }

  #execute(session: ApiSession, request: SocketRequest, view: View): SocketAnswer {
    const { limits, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const { address } = session.socket;
    const method = request.method.replace(/^v[13]\//, '');
    const endpoint = this.#endpoints.get(method);
    const parameters = Parameters.ofObject(request.params);
    let account: number | null = null;
    let isShown = true;
    const answer = (result: object): SocketAnswer => {
      const standings = limits.standings(address, account, nowMs);
      return { id: request.id, ...result, ...(isShown && { rateLimits: standings }) } as SocketAnswer;
    };
    try {
      limits.weigh(address, endpoint?.weight ?? 2, nowMs);
      isShown = parameters.flag('returnRateLimits') ?? true;
      const own = this.#sessionEndpoints.get(method);
      if (own !== undefined) {
        const identity = own.isSigned
          ? this.#identify(session, request, { parameters, nowMs, security: 'USER_DATA' })
          : null;
        return answer({ status: 200, result: own.run(session, { identity, parameters, nowMs }) });
      }
      if (endpoint === undefined) throw new ApiError(-1000, `Unknown method '${method}'`);
      const { security } = endpoint;
      const identity = security === 'NONE' ? null : this.#identify(session, request, { parameters, nowMs, security });
      if (endpoint.isOrder === true && identity !== null) {
        account = identity.account.id;
        limits.countOrder(account, nowMs);
      }
      return answer({ status: 200, result: endpoint.run({ parameters, identity, view, nowMs }) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { retryAfterSeconds } = error;
      const data =
        retryAfterSeconds === null ? {} : { data: { serverTime: nowMs, retryAfter: nowMs + retryAfterSeconds * 1000 } };
      return answer({ status: error.status, error: { ...error.body, ...data } });
    }
  }

  #identify(
    session: ApiSession,
    { params }: SocketRequest,
    { parameters, nowMs, security }: { parameters: Parameters; nowMs: number; security: Endpoint['security'] },
  ): Identity {
    const key = parameters.optional('apiKey');
    const { accounts } = this.#parts;
    if (key === null && session.identity !== null) {
      if (isSigned(security)) checkTimestamp(parameters, nowMs);
      return identify(accounts, { key: session.identity.key.key, address: session.socket.address, security });
    }
    const identity = identify(accounts, { key, address: session.socket.address, security });
    if (!isSigned(security)) return identity;
    checkSignature(identity.key, { payload: socketPayload(params), signature: parameters.required('signature') });
    checkTimestamp(parameters, nowMs);
    return identity;
  }
}

function parseRequest(text: string): SocketRequest | null {
  try {
    const { id = null, method, params = {} } = JSON.parse(text) as Partial<SocketRequest>;
    return typeof method === 'string' && typeof params === 'object' ? { id, method, params } : null;
  } catch {
    return null;
  }
}
