import type { LoopbackAccount } from '../accounts.js';
import type { View } from '../faults.js';
import type { HttpAnswer, HttpRequest } from '../http-server.js';
import type { ProtocolFault } from '../request-service.js';
import { faultError, OkxError } from './api-error.js';
import { RequestFields } from './request-fields.js';
import { type RequestLimit, RequestLimits } from './request-limits.js';
import { identify, type Security } from './signing.js';
import type { TradingAccounts } from './trading-account.js';

/** What a handler gets. `orders` are the elements of a body that is a list. */
export interface RequestContext {
  readonly fields: RequestFields;
  readonly orders: readonly RequestFields[];
  readonly account: LoopbackAccount | null;
  readonly view: View;
  readonly nowMs: number;
}

/** The members of an answer; the code is 0 unless the handler states another one. */
export interface Envelope {
  readonly code?: string;
  readonly msg?: string;
  readonly data: readonly unknown[];
}

/** One request of the REST interface. */
export interface Endpoint {
  /** `GET /api/v5/trade/order` */
  readonly rest: string;
  readonly security: Security;
  readonly limit: RequestLimit;
  /** True when each order in it counts as a new or amended order. */
  readonly isOrder?: boolean;
  readonly run: (context: RequestContext) => Envelope;
}

/** An endpoint without a key: its requests are counted for each address. */
export function open(path: string, limit: number, run: Endpoint['run']): Endpoint {
  return {
    rest: `GET /api/v5/${path}`,
    security: 'NONE',
    limit: { limit, perMs: LIMIT_PER_MS, by: 'ADDRESS' },
    run,
  };
}

export const LIMIT_PER_MS = 2_000;
const PREFIX = '/api/v5/';

/** Checks key, signature, time and limits of a request, and writes the answer of its endpoint. */
export class RestApi {
  readonly limits = new RequestLimits();
  readonly #trading: TradingAccounts;
  readonly #isDemo: boolean;
  readonly #endpoints: ReadonlyMap<string, Endpoint>;

  constructor(trading: TradingAccounts, endpoints: readonly Endpoint[], isDemo: boolean) {
    this.#trading = trading;
    this.#isDemo = isDemo;
    this.#endpoints = new Map(endpoints.map((endpoint) => [endpoint.rest, endpoint]));
  }

  handle(request: HttpRequest, view: View): HttpAnswer {
    const endpoint = this.#endpoints.get(`${request.method} ${request.path}`);
    if (endpoint === undefined) return this.#unknown(request);
    const nowMs = this.#trading.clock.nowMs();
    try {
      const bodies = bodiesOf(request);
      const identity = identify(this.#trading.accounts, request, {
        security: endpoint.security,
        nowMs,
        isDemo: this.#isDemo,
      });
      const account = identity?.account ?? null;
      for (const fields of bodies.orders.length > 0 ? bodies.orders : [bodies.fields]) {
        const owner = {
          ADDRESS: request.address,
          ACCOUNT: `#${account?.id}`,
          INSTRUMENT: `#${account?.id}|${fields.optional('instId')}`,
        };
        this.limits.count(endpoint.rest, endpoint.limit, owner[endpoint.limit.by], nowMs);
        if (endpoint.isOrder === true && account !== null) this.limits.countOrder(account.id, nowMs);
      }
      const expTime = request.headers['exptime'];
      if (typeof expTime === 'string' && Number(expTime) < nowMs) throw new OkxError('50036');
      return answer({ code: '0', msg: '', ...endpoint.run({ ...bodies, account, view, nowMs }) });
    } catch (error) {
      if (!(error instanceof OkxError)) throw error;
      return errorAnswer(error);
    }
  }

  failure(fault: ProtocolFault): HttpAnswer {
    if (fault.kind !== 'maintenance') return errorAnswer(faultError(fault));
    const title = fault.status === 502 ? '502 Bad Gateway' : '503 Service Temporarily Unavailable';
    const body = `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`;
    return { status: fault.status, headers: { 'content-type': 'text/html' }, body };
  }

  #unknown({ method, path }: HttpRequest): HttpAnswer {
    const hasOther = [...this.#endpoints.keys()].some((rest) => rest.endsWith(` ${path}`));
    if (hasOther) return errorAnswer(new OkxError('50115'));
    const body = JSON.stringify({
      msg: path.startsWith(PREFIX) ? 'API endpoint does not exist' : `${method} ${path}`,
      code: '404',
      data: [],
    });
    return { status: 404, headers: {}, body };
  }
}

export function accountOf({ account }: RequestContext): LoopbackAccount {
  if (account === null) throw new OkxError('50103');
  return account;
}

function bodiesOf({ method, query, body }: HttpRequest): Pick<RequestContext, 'fields' | 'orders'> {
  if (method === 'GET') return { fields: RequestFields.ofQuery(query), orders: [] };
  let parsed: unknown;
  try {
    parsed = JSON.parse(body === '' ? '{}' : body);
  } catch {
    throw new OkxError('50002');
  }
  if (Array.isArray(parsed))
    return { fields: new RequestFields({}), orders: parsed.filter(isObject).map((one) => new RequestFields(one)) };
  if (!isObject(parsed)) throw new OkxError('50002');
  return { fields: new RequestFields(parsed), orders: [] };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function answer(envelope: Envelope): HttpAnswer {
  return { status: 200, headers: {}, body: JSON.stringify(envelope) };
}

function errorAnswer({ status, code, message }: OkxError): HttpAnswer {
  return { status, headers: {}, body: JSON.stringify({ msg: message, code, data: [] }) };
}
