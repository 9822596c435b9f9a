/** A tradable instrument, as the service lists it. */
export interface KnownInstrument {
  readonly exchange: string;
  readonly symbol: string;
  readonly baseAsset: string;
  readonly assetClass: string;
  readonly quantityPrecision: number;
  readonly pricePrecision: number;
  readonly minQuantityLimit: number;
  readonly minCostLimit: number;
}

interface KnownRate {
  readonly symbol: string;
  readonly markPrice?: number;
}

/** The ids of an order, from an answer. */
export interface OrderName {
  readonly orderId: number;
  readonly clientOrderId: string | undefined;
}

const NAMES_KEPT_MAX = 500;

/** What earlier answers contained: instruments, prices and orders. */
export class KnownWorld {
  readonly instruments: readonly KnownInstrument[];
  readonly #markPrices = new Map<string, number>();
  readonly #names: OrderName[] = [];
  #learned = 0;

  /** Takes the answers of `instruments` and `lastFundingRates`. */
  constructor(instruments: readonly KnownInstrument[], rates: readonly KnownRate[]) {
    for (const { symbol, markPrice } of rates) {
      if (markPrice !== undefined) this.#markPrices.set(baseOf(symbol), markPrice);
    }
    const tradable = new Set(['SPOT', 'FUTURE']);
    this.instruments = instruments.filter(
      ({ assetClass, baseAsset }) => tradable.has(assetClass) && this.#markPrices.has(baseAsset),
    );
  }

  /** Price in quote units: the mark price of its future at the start of the run. */
  priceOf({ baseAsset }: KnownInstrument): number {
    return this.#markPrices.get(baseAsset) ?? 1;
  }

  /** The latest orders in answers. */
  get names(): readonly OrderName[] {
    return this.#names;
  }

  learn(name: OrderName): void {
    this.#names[this.#learned % NAMES_KEPT_MAX] = name;
    this.#learned += 1;
  }
}

function baseOf(symbol: string): string {
  return symbol.slice(0, symbol.indexOf('/'));
}
