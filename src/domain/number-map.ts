import { assert } from './rejection.js';

/**
 * A power of two. V8 keeps the bytes of 8 keys in its own heap, so a table of few entries costs no memory outside it.
 */
const CAPACITY_AT_FIRST = 8;
/** 2^32 divided by the golden ratio: keys at a constant distance spread over the upper bits of the product. */
const GOLDEN_RATIO = 0x9e3779b1;
const FREE = -1;

/**
 * A hash table from integers of 0 and more to objects that come and go. It keeps its memory, and forgets a deleted
 * object at once.
 *
 * V8's Map moves to a new table when deleted entries fill the present one. Once a table is in the old generation, V8
 * allocates all later ones there. Each dead table keeps the objects of its last moment until the next full collection,
 * so scavenges copy and promote them (adr/0073).
 *
 *     slot      0     1     2     3     4     5     6     7        at most half of the slots are in use
 *     key       b     .     .     .     c     .     .     a        b belongs in slot 7 too: a run continues at slot 0
 */
export class NumberMap<Key extends number, Value extends object> {
  #keys: Float64Array = freeKeys(CAPACITY_AT_FIRST);
  #values: (Value | undefined)[] = emptyValues(CAPACITY_AT_FIRST);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  get(key: Key): Value | undefined {
    return this.#values[this.#find(key)];
  }

  /**
   * `key`: 0 to 2^53 − 1. Throws for any other number: it could be the mark of a free slot, or a key that is never
   * found again. The other methods find no entry for it.
   */
  set(key: Key, value: Value): void {
    assert(Number.isSafeInteger(key) && key >= 0, 'a key of a NumberMap is an integer of 0 or more');
    let slot = this.#find(key);
    if (this.#values[slot] === undefined) {
      if (this.#size * 2 >= this.#keys.length) {
        this.#grow();
        slot = this.#find(key);
      }
      this.#keys[slot] = key;
      this.#size += 1;
    }
    this.#values[slot] = value;
  }

  /** Returns true when the key was there. */
  delete(key: Key): boolean {
    const keys = this.#keys;
    const values = this.#values;
    const last = keys.length - 1;
    let free = this.#find(key);
    if (values[free] === undefined) return false;
    // A search ends at a free slot. So later entries of the run move up, except those that begin after the free slot.
    for (let slot = (free + 1) & last; values[slot] !== undefined; slot = (slot + 1) & last) {
      const distance = (slot - this.#home(keys[slot]!)) & last;
      if (distance < ((slot - free) & last)) continue;
      keys[free] = keys[slot]!;
      values[free] = values[slot];
      free = slot;
    }
    keys[free] = FREE;
    values[free] = undefined;
    this.#size -= 1;
    return true;
  }

  clear(): void {
    if (this.#size === 0) return;
    this.#keys.fill(FREE);
    this.#values.fill(undefined);
    this.#size = 0;
  }

  /** A copy of all entries, in ascending order of the keys. Later changes of the table do not change it. */
  entries(): [Key, Value][] {
    return this.#sortedKeys().map((key) => [key, this.get(key)!]);
  }

  /** A copy of all values, in ascending order of their keys. */
  values(): Value[] {
    return this.#sortedKeys().map((key) => this.get(key)!);
  }

  #sortedKeys(): Key[] {
    return Array.from(this.#keys.filter((key) => key !== FREE).sort()) as Key[];
  }

  /** The slot where a search for the key begins. The upper bits of the product are the most even ones. */
  #home(key: number): number {
    return Math.imul(key, GOLDEN_RATIO) >>> Math.clz32(this.#keys.length - 1);
  }

  /** The slot of the key, or the free slot where it belongs. */
  #find(key: number): number {
    const keys = this.#keys;
    const last = keys.length - 1;
    let slot = this.#home(key);
    while (keys[slot] !== key && keys[slot] !== FREE) slot = (slot + 1) & last;
    return slot;
  }

  #grow(): void {
    const keys = this.#keys;
    const values = this.#values;
    this.#keys = freeKeys(2 * keys.length);
    this.#values = emptyValues(2 * keys.length);
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index]!;
      if (key === FREE) continue;
      const slot = this.#find(key);
      this.#keys[slot] = key;
      this.#values[slot] = values[index];
    }
    // A list in the old generation would keep its objects until the next full collection.
    values.fill(undefined);
  }
}

function freeKeys(count: number): Float64Array {
  return new Float64Array(count).fill(FREE);
}

function emptyValues<Value>(count: number): (Value | undefined)[] {
  const values: (Value | undefined)[] = [];
  // Array.from takes several times as long, and a shard may work a million orders.
  values.length = count;
  return values.fill(undefined);
}
