import type { TradePrint } from '../../model/market.js';
import type { MarketUpdate } from '../../model/market-feed.js';

/** Tells the trades of one instrument in their order. What there is no room for is left out, but for the latest. */
export class TradeFeed {
  readonly #offer: (update: MarketUpdate) => boolean;
  #prints: TradePrint[] = [];

  constructor(offer: (update: MarketUpdate) => boolean) {
    this.#offer = offer;
  }

  add(print: TradePrint): void {
    this.#prints.push(print);
  }

  tell(): void {
    const prints = this.#prints;
    const refused = prints.findIndex((print) => !this.#offer({ kind: 'Traded', print }));
    this.#prints = refused === -1 ? [] : prints.slice(-1);
  }
}
