import type { AccountId } from '../../model/ids.js';
import { SIGNATURE_MARGIN_MS, SIGNATURES_REMEMBERED_MAX } from '../../model/limits.js';
import { ForgottenTime } from './forgotten-time.js';
import { packMark, SignatureSlice } from './signature-slice.js';

/** One proven use of a signature. */
export interface SignatureUse {
  readonly account: AccountId;
  /** The signature, or what stands for its nonce: Base64, at least 16 characters. */
  readonly mark: string;
  /** Method and path that it came with. */
  readonly target: string;
  /** Time stamp + receive window: the last instant at which the signature is good. Real time, epoch milliseconds. */
  readonly validUntilMs: number;
}

/** Both clocks at one instant, in milliseconds. */
export interface Instant {
  /** Real time of day: may be set. */
  readonly realMs: number;
  /** Never steps. */
  readonly monotonicMs: number;
}

/** What is known of a signature from before. */
export type EarlierUse =
  | { readonly kind: 'none' }
  /** It came with this target first; `isSpent`: it has placed an order. */
  | { readonly kind: 'used'; readonly target: string; readonly isSpent: boolean }
  /** The account holds its share of the memory. */
  | { readonly kind: 'full' }
  /** Signatures that end at that instant were forgotten: the clock has been set back. */
  | { readonly kind: 'forgotten' };

interface Slice {
  readonly marks: SignatureSlice;
  readonly countByHolder: Map<Holder, number>;
  /** Nothing in it is good any more after this, if the clock is not set. */
  overAtMonotonicMs: number;
}

interface Holder {
  readonly account: AccountId;
  count: number;
}

const NONE: EarlierUse = { kind: 'none' };
const FULL: EarlierUse = { kind: 'full' };
const FORGOTTEN: EarlierUse = { kind: 'forgotten' };
const SLICE_MS = 1_000;

/**
 * Remembers signatures while they are good, each with the target that it came with first.
 *
 * Signatures that end in the same second share a slice, and a slice is dropped as a whole. It is dropped when both the
 * real and the monotonic clock have passed its end by SIGNATURE_MARGIN_MS, so that a clock that is set forward and back
 * again frees nothing early. A clock that is set back by more than the margin leads into time whose slices are gone:
 * the memory says so instead of calling such a signature new.
 *
 * The memory is shared fairly: an account may hold as many as are free. One account alone gets half of the memory, and
 * others always find room. Nothing is ever forgotten to make room.
 *
 * It belongs to the thread that authenticates. Several such threads need one owner for each account.
 */
export class UsedSignatures {
  readonly #slices = new Map<number, Slice>();
  readonly #holders = new Map<AccountId, Holder>();
  readonly #targets: string[] = [];
  readonly #targetNumbers = new Map<string, number>();
  readonly #forgotten = new ForgottenTime();
  readonly #mark = new Int32Array(4);
  readonly #countMax: number;
  #count = 0;
  #nextSweepMs = -Infinity;

  /** `countMax`: signatures of all accounts together. */
  constructor(countMax: number = SIGNATURES_REMEMBERED_MAX) {
    this.#countMax = countMax;
  }

  /** Signatures that are remembered now. */
  get count(): number {
    return this.#count;
  }

  /** What is known of the signature; from here on it is known with this target, unless the memory is full. */
  note(use: SignatureUse, now: Instant): EarlierUse {
    this.#sweep(now);
    packMark(use.mark, this.#mark);
    const second = secondOf(use.validUntilMs);
    const slice = this.#slices.get(second);
    const note = slice?.marks.noteOf(this.#mark) ?? 0;
    if (note !== 0) return this.#earlier(note);
    if (this.#forgotten.includes(second)) return FORGOTTEN;
    if (!this.#hasRoomFor(use.account)) return FULL;
    this.#put(use, slice ?? this.#openSlice(second), false, now);
    return NONE;
  }

  /** Looks for a mark whatever the end of its use: for nonces, which must not come again with another time stamp. */
  find({ mark, account, validUntilMs }: SignatureUse, now: Instant): EarlierUse {
    this.#sweep(now);
    packMark(mark, this.#mark);
    for (const { marks } of this.#slices.values()) {
      const note = marks.noteOf(this.#mark);
      if (note !== 0) return this.#earlier(note);
    }
    if (this.#forgotten.includes(secondOf(validUntilMs))) return FORGOTTEN;
    return this.#hasRoomFor(account) ? NONE : FULL;
  }

  /** The signature has done what it may do once. One that was not noted is taken up now, if there is room. */
  spend(use: SignatureUse, now: Instant): void {
    packMark(use.mark, this.#mark);
    const second = secondOf(use.validUntilMs);
    const slice = this.#slices.get(second) ?? this.#openSlice(second);
    const note = slice.marks.noteOf(this.#mark);
    if (note === 0 && this.#hasRoomFor(use.account)) this.#put(use, slice, true, now);
    if (note !== 0) slice.marks.put(this.#mark, note | SPENT);
  }

  #hasRoomFor(account: AccountId): boolean {
    return (this.#holders.get(account)?.count ?? 0) < this.#countMax - this.#count;
  }

  #earlier(note: number): EarlierUse {
    return { kind: 'used', target: this.#targets[(note >>> 1) - 1] ?? '', isSpent: (note & SPENT) !== 0 };
  }

  #put(use: SignatureUse, slice: Slice, isSpent: boolean, now: Instant): void {
    const holder = this.#holderOf(use.account);
    slice.marks.put(this.#mark, (this.#numberOf(use.target) << 1) | (isSpent ? SPENT : 0));
    slice.countByHolder.set(holder, (slice.countByHolder.get(holder) ?? 0) + 1);
    const overAtMs = now.monotonicMs + Math.max(0, use.validUntilMs - now.realMs) + SIGNATURE_MARGIN_MS;
    if (overAtMs > slice.overAtMonotonicMs) slice.overAtMonotonicMs = overAtMs;
    holder.count += 1;
    this.#count += 1;
  }

  #openSlice(second: number): Slice {
    const slice = { marks: new SignatureSlice(), countByHolder: new Map<Holder, number>(), overAtMonotonicMs: 0 };
    this.#slices.set(second, slice);
    return slice;
  }

  #holderOf(account: AccountId): Holder {
    const known = this.#holders.get(account);
    if (known !== undefined) return known;
    const holder = { account, count: 0 };
    this.#holders.set(account, holder);
    return holder;
  }

  /** From 1 on; there are as many as routes. */
  #numberOf(target: string): number {
    const known = this.#targetNumbers.get(target);
    if (known !== undefined) return known;
    const number = this.#targets.push(target);
    this.#targetNumbers.set(target, number);
    return number;
  }

  /** Drops what is over, once a second. */
  #sweep({ realMs, monotonicMs }: Instant): void {
    if (monotonicMs < this.#nextSweepMs) return;
    this.#nextSweepMs = monotonicMs + SLICE_MS;
    for (const [second, slice] of this.#slices) {
      const isOver = realMs >= (second + 1) * SLICE_MS + SIGNATURE_MARGIN_MS && monotonicMs >= slice.overAtMonotonicMs;
      if (isOver) this.#drop(second, slice);
    }
  }

  #drop(second: number, { marks, countByHolder }: Slice): void {
    this.#slices.delete(second);
    this.#forgotten.add(second);
    this.#count -= marks.size;
    for (const [holder, count] of countByHolder) {
      holder.count -= count;
      if (holder.count === 0) this.#holders.delete(holder.account);
    }
  }
}

const SPENT = 1;

function secondOf(epochMs: number): number {
  return Math.floor(epochMs / SLICE_MS);
}
