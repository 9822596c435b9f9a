import type { AccountId, Seq } from '../domain/ids.js';
import type { StateReader } from '../journal/port.js';
import type { AccountNumbering } from '../wire/account-counts.js';
import type { ShardClient } from './shard-client.js';

interface LatestEventsParts {
  readonly numbers: AccountNumbering;
  readonly links: readonly Pick<ShardClient, 'latestEvents'>[];
  readonly reader: Pick<StateReader, 'durableSeq'>;
}

/**
 * The latest event of each account that may have been answered. A read of an account needs no later one, so it does not
 * wait for the turns of others:
 *
 *     create (main), turn of a shard ──durable──▶ noted under its account ──▶ answered and published
 */
export class LatestEvents {
  readonly #parts: LatestEventsParts;
  /** The latest create of each account, by number. */
  readonly #creates: number[] = [];
  /** Those of the shards for one account. */
  readonly #words: Int32Array;
  /** No thread has noted the events before the start. */
  readonly #startSeq: number;

  constructor(parts: LatestEventsParts) {
    this.#parts = parts;
    this.#words = new Int32Array(parts.links.length);
    this.#startSeq = parts.reader.durableSeq;
  }

  /** Begins to note the events of the account. A shard has not noted earlier ones. */
  begin(account: AccountId): void {
    const { numbers, reader } = this.#parts;
    if (numbers.of(account) !== -1) return;
    const number = numbers.give(account);
    if (number !== -1) this.#creates[number] = reader.durableSeq;
  }

  /** A create of the account is durable. */
  note(account: AccountId, seq: Seq): void {
    const number = this.#parts.numbers.of(account);
    if (number !== -1) this.#creates[number] = seq;
  }

  /** The latest durable event for an account without a number: any may be one of the account. */
  of(account: AccountId): number {
    const { numbers, links, reader } = this.#parts;
    const number = numbers.of(account);
    if (number === -1) return reader.durableSeq;
    for (const [index, { latestEvents }] of links.entries()) this.#words[index] = latestEvents.at(number);
    // Read after the words: no noted event is later. For an account without an event since 2^32 others a later one is
    // found here, and its reads only wait longer.
    const { durableSeq } = reader;
    let latest = Math.max(this.#startSeq, this.#creates[number] ?? 0);
    for (const word of this.#words) latest = Math.max(latest, durableSeq - ((durableSeq - word) >>> 0));
    return latest;
  }
}
