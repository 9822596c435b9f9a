import type { AccountId } from '../../domain/ids.js';
import {
  FORGOTTEN_SPANS_MAX,
  RECV_WINDOW_MS_MAX,
  SIGNATURE_MARGIN_MS,
  SIGNATURES_REMEMBERED_MAX,
} from '../../domain/limits/clients.js';

/** One proven use of a signature. */
export interface SignatureUse {
  readonly account: AccountId;
  /** The signature, or the hash of its nonce: Base64, at least 16 characters. */
  readonly mark: string;
  /** Method and path of the request. */
  readonly target: string;
  /** Time stamp + receive window: the last instant at which the signature is valid. Real time, epoch milliseconds. */
  readonly validUntilMs: number;
}

/** Both clocks at one instant, in milliseconds. */
export interface Instant {
  /** Real time of day; the operator may set it. */
  readonly realMs: number;
  /** Never steps. */
  readonly monotonicMs: number;
}

/** The recorded earlier use of a signature. */
export type EarlierUse =
  | { readonly kind: 'none' }
  /** First used with this target; `isSpent`: it has placed an order. */
  | { readonly kind: 'used'; readonly target: string; readonly isSpent: boolean }
  /** The account has used its share of the memory. */
  | { readonly kind: 'full' }
  /** Signatures of that time were forgotten: the clock has been set back. */
  | { readonly kind: 'forgotten' };

interface Slice {
  readonly marks: SignatureSlice;
  readonly countByHolder: Map<Holder, number>;
  /** All signatures of the slice have expired after this, unless the clock is set. */
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
 * Remembers signatures while they are valid, each with the target of its first use.
 *
 * Signatures that expire in the same second share a slice, and a slice is dropped as a whole. It is dropped when both
 * the real and the monotonic clock have passed its end by SIGNATURE_MARGIN_MS, so that a clock that is set forward and
 * back again frees nothing early. A clock that is set back by more than the margin returns to times without slices. The
 * memory then answers 'forgotten' instead of treating such a signature as new.
 *
 * The accounts share the memory: an account may use as much as is free. One account alone gets half of the memory, and
 * others always find room. No signature is dropped to make room.
 *
 * One thread owns the memory. Several authenticating threads would need one owner for each account.
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

  /** Signatures in memory now. */
  get count(): number {
    return this.#count;
  }

  /** Returns the earlier use of a signature, and records this one unless the memory is full. */
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

  /** Finds a mark in every slice: a nonce must not come again with another time stamp. */
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

  /** Marks the signature as spent. Records one that was not recorded, if there is room. */
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

  /** Number of a target, from 1. There are as many as routes. */
  #numberOf(target: string): number {
    const known = this.#targetNumbers.get(target);
    if (known !== undefined) return known;
    const number = this.#targets.push(target);
    this.#targetNumbers.set(target, number);
    return number;
  }

  /** Drops expired slices, once a second. */
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

/** Largest gap in seconds between two drops of one span. Drops are out of order by at most this. */
const JOINED_SECONDS = (2 * RECV_WINDOW_MS_MAX) / 1000;

interface Span {
  from: number;
  to: number;
}

/** Seconds of real time whose signatures were dropped. They form one span unless the clock is set. */
class ForgottenTime {
  readonly #spans: Span[] = [];

  add(second: number): void {
    const near = this.#spans.find(({ from, to }) => second >= from - JOINED_SECONDS && second <= to + JOINED_SECONDS);
    if (near === undefined) {
      this.#spans.push({ from: second, to: second });
      if (this.#spans.length > FORGOTTEN_SPANS_MAX) this.#spans.shift();
      return;
    }
    near.from = Math.min(near.from, second);
    near.to = Math.max(near.to, second);
  }

  includes(second: number): boolean {
    return this.#spans.some(({ from, to }) => second >= from && second <= to);
  }
}

/** Words of one slot: four of the mark, one note. */
const SLOT_WORDS = 5;
const MARK_WORDS = 4;
const SLOTS_AT_FIRST = 256;
/** A table doubles its size beyond this load. */
const LOAD_MAX = 0.6;
const GOLDEN_RATIO = 0x9e3779b1;
/** The mark that a growth moves. A view of the table would be an object for each mark. */
const movedMark = new Int32Array(MARK_WORDS);

/**
 * A hash table from marks to small notes, in one typed array outside the heap: at most 33 bytes per mark after a
 * growth, and no object for the garbage collector. Marks are outputs of a MAC or a hash. 16 characters (96 bits)
 * identify a mark, and one multiplication is enough to hash it.
 */
class SignatureSlice {
  #slots = new Int32Array(SLOTS_AT_FIRST * SLOT_WORDS);
  #slotCount = SLOTS_AT_FIRST;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The note of a mark, above 0; 0: the mark is absent. */
  noteOf(mark: Int32Array): number {
    return this.#slots[this.#find(mark) + MARK_WORDS] ?? 0;
  }

  /** Sets the note of a mark. `note`: 1 to 2^31 − 1. */
  put(mark: Int32Array, note: number): void {
    let at = this.#find(mark);
    if (this.#slots[at + MARK_WORDS] === 0) {
      if (this.#size >= this.#slotCount * LOAD_MAX) {
        this.#grow();
        at = this.#find(mark);
      }
      this.#slots.set(mark, at);
      this.#size += 1;
    }
    this.#slots[at + MARK_WORDS] = note;
  }

  /** Index of the mark, or of the free slot where it belongs. */
  #find(mark: Int32Array): number {
    const slots = this.#slots;
    const last = this.#slotCount - 1;
    let slot = (Math.imul((mark[0] ?? 0) ^ (mark[1] ?? 0), GOLDEN_RATIO) >>> 8) & last;
    for (;;) {
      const at = slot * SLOT_WORDS;
      if (slots[at + MARK_WORDS] === 0) return at;
      const isSame =
        slots[at] === mark[0] && slots[at + 1] === mark[1] && slots[at + 2] === mark[2] && slots[at + 3] === mark[3];
      if (isSame) return at;
      slot = (slot + 1) & last;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slotCount *= 2;
    this.#slots = new Int32Array(this.#slotCount * SLOT_WORDS);
    for (let at = 0; at < old.length; at += SLOT_WORDS) {
      if (old[at + MARK_WORDS] === 0) continue;
      for (let word = 0; word < MARK_WORDS; word += 1) movedMark[word] = old[at + word]!;
      const to = this.#find(movedMark);
      for (let word = 0; word < SLOT_WORDS; word += 1) this.#slots[to + word] = old[at + word]!;
    }
  }
}

/** Packs the first 16 characters of a mark, four per word; `mark` must be Latin-1. */
function packMark(text: string, words: Int32Array): void {
  for (let word = 0; word < MARK_WORDS; word += 1) {
    const from = word * 4;
    words[word] =
      (text.charCodeAt(from) & 0xff) |
      ((text.charCodeAt(from + 1) & 0xff) << 8) |
      ((text.charCodeAt(from + 2) & 0xff) << 16) |
      ((text.charCodeAt(from + 3) & 0xff) << 24);
  }
}
