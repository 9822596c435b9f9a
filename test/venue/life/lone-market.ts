import type { Instrument } from '../../../src/model/instrument.js';
import type { Side } from '../../../src/model/order.js';
import type { Lots, Ticks } from '../../../src/model/quantity.js';
import { ANY_PRICE, BookOrder, OrderBook } from '../../../src/venue/matching/index.js';
import { Background } from '../../../src/venue/life/background.js';
import { FairMarket, type FairInstrument } from '../../../src/venue/life/fair-market.js';
import type { Floor } from '../../../src/venue/life/floor.js';
import { Maker } from '../../../src/venue/life/maker.js';
import { profileOf, type MarketProfile } from '../../../src/venue/life/market-profile.js';
import { OwnImpact } from '../../../src/venue/life/own-impact.js';
import { Random } from '../../../src/venue/prng.js';

const LEVELS = 200;
const BPS = 10_000;

export interface Match {
  readonly takerSide: Side;
  readonly price: Ticks;
  readonly quantity: Lots;
}

/** The background of one instrument in a book of its own, and a stranger who may take from it. */
export class LoneMarket implements Floor {
  readonly book: OrderBook;
  readonly background: Background;
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
    this.background = new Background({ profile, fair, impact, floor: this, random: new Random(`${seed}`) });
    this.background.assemble(startMs);
  }

  rest(order: BookOrder): void {
    this.book.limit(order, 'GTC', false, 'NONE');
  }

  take(order: BookOrder): void {
    this.book.market(order, 'NONE');
  }

  /** Takes lots at any price, as somebody who is not of the background. */
  seize(side: Side, lots: number): void {
    this.take(new BookOrder({ id: 1, participant: 1, side, price: ANY_PRICE, leaves: lots as Lots }));
  }

  /** Lots of a side within so many basis points of the fair price. */
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
