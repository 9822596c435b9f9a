import type { Depth } from '../model/depth.js';
import type { InstrumentIndex } from '../model/instrument.js';
import type { MarketUpdate } from '../model/market-feed.js';
import { encodeMarketUpdate } from './codec/index.js';
import type { DepthSlateWriter } from './depth-slate.js';
import type { BellRinger } from './doorbell.js';
import type { FeedInterestReader } from './feed-interest.js';
import type { RingProducer } from './ring.js';

export interface RingFeedOutletParts {
  readonly updates: RingProducer;
  readonly mainBell: BellRinger;
  readonly interest: FeedInterestReader;
  readonly depth: Pick<DepthSlateWriter, 'isWanted'>;
  /** Takes a book on its way to the depth slate; only lent. */
  readonly sendDepth: (instrument: InstrumentIndex, depth: Depth) => void;
  /** Service milliseconds in a real one. */
  readonly speed: number;
}

/** The way of the market feeds out of the venue worker: updates to the main thread's ring, books to the depth slate. */
export class RingFeedOutlet {
  readonly interest: FeedInterestReader;
  readonly speed: number;
  readonly #parts: RingFeedOutletParts;
  #hasWritten = false;

  constructor(parts: RingFeedOutletParts) {
    this.#parts = parts;
    this.interest = parts.interest;
    this.speed = parts.speed;
  }

  /** False when the ring is full. */
  offer(update: MarketUpdate): boolean {
    if (this.#parts.updates.tryWrite(encodeMarketUpdate(update)) !== 'written') return false;
    this.#hasWritten = true;
    return true;
  }

  /** Whether somebody follows what only a market shows that is awake. */
  isLively(instrument: InstrumentIndex): boolean {
    return this.interest.isLively(instrument) || this.isDepthWanted(instrument);
  }

  isDepthWanted(instrument: InstrumentIndex): boolean {
    return this.#parts.depth.isWanted(instrument);
  }

  showDepth(instrument: InstrumentIndex, depth: Depth): void {
    this.#parts.sendDepth(instrument, depth);
  }

  /** Wakes the main thread if anything was written since the last call. */
  flush(): void {
    if (!this.#hasWritten) return;
    this.#hasWritten = false;
    this.#parts.mainBell.ring();
  }
}
