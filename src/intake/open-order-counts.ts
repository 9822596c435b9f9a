import type { AccountId } from '../domain/ids.js';
import type { AccountNumbering } from '../wire/account-counts.js';
import type { ShardClient } from './shard-client.js';

/**
 * The number of open orders of each account. A pair counts once.
 *
 *     create, before it is durable  +1 (main)          order loaded at the start of a shard  +1 (shard)
 *     order ended                   −1 (shard)         create that was loaded too            −1 (shard)
 *
 * Each shard has counts of its own, and new ones for each start of its thread: a count cannot stay wrong.
 */
export class OpenOrderCounts {
  readonly #numbers: AccountNumbering;
  readonly #links: readonly ShardClient[];

  constructor(numbers: AccountNumbering, links: readonly ShardClient[]) {
    this.#numbers = numbers;
    this.#links = links;
  }

  of(account: AccountId): number {
    return this.#sum(this.#numbers.of(account));
  }

  /** Counts a create of a shard. */
  add(account: AccountId, link: ShardClient): void {
    link.openOrders.add(this.#numbers.give(account), 1);
  }

  /** Accounts with open orders, those with the most first. */
  largest(countMax: number): readonly { readonly account: AccountId; readonly openOrders: number }[] {
    const counted = this.#numbers.all.map((account, number) => ({ account, openOrders: this.#sum(number) }));
    return counted
      .filter(({ openOrders }) => openOrders > 0)
      .sort((a, b) => b.openOrders - a.openOrders)
      .slice(0, countMax);
  }

  #sum(number: number): number {
    let sum = 0;
    for (const link of this.#links) sum += link.openOrders.at(number);
    return sum;
  }
}
