import { ADDRESS_BUDGETS_MAX } from '../../model/limits.js';
import type { RefusalCounts } from '../../model/refusal-counts.js';
import { isLoopback, networkAddress, subscriberOf } from '../network-address.js';
import { RateLimit, type BudgetAnswer } from './rate-limit.js';

/** Names and addresses to listen at where nobody but this machine comes from. */
export const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i;

/** null when `rate` is 0, or when nobody who would be counted can reach a server that listens at `host`. */
export function addressLimitAt(host: string, rate: number, refusals: RefusalCounts): AddressLimit | null {
  return rate === 0 || LOOPBACK_HOST.test(host) ? null : new AddressLimit(rate, refusals);
}

/**
 * Budgets of network addresses, for requests whose sender is not known yet: one for each IPv4 address and for each /64
 * of IPv6. This machine's own requests are not counted: behind a proxy on it they are everybody's.
 */
export class AddressLimit {
  readonly #rate: number;
  readonly #refusals: RefusalCounts;
  readonly #isExempt: (address: Uint8Array) => boolean;
  readonly #bySubscriber = new Map<number | bigint, RateLimit>();

  /** `rate`: requests a second, above 0; a full budget holds twice that. */
  constructor(rate: number, refusals: RefusalCounts, isExempt: (address: Uint8Array) => boolean = isLoopback) {
    this.#rate = rate;
    this.#refusals = refusals;
    this.#isExempt = isExempt;
  }

  /** Takes one request of an address as the socket tells it; null when it is not counted. `nowMs` never steps back. */
  take(rawAddress: ArrayBuffer, nowMs: number): BudgetAnswer | null {
    const address = networkAddress(rawAddress);
    if (this.#isExempt(address)) return null;
    const subscriber = subscriberOf(address);
    const budget = this.#bySubscriber.get(subscriber) ?? this.#open(subscriber);
    const answer = budget.take(1, nowMs);
    if (!answer.isWithin) this.#refusals.address += 1;
    return answer;
  }

  /** The oldest makes room: with so many addresses at once no budget of one stops their owner anyway. */
  #open(subscriber: number | bigint): RateLimit {
    if (this.#bySubscriber.size >= ADDRESS_BUDGETS_MAX) {
      const [oldest] = this.#bySubscriber.keys();
      if (oldest !== undefined) this.#bySubscriber.delete(oldest);
    }
    const budget = new RateLimit(this.#rate);
    this.#bySubscriber.set(subscriber, budget);
    return budget;
  }
}
