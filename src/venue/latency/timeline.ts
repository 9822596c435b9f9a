/** What is due at a time, earliest first; of two at one time, the one that was added first. */
export class Timeline<Item> {
  readonly #times: number[] = [];
  readonly #items: Item[] = [];

  get count(): number {
    return this.#items.length;
  }

  /** Time of the earliest item; Infinity when there is none. */
  get earliest(): number {
    return this.#times[0] ?? Infinity;
  }

  add(time: number, item: Item): void {
    const index = this.#countUpTo(time);
    this.#times.splice(index, 0, time);
    this.#items.splice(index, 0, item);
  }

  /** Takes out what is due up to `time`, and the earliest beyond `keptMax` whenever they are due. */
  takeUpTo(time: number, keptMax = Infinity): readonly Item[] {
    if (this.earliest > time && this.#items.length <= keptMax) return [];
    const count = Math.max(this.#countUpTo(time), this.#items.length - keptMax);
    this.#times.splice(0, count);
    return this.#items.splice(0, count);
  }

  #countUpTo(time: number): number {
    let [from, to] = [0, this.#times.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#times[middle] as number) <= time) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
