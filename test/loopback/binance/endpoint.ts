import type { Accounts } from '../accounts.js';
import type { ExchangeClock } from '../clock.js';
import type { View } from '../faults.js';
import type { HttpAnswer, HttpRequest } from '../http-server.js';
import type { ProtocolFault } from '../request-service.js';
import { ApiError, faultError, REJECTED_KEY } from './api-error.js';
import { Parameters } from './parameters.js';
import type { RequestLimits } from './request-limits.js';
import { checkSignature, checkTimestamp, identify, type Identity, restPayload, type Security } from './signing.js';

/** What a handler gets. `identity` is the account of a request that needs a key. */
export interface RequestContext {
  readonly parameters: Parameters;
  readonly identity: Identity | null;
  readonly view: View;
  readonly nowMs: number;
}

/** One request of the API, offered by HTTP (`GET /api/v3/order`), on a socket (`order.status`), or both. */
export interface Endpoint {
  readonly rest?: string;
  readonly socket?: string;
  readonly security: Security;
  readonly weight: number;
  /** True when the request counts as a new order. */
  readonly isOrder?: boolean;
  /** Returns the JSON answer, or throws an ApiError. */
  readonly run: (context: RequestContext) => unknown;
}

export interface ApiParts {
  readonly endpoints: readonly Endpoint[];
  readonly accounts: Accounts;
  readonly clock: ExchangeClock;
  readonly limits: RequestLimits;
}

const SIGNED: ReadonlySet<Security> = new Set(['USER_DATA', 'SPOT_TRADE', 'FUTURES_DATA', 'FUTURES_TRADE']);

export function isSigned(security: Security): boolean {
  return SIGNED.has(security);
}

/** The account of a request. Throws for an endpoint that has no security. */
export function accountOf({ identity }: RequestContext): number {
  if (identity === null) throw REJECTED_KEY();
  return identity.account.id;
}

/** The HTTP side of an API: looks up the endpoint, checks key, signature and time, and writes the answer. */
export class RestApi {
  readonly #parts: ApiParts;
  readonly #endpoints: ReadonlyMap<string, Endpoint>;

  constructor(parts: ApiParts) {
    this.#parts = parts;
    const offered = parts.endpoints.filter(({ rest }) => rest !== undefined);
    this.#endpoints = new Map(offered.map((endpoint) => [endpoint.rest!, endpoint]));
  }

  handle(request: HttpRequest, view: View): HttpAnswer {
    const { limits, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const endpoint = this.#endpoints.get(`${request.method} ${request.path}`);
    if (endpoint === undefined) return notFound(request);
    let account: number | null = null;
    const headers = (): Record<string, string> => {
      return limits.headers(request.address, endpoint.isOrder === true ? account : null, nowMs);
    };
    try {
      limits.weigh(request.address, endpoint.weight, nowMs);
      const parameters = Parameters.ofTexts([request.query, request.body]);
      const identity = this.#identify(request, { endpoint, parameters, nowMs });
      account = identity?.account.id ?? null;
      if (endpoint.isOrder === true && account !== null) limits.countOrder(account, nowMs);
      const answer = endpoint.run({ parameters, identity, view, nowMs });
      return { status: 200, headers: headers(), body: JSON.stringify(answer) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return errorAnswer(error, headers());
    }
  }

  failure(fault: ProtocolFault, path: string): HttpAnswer {
    if (fault.kind === 'fail' && fault.failure === 'unknown' && path.startsWith('/fapi/')) {
      // The gateway of the futures section writes an error of its own, without a code.
      const { message } = faultError(fault);
      return { status: 503, headers: {}, body: JSON.stringify({ timestamp: Date.now(), path, msg: message }) };
    }
    if (fault.kind !== 'maintenance') return errorAnswer(faultError(fault), {});
    const title = fault.status === 502 ? '502 Bad Gateway' : '503 Service Temporarily Unavailable';
    const body = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`;
    return { status: fault.status, headers: { 'content-type': 'text/html' }, body };
  }

  #identify(
    request: HttpRequest,
    { endpoint, parameters, nowMs }: { endpoint: Endpoint; parameters: Parameters; nowMs: number },
  ): Identity | null {
    const { security } = endpoint;
    if (security === 'NONE') return null;
    const header = request.headers['x-mbx-apikey'];
    const key = typeof header === 'string' ? header : null;
    const identity = identify(this.#parts.accounts, { key, address: request.address, security });
    if (!isSigned(security)) return identity;
    const signature = parameters.required('signature');
    checkSignature(identity.key, { payload: restPayload(request.query, request.body), signature });
    checkTimestamp(parameters, nowMs);
    return identity;
  }
}

function errorAnswer(error: ApiError, headers: Record<string, string>): HttpAnswer {
  const { status, retryAfterSeconds } = error;
  const retry = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) };
  return { status, headers: { ...headers, ...retry }, body: JSON.stringify(error.body) };
}

function notFound({ method, path }: HttpRequest): HttpAnswer {
  if (!path.startsWith('/fapi/'))
    return { status: 404, headers: { 'content-type': 'text/html' }, body: '<html></html>' };
  const body = JSON.stringify({ code: -5000, msg: `Path ${path}, Method ${method} is invalid` });
  return { status: 404, headers: {}, body };
}
