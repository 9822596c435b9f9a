import {
  instrumentCodes,
  type OkxInstrumentCode,
  orderInRequest,
  socketRefusal,
  socketRequest,
} from '../dialect/okx-socket.js';
import { type Outcome, sendOnce } from '../exchange-requests.js';
import type { ApiSocket, SocketAnswer } from '../transport/api-socket.js';
import { WrongRequest } from '../wire-guard.js';
import type { OkxBudget, OkxRequests, Sending } from './okx-requests.js';
import { okxErrorOf, type OkxCall, expiryText } from './okx-rest.js';

/** The numbers of instruments, which requests on the socket need. */
export class OkxInstrumentCodes {
  readonly #lists = new Map<string, readonly OkxInstrumentCode[]>();
  /** Numbers by symbol that the market lists state and that name one instrument. */
  #codes = new Map<string, number>();
  /** Numbers that REST has listed and the socket does not know: seen in demo trading. */
  readonly #refused = new Set<number>();

  /** Takes the answer of the market list of one type. */
  replace(instType: string, answer: unknown): void {
    this.#lists.set(instType, instrumentCodes(answer));
    this.#codes = new Map();
    const symbols = new Map<number, string>();
    for (const { instId, instIdCode } of [...this.#lists.values()].flat()) {
      const other = symbols.get(instIdCode);
      if (other === undefined) this.#codes.set(instId, instIdCode);
      // It would name another instrument.
      else if (other !== instId) this.#codes.delete(other);
      symbols.set(instIdCode, instId);
    }
  }

  refuse(instId: string): void {
    const code = this.#codes.get(instId);
    if (code !== undefined) this.#refused.add(code);
  }

  /** null: requests about it go by REST. */
  of(instId: string): number | null {
    const code = this.#codes.get(instId);
    return code === undefined || this.#refused.has(code) ? null : code;
  }
}

interface SocketRequestsParts {
  /** null: it is not logged on. */
  readonly socket: () => Pick<ApiSocket, 'isOpen' | 'request' | 'reopen'> | null;
  /** REST: for calls and instruments that the socket does not have, and while it is not logged on. */
  readonly requests: Pick<OkxRequests, 'send'>;
  readonly budget: OkxBudget;
  readonly codes: OkxInstrumentCodes;
}

const OK = 200;

/** Requests of one account over its private socket, or by REST. */
export class OkxSocketRequests {
  readonly #parts: SocketRequestsParts;

  constructor(parts: SocketRequestsParts) {
    this.#parts = parts;
  }

  async send(call: OkxCall, fields: Readonly<Record<string, unknown>>, sending: Sending): Promise<Outcome> {
    const { requests, codes } = this.#parts;
    const { instId } = fields;
    const instIdCode = typeof instId === 'string' ? codes.of(instId) : null;
    if (call.socket === undefined || typeof instId !== 'string' || instIdCode === null) {
      return requests.send(call, fields, sending);
    }
    const outcome = await this.#sendOnSocket(call, fields, sending, { instId, instIdCode });
    const refusal = outcome.kind === 'error' ? socketRefusal(outcome.error) : null;
    if (refusal === null) return outcome;
    // The exchange has not carried it out, and refuses it by REST too after its expiry.
    if (refusal === 'LOGIN') this.#parts.socket()?.reopen();
    const byRest = await requests.send(call, fields, sending);
    if (refusal === 'INSTRUMENT' && byRest.kind === 'answer') codes.refuse(instId);
    return byRest;
  }

  #sendOnSocket(
    call: OkxCall,
    fields: Readonly<Record<string, unknown>>,
    sending: Sending,
    code: OkxInstrumentCode,
  ): Promise<Outcome> {
    const { requests, budget } = this.#parts;
    const { order } = sending;
    const expTime = order === undefined ? null : expiryText(order);
    return sendOnce({
      socket: this.#parts.socket(),
      take: () => budget.take(call, fields, sending.requestClass),
      write: (id) => {
        const text = socketRequest(id, call.socket!, fields, { ...code, expTime });
        const body = orderInRequest(text, { ...code, expTime });
        if (body !== null && order === undefined) throw new WrongRequest('an order leaves without its check');
        if (body !== null) order?.check(body);
        return text;
      },
      read: (answer) => this.#outcomeOf(call, fields, answer),
      byRest: () => requests.send(call, fields, sending),
    });
  }

  #outcomeOf(call: OkxCall, fields: Readonly<Record<string, unknown>>, answer: SocketAnswer): Outcome {
    const error = okxErrorOf({ status: OK, text: '', body: answer });
    if (error === null) return { kind: 'answer', body: answer };
    this.#parts.budget.refused(call, fields, error);
    return { kind: 'error', error };
  }
}
