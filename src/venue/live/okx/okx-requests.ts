import type { OrRejection, Rejection } from '../../../domain/rejection.js';
import type { DurationMs } from '../../../domain/time.js';
import type { RequestClass } from '../../../domain/venue-message.js';
import { RateWindows } from '../../throttle/rate-windows.js';
import { type OkxError, refusalOfError } from '../dialect/okx-errors.js';
import { beyondLimit, bodyOf, type Outcome } from '../exchange-requests.js';
import type { UsedLimit } from '../live-exchange.js';
import type { OkxRest, OkxCall, OrderCheck } from './okx-rest.js';

type Fields = Readonly<Record<string, unknown>>;

const WINDOW_MS = 2_000;
/** Wait after a refusal for the rate: the exchange names no time. */
const STOP_MS = 2_000;
/** Instruments whose counts are kept; the counts of others begin anew. */
const WINDOWS_MAX = 4_096;

/** How a request is sent. */
export interface Sending {
  readonly requestClass: RequestClass;
  readonly order?: OrderCheck;
}

/** The limits of one account. A request beyond a limit is not sent. REST and the socket share them. */
export class OkxBudget {
  readonly exchangeMs: () => number;
  readonly #windows = new Map<string, RateWindows>();

  /** `exchangeMs`: time of the exchange. */
  constructor(exchangeMs: () => number) {
    this.exchangeMs = exchangeMs;
  }

  /** null: the request may be sent now, and is counted. */
  take(call: OkxCall, fields: Fields, requestClass: RequestClass): Rejection | null {
    const nowMs = this.exchangeMs();
    const windows = this.#windowsOf(call, fields);
    const waitMs = Math.ceil(windows.waitMs(1, requestClass, nowMs));
    if (waitMs > 0) {
      const message = `OKX allows no further request for ${waitMs} ms; nothing was sent`;
      return { code: 'RATE_LIMIT_EXCEEDED', message, retryAfterMs: waitMs as DurationMs };
    }
    windows.spend(1, nowMs);
    return null;
  }

  /** Stops what the exchange has refused for its rate. */
  refused(call: OkxCall, fields: Fields, error: OkxError): void {
    if (refusalOfError(error)?.code !== 'RATE_LIMIT_EXCEEDED') return;
    this.#windowsOf(call, fields).stop(this.exchangeMs() + STOP_MS);
  }

  /** Milliseconds until the queue of the account sends a request of the class; 0: now. */
  turnMs(call: OkxCall, fields: Fields, requestClass: RequestClass): number {
    return this.#windowsOf(call, fields).turnMs(1, requestClass, this.exchangeMs());
  }

  /** Our own counts: answers of the exchange state none. */
  usedLimits(): readonly UsedLimit[] {
    const nowMs = this.exchangeMs();
    const rows = [...this.#windows.values()].flatMap((windows) => windows.usedLimits(nowMs));
    return rows.filter(({ used }) => used > 0).toSorted((one, other) => other.used / other.max - one.used / one.max);
  }

  #windowsOf({ rest, max, isPerInstrument }: OkxCall, fields: Fields): RateWindows {
    const name = isPerInstrument === true ? `${rest} ${String(fields['instId'])}` : rest;
    const known = this.#windows.get(name);
    if (known !== undefined) return known;
    if (this.#windows.size >= WINDOWS_MAX) this.#windows.clear();
    const windows = new RateWindows([{ name, lengthMs: WINDOW_MS, max }]);
    this.#windows.set(name, windows);
    return windows;
  }
}

/** Requests of one account, or public ones, by REST. */
export class OkxRequests {
  readonly #rest: Pick<OkxRest, 'send'>;
  readonly #budget: OkxBudget;

  constructor(rest: Pick<OkxRest, 'send'>, budget: OkxBudget) {
    this.#rest = rest;
    this.#budget = budget;
  }

  /** Sends the request once. */
  async send(call: OkxCall, fields: Fields, { requestClass, order }: Sending): Promise<Outcome> {
    const rejection = this.#budget.take(call, fields, requestClass);
    if (rejection !== null) return beyondLimit(rejection);
    const outcome = await this.#rest.send(call, fields, order);
    if (outcome.kind === 'error') this.#budget.refused(call, fields, outcome.error);
    return outcome;
  }

  /** The body of a read, or why there is none. */
  async read(
    call: OkxCall,
    fields: Readonly<Record<string, string>>,
    requestClass: RequestClass = 'ROUTINE',
  ): Promise<OrRejection<unknown>> {
    return bodyOf(await this.send(call, fields, { requestClass }), ['OKX', call.rest], refusalOfError);
  }
}
