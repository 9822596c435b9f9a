import { Depth } from '../../model/depth.js';
import type { InstrumentIndex } from '../../model/instrument.js';
import { LATENT_BOOKS_MAX } from '../../model/limits.js';
import type { EpochMs } from '../../model/time.js';

type ShowDepth = (instrument: InstrumentIndex, depth: Depth) => void;

interface Way {
  /** Moment of the latest market that has arrived. */
  arrivedMs: number;
  /** Books of later moments, oldest first. */
  readonly coming: Depth[];
}

/**
 * Books on their way from venues. The gateway tells markets, which take their time and may be lost; a book is shown with
 * the market of the same moment and never before it, so that nobody sees further by looking deeper. Where markets arrive
 * at once, books do.
 */
export class LatentBooks {
  readonly #show: ShowDepth;
  readonly #ways = new Map<InstrumentIndex, Way>();

  constructor(show: ShowDepth) {
    this.#show = show;
  }

  /** The venue shows a book, which is only lent. Of too many on their way the oldest are never shown. */
  send(instrument: InstrumentIndex, depth: Depth): void {
    const { coming, arrivedMs } = this.#way(instrument);
    if (depth.atMs <= arrivedMs) return this.#show(instrument, depth);
    if (coming.length === LATENT_BOOKS_MAX) coming.shift();
    const copy = new Depth();
    copy.set(depth);
    coming.push(copy);
  }

  /** The market of that moment has arrived. */
  arrive(instrument: InstrumentIndex, atMs: EpochMs): void {
    const way = this.#way(instrument);
    way.arrivedMs = Math.max(way.arrivedMs, atMs);
    const later = way.coming.findIndex((depth) => depth.atMs > way.arrivedMs);
    const latest = way.coming.splice(0, later === -1 ? way.coming.length : later).at(-1);
    if (latest !== undefined) this.#show(instrument, latest);
  }

  #way(instrument: InstrumentIndex): Way {
    let way = this.#ways.get(instrument);
    if (way === undefined) this.#ways.set(instrument, (way = { arrivedMs: -Infinity, coming: [] }));
    return way;
  }
}
