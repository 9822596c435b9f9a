/** A count for each key, such as the connections of each account. A key whose count is 0 takes no memory. */
export class CountByKey<Key> {
  readonly #counts = new Map<Key, number>();

  of(key: Key): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Returns the new count. `change` may be negative. */
  add(key: Key, change = 1): number {
    const count = this.of(key) + change;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
    return count;
  }
}
