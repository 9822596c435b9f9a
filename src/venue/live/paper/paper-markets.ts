import type { InstrumentIndex } from '../../../domain/instrument.js';
import { amountOfNotional, type Grid, type Ticks } from '../../../domain/quantity.js';
import { assert, type Rejection } from '../../../domain/rejection.js';
import { termsOf, type TradingTerms } from '../../../sim/account/trading-terms.js';
import type { VenueOrder } from '../../../sim/order/venue-order.js';
import { decodeRow, encodeRow } from '../../../sim/store/row-codec.js';
import type { VenueRow, VenueStore } from '../../port.js';
import {
  NEW_MARKET,
  type PaperInstrument,
  PaperMarket,
  type PaperMarketListener,
  type PaperMarketMemory,
} from './paper-market.js';

const PREFIX = 'market/';
const PPM = 1_000_000n;

interface MarketRow extends PaperMarketMemory {
  readonly listed: PaperInstrument;
}

export interface PaperMarketsParts {
  readonly store: VenueStore;
  /** The present rules of an instrument; null: the exchange does not list it. */
  readonly instrumentAt: (index: InstrumentIndex) => PaperInstrument | null;
  readonly listener: PaperMarketListener;
  /** Restates the positions in a symbol in the lots and ticks of these terms. False: they cannot be stated so. */
  readonly restate: (terms: TradingTerms) => boolean;
}

/**
 * The markets in which paper orders were placed. Each keeps its rules in the store, so that open orders and positions are
 * read before the exchange has answered with its list.
 *
 *     market/<symbol>   sequence, last price, instrument and its names
 */
export class PaperMarkets {
  readonly #parts: PaperMarketsParts;
  readonly #bySymbol = new Map<string, PaperMarket>();
  readonly #byIndex = new Map<InstrumentIndex, PaperMarket>();
  readonly #byExchangeSymbol = new Map<string, PaperMarket>();
  #touched = new Set<PaperMarket>();

  constructor(parts: PaperMarketsParts) {
    this.#parts = parts;
    for (const { value } of parts.store.range(PREFIX)) {
      const { listed, ...memory } = decodeRow(value) as MarketRow;
      this.#open(listed, memory);
    }
  }

  /** The terms of a stored order or position. */
  termsOf(symbol: string): TradingTerms {
    return this.#named(symbol).terms;
  }

  listedOf(symbol: string): PaperInstrument {
    return this.#named(symbol).listed;
  }

  /** null: no order was placed in it yet. */
  find(index: InstrumentIndex): PaperMarket | null {
    return this.#byIndex.get(index) ?? null;
  }

  /** The market that the records of a symbol are about. It may still have former lots and ticks. */
  named(exchangeSymbol: string): PaperMarket | null {
    return this.#byExchangeSymbol.get(exchangeSymbol) ?? null;
  }

  /** The market of an order, to be stored with it. */
  of({ submission: { instrument } }: VenueOrder): PaperMarket {
    const market = this.find(instrument);
    assert(market !== null, `paper orders in instrument ${instrument} have a market`);
    this.#touched.add(market);
    return market;
  }

  get all(): Iterable<PaperMarket> {
    return this.#bySymbol.values();
  }

  /** The market with the present rules of the exchange, or why no paper order can be placed in it. */
  admit(index: InstrumentIndex): PaperMarket | Rejection {
    const listed = this.#parts.instrumentAt(index);
    if (listed === null) return { code: 'INVALID_SYMBOL', message: `instrument ${index} is not listed` };
    const { instrument } = listed;
    const { symbol } = instrument;
    if (amountOfNotional(1, instrument) % PPM !== 0n) {
      return { code: 'INVALID_ORDER', message: `${symbol}: paper mode has no exact fees for steps this small` };
    }
    const known = this.#bySymbol.get(symbol);
    if (known === undefined) return this.#open(listed, NEW_MARKET);
    if (isOneGrid(known.terms.instrument, instrument)) {
      if (known.listed !== listed) known.relist(listed);
      return known;
    }
    if (known.restingCount === 0 && this.#parts.restate(termsOf(instrument))) return this.#replace(known, listed);
    const why =
      'Paper orders in the old steps must end first; a position that is no whole number of the new lots stays';
    const message = `${symbol}: its lot or tick has changed. ${why}`;
    return { code: 'INVALID_ORDER', message };
  }

  takeRows(rows: VenueRow[]): void {
    for (const market of this.#touched) {
      const { memory, listed } = market;
      const row: MarketRow = { ...memory, listed };
      rows.push({ key: `${PREFIX}${encodeURIComponent(listed.instrument.symbol)}`, value: encodeRow(row) });
    }
    this.#touched = new Set();
  }

  #named(symbol: string): PaperMarket {
    const market = this.#bySymbol.get(symbol);
    assert(market !== undefined, `paper orders in ${symbol} have a market`);
    return market;
  }

  /** Opens the market with other lots and ticks. It is stored with the positions that are restated in them. */
  #replace(former: PaperMarket, listed: PaperInstrument): PaperMarket {
    const { sequence, mark } = former.memory;
    const market = this.#open(listed, {
      sequence,
      mark: restatedPrice(mark, former.terms, termsOf(listed.instrument)),
    });
    // Orders that have ended still name the former instrument.
    this.#byIndex.set(former.listed.instrument.index, market);
    this.#touched.add(market);
    return market;
  }

  #open(listed: PaperInstrument, memory: PaperMarketMemory): PaperMarket {
    const { instrument } = listed;
    const market = new PaperMarket({ listed, memory, listener: this.#parts.listener });
    this.#bySymbol.set(instrument.symbol, market);
    this.#byIndex.set(instrument.index, market);
    this.#byExchangeSymbol.set(listed.exchangeSymbol, market);
    return market;
  }
}

/** The price in other ticks, rounded down. */
function restatedPrice(price: Ticks, from: TradingTerms, to: TradingTerms): Ticks {
  return Number((BigInt(price) * from.notionalUnit * to.lotUnit) / (from.lotUnit * to.notionalUnit)) as Ticks;
}

export function isOneGrid(one: Grid, other: Grid): boolean {
  return (
    one.quantityPrecision === other.quantityPrecision &&
    one.quantityStep === other.quantityStep &&
    one.pricePrecision === other.pricePrecision &&
    one.priceStep === other.priceStep
  );
}
