import { Depth, type DepthSide } from '../model/depth.js';
import type { EpochMs } from '../model/time.js';

/** A book on its way to whoever looks at it: it arrives with the market of the same moment, never before. */
export class DelayedBook {
  readonly #coming: Depth[] = [];
  /** As it last arrived; null before it first did. */
  arrived: Depth | null = null;

  /** The venue shows it; later ones later. */
  show(depth: Depth): void {
    this.#coming.push(copyOf(depth));
  }

  /** The market of that moment has arrived. */
  arrive(atMs: EpochMs): void {
    const later = this.#coming.findIndex((depth) => depth.atMs > atMs);
    const due = this.#coming.splice(0, later === -1 ? this.#coming.length : later);
    this.arrived = due.at(-1) ?? this.arrived;
  }
}

function copyOf({ bids, asks, atMs }: Depth): Depth {
  const copy = new Depth();
  copy.atMs = atMs;
  copySide(bids, copy.bids);
  copySide(asks, copy.asks);
  return copy;
}

function copySide(from: DepthSide, to: DepthSide): void {
  to.count = from.count;
  to.prices.set(from.prices);
  to.quantities.set(from.quantities);
}
