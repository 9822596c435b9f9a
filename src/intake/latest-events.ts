import type { AccountId, Seq } from '../domain/ids.js';
import { AccountEvents, type AccountNumbering, createAccountEvents } from '../wire/account-counts.js';
import type { ShardClient } from './shard-client.js';

interface LatestEventsParts {
  readonly numbers: AccountNumbering;
  readonly links: readonly Pick<ShardClient, 'latestEvents'>[];
  /** The latest durable event now. */
  readonly durableSeq: () => number;
}

/**
 * The latest event of each account that may have been answered. A read of an account needs no later one, so it does not
 * wait for the turns of others:
 *
 *     create (main), turn of a shard ──durable──▶ noted under its account ──▶ answered and published
 */
export class LatestEvents {
  readonly #parts: LatestEventsParts;
  /** Of creates. */
  readonly #own = new AccountEvents(createAccountEvents());
  /** Nobody has noted the events before the start. */
  readonly #startSeq: number;

  constructor(parts: LatestEventsParts) {
    this.#parts = parts;
    this.#startSeq = parts.durableSeq();
  }

  /** Begins to note the events of the account. A shard has not noted earlier ones. */
  begin(account: AccountId): void {
    const { numbers, durableSeq } = this.#parts;
    if (numbers.of(account) === -1) this.#own.note(numbers.give(account), durableSeq() as Seq);
  }

  /** A create of the account is durable. */
  note(account: AccountId, seq: Seq): void {
    this.#own.note(this.#parts.numbers.of(account), seq);
  }

  /** null: any durable event may be one of the account. */
  of(account: AccountId): number | null {
    const { numbers, links } = this.#parts;
    const number = numbers.of(account);
    if (number === -1) return null;
    let latest = Math.max(this.#startSeq, this.#own.at(number));
    for (const { latestEvents } of links) latest = Math.max(latest, latestEvents.at(number));
    return latest;
  }
}
