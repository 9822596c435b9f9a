import { categoryOf, statedLimit } from '../dialect/bybit-limits.js';
import type { BybitFields } from '../dialect/bybit-orders.js';
import { errorOfAnswer, orderInRequest, restBody, socketRequest } from '../dialect/bybit-socket.js';
import { type Outcome, sendOnce } from '../exchange-requests.js';
import { memberOf, shown } from '../json/json-fields.js';
import type { ApiSocket, SocketAnswer } from '../transport/api-socket.js';
import { WrongRequest } from '../wire-guard.js';
import type { BybitBudget, BybitRequests, Sending } from './bybit-requests.js';
import type { BybitCall } from './bybit-rest.js';

interface SocketRequestsParts {
  /** null: it has not been opened. */
  readonly socket: () => Pick<ApiSocket, 'isOpen' | 'request' | 'reopen'> | null;
  /** REST: for calls that the socket does not have, and while it is not logged on. */
  readonly requests: Pick<BybitRequests, 'send'>;
  readonly budget: BybitBudget;
  /** The arguments of a login now. */
  readonly login: () => readonly (string | number)[];
  /** Time of the exchange. */
  readonly timestampMs: () => number;
  readonly onRefused: (message: string) => void;
}

/** The server restarts: it takes no new request on this connection. */
const RESTARTING = 10019;

/** Requests of one account over its socket for orders, or by REST. */
export class BybitSocketRequests {
  readonly #parts: SocketRequestsParts;
  #isLoggedOn = false;
  #connection = 0;

  constructor(parts: SocketRequestsParts) {
    this.#parts = parts;
  }

  /** The socket has opened: logs on. Until then requests go by REST. */
  async opened(): Promise<void> {
    this.closed();
    const connection = this.#connection;
    const { socket, login, onRefused } = this.#parts;
    const answer = await socket()?.request((id) => JSON.stringify({ reqId: id, op: 'auth', args: login() }));
    if (connection !== this.#connection) return;
    const error = answer === null || answer === undefined ? null : errorOfAnswer(answer);
    this.#isLoggedOn = answer !== null && answer !== undefined && error === null;
    if (this.#isLoggedOn) return;
    // The text of a refused login may repeat the signed text. It is not shown.
    onRefused(`the login was refused with ${error === null ? 'no answer' : shown(error.code)}`);
    socket()?.reopen();
  }

  closed(): void {
    this.#connection += 1;
    this.#isLoggedOn = false;
  }

  send(call: BybitCall, fields: BybitFields, sending: Sending): Promise<Outcome> {
    const { requests, budget, timestampMs } = this.#parts;
    const { socket: op } = call;
    return sendOnce({
      socket: op === undefined || !this.#isLoggedOn ? null : this.#parts.socket(),
      take: () => budget.take(call, categoryOf(fields), sending.requestClass),
      write: (id) => {
        if (op === undefined) throw new WrongRequest(`${call.rest} is not on the socket`);
        const text = socketRequest(id, op, fields, timestampMs());
        const order = orderInRequest(text);
        if (order !== null && sending.check === undefined) throw new WrongRequest('an order leaves without its check');
        if (order !== null) sending.check?.(order);
        return text;
      },
      read: (answer) => this.#outcomeOf(call, fields, answer),
      byRest: () => requests.send(call, fields, sending),
    });
  }

  #outcomeOf(call: BybitCall, fields: BybitFields, answer: SocketAnswer): Outcome {
    const { budget } = this.#parts;
    const category = categoryOf(fields);
    const limit = statedLimit(memberOf(answer, 'header'));
    if (limit !== null) budget.stated({ group: call.group, category }, limit);
    const error = errorOfAnswer(answer);
    if (error === null) return { kind: 'answer', body: restBody(answer) };
    budget.refused(call, category, error);
    if (error.code === RESTARTING) {
      this.#isLoggedOn = false;
      this.#parts.socket()?.reopen();
    }
    return { kind: 'error', error };
  }
}
