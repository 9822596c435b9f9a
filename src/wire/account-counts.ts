import type { AccountId, Seq } from '../domain/ids.js';
import { ACCOUNT_CHARACTERS_MAX } from '../domain/limits/process.js';
import { assert } from '../domain/rejection.js';

/** Accounts that are counted. A create of a further account is not bound, and its writes are not counted. */
export const COUNTED_ACCOUNTS_MAX = 16_384;

const HEAD_BYTES = Int32Array.BYTES_PER_ELEMENT;
/** Its length, then its characters, which are ASCII. */
const NAME_BYTES = 1 + ACCOUNT_CHARACTERS_MAX;

/** Memory of counts by account: the main thread gives each account a number, and other threads count under it. */
export interface AccountMemory {
  /** Word 0: the number of names. Then the names by number. */
  readonly names: SharedArrayBuffer;
  /** Bytes of each account in the journal since the start, modulo 2^32. */
  readonly written: SharedArrayBuffer;
}

export function createAccountMemory(): AccountMemory {
  return {
    names: new SharedArrayBuffer(HEAD_BYTES + COUNTED_ACCOUNTS_MAX * NAME_BYTES),
    written: createAccountCounts(),
  };
}

/** One word for each account. */
export function createAccountCounts(): SharedArrayBuffer {
  return new SharedArrayBuffer(COUNTED_ACCOUNTS_MAX * Int32Array.BYTES_PER_ELEMENT);
}

/** The numbers of accounts. A number never changes while the process runs. */
export class AccountNumbers {
  protected readonly head: Int32Array;
  protected readonly bytes: Uint8Array;
  protected readonly known: AccountId[] = [];
  /** Entries never leave. */
  readonly #numbers = new Map<AccountId, number>();

  constructor({ names }: Pick<AccountMemory, 'names'>) {
    this.head = new Int32Array(names, 0, 1);
    this.bytes = new Uint8Array(names, HEAD_BYTES);
  }

  /** −1: the account has no number. */
  of(account: AccountId): number {
    const found = this.#numbers.get(account);
    if (found !== undefined) return found;
    this.#read();
    return this.#numbers.get(account) ?? -1;
  }

  /** The accounts by number. */
  get all(): readonly AccountId[] {
    this.#read();
    return this.known;
  }

  #read(): void {
    const count = Atomics.load(this.head, 0);
    while (this.known.length < count) {
      const start = this.known.length * NAME_BYTES;
      const end = start + 1 + this.bytes[start]!;
      const name = String.fromCharCode(...this.bytes.subarray(start + 1, end)) as AccountId;
      this.#numbers.set(name, this.known.length);
      this.known.push(name);
    }
  }
}

/** The main thread's side: it alone gives numbers. */
export class AccountNumbering extends AccountNumbers {
  /** The number of the account, a new one if it has none. −1: no number is left. */
  give(account: AccountId): number {
    const found = this.of(account);
    if (found !== -1) return found;
    const { length } = this.known;
    if (length === COUNTED_ACCOUNTS_MAX) return -1;
    const name = Buffer.from(account, 'latin1');
    assert(name.length <= ACCOUNT_CHARACTERS_MAX, 'the name of an account is short');
    this.bytes[length * NAME_BYTES] = name.length;
    this.bytes.set(name, length * NAME_BYTES + 1);
    Atomics.store(this.head, 0, length + 1);
    return this.of(account);
  }
}

/** A count for each account in shared memory. Several threads may add. */
export class AccountCounts {
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
  }

  /** Does nothing for the number −1. */
  add(number: number, amount: number): void {
    if (number !== -1) Atomics.add(this.#words, number, amount);
  }

  /** 0 for the number −1. */
  at(number: number): number {
    return number === -1 ? 0 : Atomics.load(this.#words, number);
  }
}

/** The latest event of each account that one thread has released: the lower 32 bits of its number. */
export class AccountEvents {
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
  }

  /** Only the writer calls it, with ever larger numbers of events. Does nothing for the number −1. */
  note(number: number, seq: Seq): void {
    if (number !== -1) Atomics.store(this.#words, number, seq | 0);
  }

  at(number: number): number {
    return Atomics.load(this.#words, number);
  }
}
