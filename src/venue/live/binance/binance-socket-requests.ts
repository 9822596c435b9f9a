import type { RequestClass } from '../../../domain/venue-message.js';
import type { BinanceError } from '../dialect/binance-errors.js';
import { readRateLimits } from '../dialect/binance-limits.js';
import type { Fields } from '../dialect/binance-orders.js';
import { type Outcome, sendOnce } from '../exchange-requests.js';
import { asObject, memberOf } from '../json/json-fields.js';
import type { ApiSocket, SocketAnswer } from '../transport/api-socket.js';
import {
  type BinanceKey,
  signedParameters,
  type SocketParameters,
  timedParameters,
} from '../transport/binance-signature.js';
import type { BinanceBudget, BinanceRequests } from './binance-requests.js';
import type { BinanceCall } from './binance-rest.js';

interface SocketRequestsParts {
  /** null: it has not been opened. */
  readonly socket: () => Pick<ApiSocket, 'isOpen' | 'request'> | null;
  /** REST: for calls that the socket does not have, and while it is not open. */
  readonly requests: Pick<BinanceRequests, 'send'>;
  readonly budget: BinanceBudget;
  readonly key: BinanceKey;
  /** Time of the exchange. */
  readonly timestampMs: () => number;
}

const OK = 200;

/** Requests of one account over its socket, or by REST. */
export class BinanceSocketRequests {
  readonly #parts: SocketRequestsParts;
  /** True on a connection that has logged on: its requests need no signature. */
  #isLoggedOn = false;

  constructor(parts: SocketRequestsParts) {
    this.#parts = parts;
  }

  /** The socket has opened: logs on when the key allows it. */
  async opened(): Promise<void> {
    this.#isLoggedOn = false;
    // The exchange takes a logon with Ed25519 keys alone.
    if (this.#parts.key.kind !== 'ED25519') return;
    const answer = await this.ask('session.logon', {}, true);
    this.#isLoggedOn = answer !== null && memberOf(answer, 'status') === OK;
  }

  closed(): void {
    this.#isLoggedOn = false;
  }

  get isLoggedOn(): boolean {
    return this.#isLoggedOn;
  }

  send(call: BinanceCall, fields: Fields, options: Parameters<BinanceRequests['send']>[2]): Promise<Outcome> {
    const { requests, budget } = this.#parts;
    const { socket: method } = call;
    let isCounted = false;
    let sentAtMs = 0;
    return sendOnce({
      socket: method === null ? null : this.#parts.socket(),
      take: () => {
        const rejection = budget.take(call, options.requestClass);
        isCounted = rejection === null;
        return rejection;
      },
      write: (id) => {
        const text = JSON.stringify({ id, method, params: this.#parametersOf(fields) });
        options.check?.(parametersIn(text));
        sentAtMs = this.#parts.timestampMs();
        return text;
      },
      read: (answer) => this.#outcomeOf(answer, options.requestClass, sentAtMs),
      byRest: () => requests.send(call, fields, options),
    }).finally(() => {
      if (isCounted) budget.answered(call);
    });
  }

  /** One request about the session itself; null: no answer. */
  async ask(method: string, fields: Fields, isSigned: boolean): Promise<SocketAnswer | null> {
    const { socket, key, timestampMs } = this.#parts;
    const params = isSigned ? signedParameters(fields, key, timestampMs()) : fields;
    return (await socket()?.request((id) => JSON.stringify({ id, method, params }))) ?? null;
  }

  #outcomeOf(answer: SocketAnswer, requestClass: RequestClass, sentAtMs: number): Outcome {
    const { budget } = this.#parts;
    const counts = readRateLimits(answer).flatMap(({ name, used }) => (used === null ? [] : [[name, used] as const]));
    budget.stated(counts, sentAtMs);
    if (memberOf(answer, 'status') === OK) return { kind: 'answer', body: memberOf(answer, 'result') };
    const error = this.#errorOf(answer);
    if (error === null) return { kind: 'lost' };
    budget.refused(error, requestClass);
    return { kind: 'error', error };
  }

  #parametersOf(fields: Fields): SocketParameters {
    const { key, timestampMs } = this.#parts;
    return this.#isLoggedOn ? timedParameters(fields, timestampMs()) : signedParameters(fields, key, timestampMs());
  }

  /** null: the answer has no readable status. */
  #errorOf(answer: SocketAnswer): BinanceError | null {
    const status = memberOf(answer, 'status');
    if (typeof status !== 'number') return null;
    const error = asObject(memberOf(answer, 'error'));
    const [code, message] = [memberOf(error, 'code'), memberOf(error, 'msg')];
    const retryAt = memberOf(asObject(memberOf(error, 'data')), 'retryAfter');
    return {
      status,
      code: typeof code === 'number' ? code : null,
      message: typeof message === 'string' ? message : '',
      retryAfterMs: typeof retryAt === 'number' ? Math.max(0, retryAt - this.#parts.timestampMs()) : null,
    };
  }
}

/** The parameters in the text of an outgoing request. */
function parametersIn(text: string): Fields {
  const { params } = JSON.parse(text) as { readonly params: SocketParameters };
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)]));
}
