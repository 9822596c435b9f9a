import type { OrRejection, Rejection } from '../../../domain/rejection.js';
import type { DurationMs } from '../../../domain/time.js';
import type { RequestClass } from '../../../domain/venue-message.js';
import { type RateLimit, RateWindows } from '../../throttle/rate-windows.js';
import { type BybitError, refusalOfError } from '../dialect/bybit-errors.js';
import {
  categoryOf,
  type CountedRequest,
  type LimitGroup,
  type StatedLimit,
  statedLimit,
} from '../dialect/bybit-limits.js';
import type { BybitCategory, BybitFields } from '../dialect/bybit-orders.js';
import { beyondLimit, bodyOf, type Outcome } from '../exchange-requests.js';
import type { UsedLimit } from '../live-exchange.js';
import type { BybitRest, BybitCall } from './bybit-rest.js';

const SECOND_MS = 1_000;
/** Requests of one address in 5 s, all accounts together. */
const ADDRESS_LIMIT = { name: 'address 5s', lengthMs: 5 * SECOND_MS, max: 600 };
/** Limits of an account without a higher level. They count until an answer has stated others. */
const ORDERS_MAX: Readonly<Record<BybitCategory, number>> = { spot: 20, linear: 10 };
const READS_MAX = 50;
const TOO_MANY_VISITS = 10006;
/** Wait after a refusal for the rate that names no time; of an address after a refusal for its rate. */
const STOP_MS = SECOND_MS;
const ADDRESS_STOP_MS = 600 * SECOND_MS;
const FORBIDDEN = 403;

/** The limit of the address that all accounts share. */
export class BybitAddressLimit {
  readonly windows = new RateWindows([ADDRESS_LIMIT]);
  readonly exchangeMs: () => number;

  /** `exchangeMs`: time of the exchange. */
  constructor(exchangeMs: () => number) {
    this.exchangeMs = exchangeMs;
  }
}

/** The limits of one account. A request beyond a limit is not sent. */
export class BybitBudget {
  readonly #address: BybitAddressLimit;
  readonly #windows = new Map<string, RateWindows>();
  /** Limits that answers have stated, by name, where they differ from the published ones. */
  readonly #statedMax = new Map<string, number>();

  constructor(address: BybitAddressLimit) {
    this.#address = address;
  }

  /** null: the request may be sent now, and is counted. */
  take(call: BybitCall, category: BybitCategory, requestClass: RequestClass): Rejection | null {
    const nowMs = this.#address.exchangeMs();
    const own = this.#windowsOf(call, category);
    const waitMs = Math.max(this.#address.windows.waitMs(1, requestClass, nowMs), own.waitMs(1, requestClass, nowMs));
    if (waitMs > 0) {
      const message = `BYBIT allows no further request for ${Math.ceil(waitMs)} ms; nothing was sent`;
      return { code: 'RATE_LIMIT_EXCEEDED', message, retryAfterMs: Math.ceil(waitMs) as DurationMs };
    }
    this.#address.windows.spend(1, nowMs);
    own.spend(1, nowMs);
    return null;
  }

  /** Milliseconds until the queue of the account sends a request of the class; 0: now. */
  turnMs(call: BybitCall, category: BybitCategory, requestClass: RequestClass): number {
    const nowMs = this.#address.exchangeMs();
    const own = this.#windowsOf(call, category);
    return Math.max(this.#address.windows.turnMs(1, requestClass, nowMs), own.turnMs(1, requestClass, nowMs));
  }

  /** Stops what the exchange has refused for its rate: one group of the account, or the whole address. */
  refused(call: BybitCall, category: BybitCategory, { status, code, retryAfterMs }: BybitError): void {
    const nowMs = this.#address.exchangeMs();
    const { windows } = this.#address;
    // A ban: no request of the address is answered, and no cancel.
    if (status === FORBIDDEN) windows.stop(nowMs + windows.stopAddress(ADDRESS_STOP_MS, nowMs));
    else if (code === TOO_MANY_VISITS) this.#windowsOf(call, category).stop(nowMs + (retryAfterMs ?? STOP_MS));
  }

  /**
   * Takes the limit that an answer states. One about reads is that of one endpoint: only its count is taken, because
   * all reads share one window.
   */
  stated({ group, category }: CountedRequest, { max, used }: StatedLimit): void {
    const windows = this.#windowsOf({ group }, category);
    const limit = limitOf(group, category);
    const isOther = (this.#statedMax.get(limit.name) ?? limit.max) !== max;
    if (group !== 'read' && isOther) {
      this.#statedMax.set(limit.name, max);
      windows.setLimits([{ ...limit, max }]);
    }
    windows.stated(limit.name, used, this.#address.exchangeMs());
  }

  /** The limits with their present counts. */
  usedLimits(): readonly UsedLimit[] {
    const nowMs = this.#address.exchangeMs();
    const own = [...this.#windows.values()].flatMap((windows) => windows.usedLimits(nowMs));
    return [...own, ...this.#address.windows.usedLimits(nowMs)].toSorted(
      (one, other) => other.used / other.max - one.used / one.max,
    );
  }

  #windowsOf({ group }: Pick<BybitCall, 'group'>, category: BybitCategory): RateWindows {
    const limit = limitOf(group, category);
    const known = this.#windows.get(limit.name);
    if (known !== undefined) return known;
    const windows = new RateWindows([limit]);
    this.#windows.set(limit.name, windows);
    return windows;
  }
}

function limitOf(group: LimitGroup, category: BybitCategory): RateLimit {
  const isOrder = group === 'create' || group === 'cancel';
  const name = isOrder ? `${group} ${category} 1s` : `${group} 1s`;
  return { name, lengthMs: SECOND_MS, max: isOrder ? ORDERS_MAX[category] : READS_MAX };
}

/** How a request is sent. */
export interface Sending {
  readonly requestClass: RequestClass;
  /** The last look at an order: it throws WrongRequest for fields that must not leave. */
  readonly check?: (sent: Readonly<Record<string, unknown>>) => void;
}

/** Requests of one account, or public ones, by REST. */
export class BybitRequests {
  readonly #rest: Pick<BybitRest, 'send'>;
  readonly #budget: BybitBudget;

  constructor(rest: Pick<BybitRest, 'send'>, budget: BybitBudget) {
    this.#rest = rest;
    this.#budget = budget;
  }

  /** Sends the request once. */
  async send(call: BybitCall, fields: BybitFields, { requestClass, check }: Sending): Promise<Outcome> {
    const category = categoryOf(fields);
    const rejection = this.#budget.take(call, category, requestClass);
    if (rejection !== null) return beyondLimit(rejection);
    const outcome = await this.#rest.send(call, fields, {
      check,
      onHeaders: (headers) => {
        // Answers to public requests state no limit.
        const stated = call.group === 'public' ? null : statedLimit(headers);
        if (stated !== null) this.#budget.stated({ group: call.group, category }, stated);
      },
    });
    if (outcome.kind === 'error') this.#budget.refused(call, category, outcome.error);
    return outcome;
  }

  /** The answer to a read, or why there is none. */
  async read(
    call: BybitCall,
    fields: BybitFields,
    requestClass: RequestClass = 'ROUTINE',
  ): Promise<OrRejection<unknown>> {
    return bodyOf(await this.send(call, fields, { requestClass }), ['BYBIT', call.rest], refusalOfError);
  }
}
