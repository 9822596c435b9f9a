import type { Instrument } from '../../../src/domain/instrument.js';
import type { Side } from '../../../src/domain/order.js';
import type { Lots, Ticks } from '../../../src/domain/quantity.js';
import { ANY_PRICE, BookOrder } from '../../../src/sim/matching/book-order.js';
import { OrderBook } from '../../../src/sim/matching/order-book.js';
import { MarketModel, OwnImpact } from '../../../src/sim/market/market-model.js';
import { FairMarket, type FairInstrument } from '../../../src/sim/market/fair-market.js';
import { type Floor, Maker } from '../../../src/sim/market/market-makers.js';
import { profileOf, type MarketProfile } from '../../../src/sim/market/market-profile.js';
import { Random } from '../../../src/sim/prng.js';

const LEVELS = 200;
const BPS = 10_000;

export interface Match {
  readonly takerSide: Side;
  readonly price: Ticks;
  readonly quantity: Lots;
}

/** The background of one instrument in its own book, and a foreign participant that may take. */
export class LoneMarket implements Floor {
  readonly book: OrderBook;
  readonly background: MarketModel;
  readonly profile: MarketProfile;
  readonly fair: FairInstrument;
  readonly impact: OwnImpact;
  readonly matches: Match[] = [];

  constructor({ instrument, seed, startMs }: { instrument: Instrument; seed: number; startMs: number }) {
    this.profile = profileOf(instrument);
    this.fair = new FairMarket(seed).of(instrument);
    this.impact = new OwnImpact(this.profile);
    this.book = new OrderBook({
      traded: (taker, maker, price, quantity) => {
        this.matches.push({ takerSide: taker.side, price, quantity });
        if (maker instanceof Maker && maker.isExhausted) this.background.noteExhausted(maker);
        if (taker.participant === 0) this.background.noteTraded(quantity);
      },
      prevented: () => undefined,
    });
    const { profile, fair, impact } = this;
    this.background = new MarketModel({ profile, fair, impact, floor: this, random: new Random(`${seed}`) });
    this.background.assemble(startMs);
  }

  rest(order: BookOrder): void {
    this.book.limit(order, 'GTC', false, 'NONE');
  }

  take(order: BookOrder): void {
    this.book.market(order, 'NONE');
  }

  /** Takes lots at any price as a foreign participant. */
  takeAny(side: Side, lots: number): void {
    this.take(new BookOrder({ id: 1, participant: 1, side, price: ANY_PRICE, leaves: lots as Lots }));
  }

  /** Lots of a side within `bps` basis points of the fair price. */
  depth(side: Side, bps: number, atMs: number): number {
    const [prices, quantities] = [new Float64Array(LEVELS), new Float64Array(LEVELS)];
    const count = this.book.depth(side, prices, quantities, LEVELS);
    const fair = this.fair.priceAt(atMs);
    let lots = 0;
    for (let rank = 0; rank < count && Math.abs(prices[rank]! / fair - 1) * BPS <= bps; rank += 1) {
      lots += quantities[rank]!;
    }
    return lots;
  }
}
