/**
 * A queue that serves its owners in turn: one item of each owner, then the next item of the first. An owner waits for
 * at most one item of each other owner. An item that already waits is not added twice.
 */
export class FairQueue<Owner, Item> {
  /** In the order of service. */
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

/** Below this number of entries the heap is not pruned. */
const PRUNE_FROM_COUNT = 64;

/**
 * Binary min-heap whose entries may become stale while they wait. Stale entries are skipped at the top, and pruned when
 * they are the majority, so that memory stays within twice the live entries.
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

  /** Lowest priority of the live entries; Infinity when there is none. */
  lowest(): number {
    while (this.#items.length > 0) {
      const priority = this.#priorities[0] as number;
      if (this.#isLive(this.#items[0] as Item, priority)) return priority;
      this.#removeTop();
    }
    return Infinity;
  }

  /** Removes the live entry of lowest priority if it is at most `bound`; undefined otherwise. */
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

/**
 * Visits every item once for some cause, a bounded number in one turn, so that a venue that comes back does not stop
 * the shard's other work. Passes run one after the other, in the order in which they were started.
 */
export class BoundedPass<Cause, Item> {
  readonly #waiting: { readonly cause: Cause; readonly items: readonly Item[] }[] = [];
  #next = 0;

  start(cause: Cause, items: Iterable<Item>): void {
    const list = [...items];
    if (list.length > 0) this.#waiting.push({ cause, items: list });
  }

  get isDone(): boolean {
    return this.#waiting.length === 0;
  }

  /** The cause whose items are not all handled yet; null: all are. */
  get cause(): Cause | null {
    return this.#waiting[0]?.cause ?? null;
  }

  run(itemsMax: number, handle: (cause: Cause, item: Item) => void): void {
    const sweep = this.#waiting[0];
    if (sweep === undefined) return;
    const end = Math.min(this.#next + itemsMax, sweep.items.length);
    while (this.#next < end) {
      handle(sweep.cause, sweep.items[this.#next] as Item);
      this.#next += 1;
    }
    if (end < sweep.items.length) return;
    this.#waiting.shift();
    this.#next = 0;
  }
}
