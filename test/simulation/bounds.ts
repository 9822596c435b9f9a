import { assert } from '../../src/domain/rejection.js';
import type { ParentOrder } from '../../src/domain/order.js';

/** The limits of an account. null means no limit. */
export interface Rules {
  readonly isHalted: boolean;
  readonly exchange: string | null;
  readonly openOrdersMax: number | null;
}

/** The rules that were in force when a request was sent. */
export interface Sighting {
  readonly rules: Rules;
  /** Number of times the rules of the account were lifted until then. */
  readonly liftCount: number;
}

interface Account {
  rules: Rules;
  liftCount: number;
  /** Called when the change is in force. */
  pending: { readonly atMs: number; readonly rules: Partial<Rules> } | null;
}

const NO_RULES: Rules = { isHalted: false, exchange: null, openOrdersMax: null };

/**
 * Kill switches and risk limits from the view of the clients. An order that is sent while they apply must obey them.
 */
export class Bounds {
  readonly #accounts = new Map<string, Account>();

  /** The rules apply from now on: the service has confirmed them, or has had the time to read them. */
  hold(account: string, rules: Partial<Rules>): void {
    const known = this.#of(account);
    known.rules = { ...known.rules, ...rules };
  }

  /** The rules are stored and apply after the service has read them, at `atMs` at the latest. */
  expect(account: string, rules: Partial<Rules>, atMs: number): void {
    this.#of(account).pending = { rules, atMs };
  }

  /** The service has read the stored rules. */
  onLook(nowMs: number): void {
    for (const [name, account] of this.#accounts) {
      if (account.pending === null || account.pending.atMs > nowMs) continue;
      this.hold(name, account.pending.rules);
      account.pending = null;
    }
  }

  /** The account has no limit from now on. Requests sent earlier may still be placed. */
  lift(account: string): void {
    const known = this.#of(account);
    known.rules = NO_RULES;
    known.pending = null;
    known.liftCount += 1;
  }

  liftAll(): void {
    for (const account of this.#accounts.keys()) this.lift(account);
  }

  sighting(account: string): Sighting {
    const { rules, liftCount } = this.#of(account);
    return { rules, liftCount };
  }

  /**
   * `sightings`: rules at each attempt to place the order. `openCount`: open orders of its account, including this one.
   */
  check(order: ParentOrder, sightings: readonly Sighting[], openCount: number): void {
    const { liftCount } = this.#of(order.account);
    const isFree = sightings.some((one) => one.liftCount !== liftCount || allows(one.rules, order, openCount));
    assert(isFree, `order ${order.orderId} of ${order.account} is placed against ${JSON.stringify(sightings)}`);
  }

  #of(name: string): Account {
    let account = this.#accounts.get(name);
    if (account === undefined) {
      account = { rules: NO_RULES, liftCount: 0, pending: null };
      this.#accounts.set(name, account);
    }
    return account;
  }
}

function allows({ isHalted, exchange, openOrdersMax }: Rules, order: ParentOrder, openCount: number): boolean {
  const isAllowed = exchange === null || order.legs.every(({ venue }) => venue === exchange);
  return !isHalted && isAllowed && openCount <= (openOrdersMax ?? Infinity);
}
