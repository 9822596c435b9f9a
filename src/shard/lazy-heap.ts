/** Entries below which pruning is not worth a pass. */
const PRUNE_FROM_COUNT = 64;

/**
 * Binary min-heap whose entries may die while they wait: they are skipped when they surface, and swept out once they
 * are the majority, so memory stays within twice the living.
 */
export class LazyHeap<Item> {
  readonly #isLive: (item: Item, priority: number) => boolean;
  #items: Item[] = [];
  #priorities: number[] = [];
  #pruneAtCount = PRUNE_FROM_COUNT;

  constructor(isLive: (item: Item, priority: number) => boolean) {
    this.#isLive = isLive;
  }

  push(item: Item, priority: number): void {
    if (this.#items.length >= this.#pruneAtCount) this.#prune();
    this.#insert(item, priority);
  }

  /** Lowest priority among the living; Infinity when there is none. */
  lowest(): number {
    while (this.#items.length > 0) {
      const priority = this.#priorities[0] as number;
      if (this.#isLive(this.#items[0] as Item, priority)) return priority;
      this.#removeTop();
    }
    return Infinity;
  }

  /** Takes the living item of lowest priority if that is at most `bound`; undefined otherwise. */
  popUpTo(bound: number): Item | undefined {
    if (this.lowest() > bound || this.#items.length === 0) return undefined;
    const item = this.#items[0] as Item;
    this.#removeTop();
    return item;
  }

  #insert(item: Item, priority: number): void {
    const items = this.#items;
    const priorities = this.#priorities;
    let index = items.length;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const abovePriority = priorities[above] as number;
      if (abovePriority <= priority) break;
      items[index] = items[above] as Item;
      priorities[index] = abovePriority;
      index = above;
    }
    items[index] = item;
    priorities[index] = priority;
  }

  #removeTop(): void {
    const items = this.#items;
    const priorities = this.#priorities;
    const item = items.pop() as Item;
    const priority = priorities.pop() as number;
    const count = items.length;
    if (count === 0) return;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      if (below >= count) break;
      if (below + 1 < count && (priorities[below + 1] as number) < (priorities[below] as number)) below += 1;
      const belowPriority = priorities[below] as number;
      if (belowPriority >= priority) break;
      items[index] = items[below] as Item;
      priorities[index] = belowPriority;
      index = below;
    }
    items[index] = item;
    priorities[index] = priority;
  }

  #prune(): void {
    const items = this.#items;
    const priorities = this.#priorities;
    this.#items = [];
    this.#priorities = [];
    items.forEach((item, index) => {
      const priority = priorities[index] as number;
      if (this.#isLive(item, priority)) this.#insert(item, priority);
    });
    this.#pruneAtCount = Math.max(PRUNE_FROM_COUNT, 2 * this.#items.length);
  }
}
