/** Words of one slot: four of the mark, one note. */
const SLOT_WORDS = 5;
const MARK_WORDS = 4;
const SLOTS_AT_FIRST = 256;
/** A table that is fuller than this grows to twice its size. */
const LOAD_MAX = 0.6;
const GOLDEN_RATIO = 0x9e3779b1;

/**
 * A hash table from marks to small notes, in one typed array outside the heap: 33 bytes a mark at most after a growth,
 * and no object that the garbage collector has to visit. Marks are outputs of a MAC or a hash, so 16 characters of one
 * (96 bits) name it, and their bits need no further mixing than one multiplication.
 */
export class SignatureSlice {
  #slots = new Int32Array(SLOTS_AT_FIRST * SLOT_WORDS);
  #slotCount = SLOTS_AT_FIRST;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The note of a mark, above 0; 0 when it is not there. */
  noteOf(mark: Int32Array): number {
    return this.#slots[this.#find(mark) + MARK_WORDS] ?? 0;
  }

  /** Keeps or replaces the note of a mark. `note`: 1 to 2^31 − 1. */
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

  /** Where the mark is, or the free slot where it belongs. */
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
      this.#slots.set(old.subarray(at, at + SLOT_WORDS), this.#find(old.subarray(at, at + MARK_WORDS)));
    }
  }
}

/** The first 16 characters of a mark, four to a word; `mark` must be Latin-1. */
export function packMark(text: string, words: Int32Array): void {
  for (let word = 0; word < MARK_WORDS; word += 1) {
    const from = word * 4;
    words[word] =
      (text.charCodeAt(from) & 0xff) |
      ((text.charCodeAt(from + 1) & 0xff) << 8) |
      ((text.charCodeAt(from + 2) & 0xff) << 16) |
      ((text.charCodeAt(from + 3) & 0xff) << 24);
  }
}
