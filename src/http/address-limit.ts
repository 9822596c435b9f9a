import { ADDRESS_BUDGETS_MAX } from '../domain/limits/clients.js';
import type { RefusalCounts } from '../domain/rejection.js';
import { type BudgetAnswer, RateLimit } from './rate-limit.js';

/**
 * An IP address as the socket reports it: 4 bytes of IPv4, 16 of IPv6. Headers are not used: any client can forge them.
 */
const IPV4_BYTES = 4;
const IPV6_BYTES = 16;
/** Prefix ::ffff:0:0/96: IPv4 addresses of a socket that listens on IPv6. */
const MAPPED_PREFIX = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
const LOOPBACK_NETWORK = 127;

/** Removes the mapping of an IPv4 address into IPv6. */
export function networkAddress(raw: ArrayBuffer): Uint8Array {
  const bytes = new Uint8Array(raw);
  const isMapped = bytes.length === IPV6_BYTES && MAPPED_PREFIX.every((byte, index) => bytes[index] === byte);
  return isMapped ? bytes.subarray(MAPPED_PREFIX.length) : bytes;
}

/** True for 127.0.0.0/8 and ::1: this machine, or a proxy on it. */
export function isLoopback(address: Uint8Array): boolean {
  if (address.length === IPV4_BYTES) return address[0] === LOOPBACK_NETWORK;
  return address.every((byte, index) => byte === (index === IPV6_BYTES - 1 ? 1 : 0));
}

/** IPv4 with dots, IPv6 as eight groups of hexadecimal digits. */
export function addressText(address: Uint8Array): string {
  if (address.length === IPV4_BYTES) return address.join('.');
  const view = viewOf(address);
  const groups = Array.from({ length: IPV6_BYTES / 2 }, (_, index) => view.getUint16(2 * index).toString(16));
  return groups.join(':');
}

/** The network of one subscriber, as a map key: an IPv4 address, or the first half of an IPv6 address. */
export function subscriberOf(address: Uint8Array): number | bigint {
  const view = viewOf(address);
  return address.length === IPV4_BYTES ? view.getUint32(0) : view.getBigUint64(0);
}

/** The same for an address as the socket reports it; null: this machine, where a proxy may connect for all clients. */
export function remoteSubscriberOf(raw: ArrayBuffer): number | bigint | null {
  const address = networkAddress(raw);
  return isLoopback(address) ? null : subscriberOf(address);
}

function viewOf(address: Uint8Array): DataView {
  return new DataView(address.buffer, address.byteOffset, address.byteLength);
}

/** Host names and addresses that only this machine can reach. */
export const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i;

/** null when `rate` is 0, or when only this machine can reach a server at `host`. */
export function addressLimitAt(host: string, rate: number, refusals: RefusalCounts): AddressLimit | null {
  return rate === 0 || LOOPBACK_HOST.test(host) ? null : new AddressLimit(rate, refusals);
}

/**
 * Request budgets of network addresses, checked before the API key is known: one for each IPv4 address and each /64 of
 * IPv6. Requests of this machine are not counted: a proxy on it sends the requests of all clients.
 */
export class AddressLimit {
  readonly #rate: number;
  readonly #refusals: RefusalCounts;
  readonly #isExempt: (address: Uint8Array) => boolean;
  readonly #bySubscriber = new Map<number | bigint, RateLimit>();

  /** `rate`: requests per second, above 0. A full budget holds BURST_SECONDS of it. */
  constructor(rate: number, refusals: RefusalCounts, isExempt: (address: Uint8Array) => boolean = isLoopback) {
    this.#rate = rate;
    this.#refusals = refusals;
    this.#isExempt = isExempt;
  }

  /** Takes one request of an address as the socket reports it; null: it is not counted. `nowMs` never steps back. */
  take(rawAddress: ArrayBuffer, nowMs: number): BudgetAnswer | null {
    const address = networkAddress(rawAddress);
    if (this.#isExempt(address)) return null;
    const subscriber = subscriberOf(address);
    const budget = this.#bySubscriber.get(subscriber) ?? this.#open(subscriber);
    const answer = budget.take(1, nowMs);
    if (!answer.isWithin) this.#refusals.address += 1;
    return answer;
  }

  /** Drops the oldest budget at the bound. An attacker with that many addresses is not limited by address budgets. */
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
