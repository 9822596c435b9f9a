/**
 * Looks at every order once for some cause, a bounded number a turn, so that a venue that comes back does not stop
 * the shard's other work. Sweeps run one after the other, in the order in which they were started.
 */
export class Sweep<Cause, Item> {
  readonly #waiting: { readonly cause: Cause; readonly items: readonly Item[] }[] = [];
  #next = 0;

  start(cause: Cause, items: Iterable<Item>): void {
    const list = [...items];
    if (list.length > 0) this.#waiting.push({ cause, items: list });
  }

  get isDone(): boolean {
    return this.#waiting.length === 0;
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
