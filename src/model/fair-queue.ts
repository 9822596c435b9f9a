/**
 * A queue that serves its owners in turn: one item of each owner, then the next item of the first. However many items
 * one owner adds, another waits for one of them at most. An item that already waits is not added twice.
 */
export class FairQueue<Owner, Item> {
  /** In the order in which they are served. */
  readonly #byOwner = new Map<Owner, Set<Item>>();

  get isEmpty(): boolean {
    return this.#byOwner.size === 0;
  }

  add(owner: Owner, item: Item): void {
    const items = this.#byOwner.get(owner);
    if (items === undefined) this.#byOwner.set(owner, new Set([item]));
    else items.add(item);
  }

  has(owner: Owner, item: Item): boolean {
    return this.#byOwner.get(owner)?.has(item) ?? false;
  }

  remove(owner: Owner, item: Item): void {
    const items = this.#byOwner.get(owner);
    items?.delete(item);
    if (items?.size === 0) this.#byOwner.delete(owner);
  }

  /** Takes the next item out; undefined when the queue is empty. */
  take(): Item | undefined {
    for (const [owner, items] of this.#byOwner) {
      this.#byOwner.delete(owner);
      for (const item of items) {
        items.delete(item);
        if (items.size > 0) this.#byOwner.set(owner, items);
        return item;
      }
    }
    return undefined;
  }
}
