import type { Accounts } from '../accounts.js';
import type { ExchangeClock } from '../clock.js';
import type { View } from '../faults.js';
import type { HttpAnswer, HttpRequest } from '../http-server.js';
import type { ProtocolFault } from '../request-service.js';
import { ApiError, faultError, pageOf } from './api-error.js';
import { Parameters } from './parameters.js';
import { limitHeaders, type RequestLimits } from './request-limits.js';
import { identifyRequest, type Identity, requireReading, requireTrading } from './signing.js';

/** What a handler gets. */
export interface RequestContext {
  readonly parameters: Parameters;
  readonly account: number;
  readonly identity: Identity | null;
  readonly view: View;
  readonly nowMs: number;
}

/** One request of the API. `socket` is its name on the trade socket. */
export interface Endpoint {
  readonly rest: string;
  readonly socket?: string;
  /** PUBLIC needs no key; READ and TRADE need a signature and the right. */
  readonly security: 'PUBLIC' | 'READ' | 'TRADE';
  /** True: it counts against the limit of its product. */
  readonly isOrder?: boolean;
  /** Returns the member `result`, or throws an ApiError. */
  readonly run: (context: RequestContext) => object;
}

export interface ApiParts {
  readonly endpoints: readonly Endpoint[];
  readonly accounts: Accounts;
  readonly clock: ExchangeClock;
  readonly limits: RequestLimits;
}

/** Account of requests without a key. No account has it. */
const NO_ACCOUNT = 0;

/** Runs one request of a known account: rights, limits, handler. */
export function runSigned(
  endpoint: Endpoint,
  context: Omit<RequestContext, 'account'> & { readonly identity: Identity },
  limits: RequestLimits,
): object {
  const { identity, parameters, nowMs } = context;
  requireReading(identity);
  const category = endpoint.isOrder === true ? parameters.category() : null;
  if (endpoint.security === 'TRADE') requireTrading(identity, category ?? 'linear');
  limits.count({ account: identity.account.id, endpoint: endpoint.rest, category }, nowMs);
  return endpoint.run({ ...context, account: identity.account.id });
}

/** The HTTP side of the API. Errors of the exchange have status 200 and a code in the body. */
export class RestApi {
  readonly #parts: ApiParts;
  readonly #endpoints: ReadonlyMap<string, Endpoint>;

  constructor(parts: ApiParts) {
    this.#parts = parts;
    this.#endpoints = new Map(parts.endpoints.map((endpoint) => [endpoint.rest, endpoint]));
  }

  handle(request: HttpRequest, view: View): HttpAnswer {
    const { accounts, clock, limits } = this.#parts;
    const nowMs = clock.nowMs();
    let headers: Record<string, string> = {};
    try {
      limits.countAddress(request.address, nowMs);
      const endpoint = this.#endpoints.get(`${request.method} ${request.path}`);
      if (endpoint === undefined) throw new ApiError(10017, 'Route not found.', { status: 404 });
      const identity = endpoint.security === 'PUBLIC' ? null : identifyRequest(accounts, request, nowMs);
      const parameters =
        request.method === 'POST' ? Parameters.ofBody(request.body) : Parameters.ofQuery(request.query);
      const context = { parameters, view, nowMs };
      if (identity === null) {
        return answerOf(0, 'OK', endpoint.run({ ...context, identity, account: NO_ACCOUNT }), { nowMs });
      }
      const category = endpoint.isOrder === true ? parameters.category() : null;
      const headersNow = () =>
        limitHeaders(limits.useOf({ account: identity.account.id, endpoint: endpoint.rest, category }, nowMs));
      headers = headersNow();
      const result = runSigned(endpoint, { ...context, identity }, limits);
      return answerOf(0, 'OK', result, { nowMs, headers: headersNow() });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return answerOf(error.code, error.message, {}, { nowMs, headers, status: error.status });
    }
  }

  failure(fault: ProtocolFault): HttpAnswer {
    const error = faultError(fault);
    if (error === null) return pageOf(fault);
    const nowMs = this.#parts.clock.nowMs();
    const headers =
      fault.kind === 'limit'
        ? limitHeaders({ limit: 10, rest: 0, resetAtMs: nowMs + fault.retryAfterSeconds * 1_000 })
        : {};
    return answerOf(error.code, error.message, {}, { nowMs, headers, status: error.status });
  }
}

function answerOf(
  retCode: number,
  retMsg: string,
  result: object,
  { nowMs, headers = {}, status = 200 }: { nowMs: number; headers?: Record<string, string>; status?: number },
): HttpAnswer {
  return { status, headers, body: JSON.stringify({ retCode, retMsg, result, retExtInfo: {}, time: nowMs }) };
}
