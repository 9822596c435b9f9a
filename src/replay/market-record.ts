import { MidPath } from '../analytics/mid-path.js';
import { TradedVolume } from '../analytics/traded-volume.js';
import type { Lots, Ticks } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';
import type { MarketObserver } from '../venue/replay/index.js';

/** Notes what others do in the market while an order is worked: what it is measured against. */
export class MarketRecord implements MarketObserver {
  readonly mids = new MidPath();
  readonly trades = new TradedVolume();

  onQuote(bid: Ticks, ask: Ticks, atMs: EpochMs): void {
    this.mids.append((bid + ask) / 2, atMs);
  }

  onTrade(price: Ticks, quantity: Lots, atMs: EpochMs): void {
    this.trades.append(price, quantity, atMs);
  }
}
