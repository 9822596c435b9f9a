import { randomBytes } from 'node:crypto';
import type { FaultScript, View } from '../faults.js';
import { type ProtocolFault, serveRequest } from '../request-service.js';
import type { SocketSession } from '../socket-server.js';
import { ApiError, faultError, NO_PERMISSION, parameterError } from './api-error.js';
import { type ApiParts, type Endpoint, runSigned } from './endpoint.js';
import { authenticate, connectionId, type Operation, parseOperation } from './operations.js';
import { Parameters } from './parameters.js';
import { limitHeaders } from './request-limits.js';
import { checkTime, type Identity } from './signing.js';

const MS_PER_S = 1_000;

interface TradeSession {
  readonly socket: SocketSession;
  readonly id: string;
  identity: Identity | null;
  /** Ids of requests: each may come once. */
  readonly requestIds: Set<string>;
}

/** Order entry on a socket: `/v5/trade`. Its requests are those of REST and need no signature after `auth`. */
export class TradeSocket {
  /** Connections that have logged on so far. */
  logins = 0;
  /** Requests to come that are refused because the server restarts. */
  refusedByRestart = 0;
  readonly #parts: ApiParts & { readonly faults: FaultScript };
  readonly #endpoints: ReadonlyMap<string, Endpoint>;

  constructor(parts: ApiParts & { readonly faults: FaultScript }) {
    this.#parts = parts;
    const offered = parts.endpoints.filter(({ socket }) => socket !== undefined);
    this.#endpoints = new Map(offered.map((endpoint) => [endpoint.socket!, endpoint]));
  }

  open(socket: SocketSession): void {
    const session: TradeSession = { socket, id: connectionId(), identity: null, requestIds: new Set() };
    socket.onMessage((text) => this.#receive(session, parseOperation(text)));
  }

  #receive(session: TradeSession, operation: Operation | null): void {
    const write = (answer: object): void => session.socket.write(JSON.stringify(answer));
    if (operation === null) return write(this.#answer(session, null, parameterError('Params Error')));
    const nowMs = this.#parts.clock.nowMs();
    if (operation.op === 'ping') {
      return write({ ...this.#answer(session, { ...operation, op: 'pong' }, null), data: [String(nowMs)] });
    }
    void serveRequest(this.#parts.faults, {
      name: `trade ${operation.op}`,
      execute: (view) =>
        operation.op === 'auth'
          ? this.#authenticate(session, operation, nowMs)
          : this.#execute(session, operation, view),
      failure: (fault) => this.#failure(session, operation, fault),
      send: write,
      cut: () => session.socket.cut(),
    });
  }

  #authenticate(session: TradeSession, operation: Operation, nowMs: number): object {
    try {
      if (session.identity !== null) throw new ApiError(20001, 'Repeat auth');
      session.identity = authenticate(this.#parts.accounts, operation, { socket: session.socket, nowMs });
      this.logins += 1;
      return this.#answer(session, operation, null);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return this.#answer(session, operation, error);
    }
  }

  #execute(session: TradeSession, operation: Operation, view: View): object {
    const { clock, limits } = this.#parts;
    const { op, args, header, requestId } = operation;
    const nowMs = clock.nowMs();
    try {
      const { identity } = session;
      if (identity === null) throw NO_PERMISSION();
      const endpoint = this.#endpoints.get(op);
      if (endpoint === undefined) throw new ApiError(10404, 'op type is not found');
      if (this.refusedByRestart > 0) {
        this.refusedByRestart -= 1;
        throw new ApiError(10019, 'ws trade service is restarting');
      }
      if (requestId !== null && session.requestIds.has(requestId)) throw new ApiError(20006, 'reqId is duplicated');
      if (requestId !== null) session.requestIds.add(requestId);
      checkTime(textIn(header, 'X-BAPI-TIMESTAMP'), textIn(header, 'X-BAPI-RECV-WINDOW'), nowMs);
      const [fields] = args;
      if (typeof fields !== 'object' || fields === null) throw parameterError('Params Error');
      const parameters = new Parameters(fields as Record<string, unknown>);
      const data = runSigned(endpoint, { parameters, identity, view, nowMs }, limits);
      const headers = { ...this.#limitHeaders(session, operation, nowMs), ...this.#trace() };
      return { ...this.#answer(session, operation, null), data, header: headers };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return this.#refusal(session, operation, error, this.#limitHeaders(session, operation, nowMs));
    }
  }

  #refusal(
    session: TradeSession,
    operation: Operation,
    error: ApiError,
    headers: Readonly<Record<string, string>>,
  ): object {
    const header = { ...headers, ...this.#trace() };
    return { ...this.#answer(session, operation, error), data: {}, retExtInfo: {}, header };
  }

  #failure(session: TradeSession, operation: Operation, fault: ProtocolFault): object {
    const error = faultError(fault) ?? new ApiError(10016, 'Server error.');
    const resetAtMs = fault.kind === 'limit' ? this.#parts.clock.nowMs() + fault.retryAfterSeconds * MS_PER_S : null;
    const headers = resetAtMs === null ? {} : limitHeaders({ limit: 10, rest: 0, resetAtMs });
    return this.#refusal(session, operation, error, headers);
  }

  /** How far the account has used the limit of the operation; empty: none was counted. */
  #limitHeaders({ identity }: TradeSession, { op, args }: Operation, nowMs: number): Record<string, string> {
    const endpoint = this.#endpoints.get(op);
    const category = (args[0] as { category?: unknown } | undefined)?.category;
    if (identity === null || endpoint === undefined || (category !== 'spot' && category !== 'linear')) return {};
    return limitHeaders(
      this.#parts.limits.useOf({ account: identity.account.id, endpoint: endpoint.rest, category }, nowMs),
    );
  }

  #answer(session: TradeSession, operation: Operation | null, error: ApiError | null): object {
    return {
      ...(operation !== null && operation.requestId !== null && { reqId: operation.requestId }),
      retCode: error?.code ?? 0,
      retMsg: error?.message ?? 'OK',
      ...(operation !== null && { op: operation.op }),
      connId: session.id,
    };
  }

  #trace(): Record<string, string> {
    return { Traceid: randomBytes(16).toString('hex'), Timenow: String(this.#parts.clock.nowMs()) };
  }
}

function textIn(header: Readonly<Record<string, unknown>>, name: string): string {
  const value = header[name];
  return typeof value === 'string' ? value : '';
}
