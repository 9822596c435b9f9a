/** An instrument that orders can be placed in, as the service lists it. */
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

/** A name of an order as an answer has told it. */
export interface OrderName {
  readonly orderId: number;
  readonly clientOrderId: string | undefined;
}

const NAMES_KEPT_MAX = 500;

/** What answers have told so far: what can be traded, at what prices, and which orders there are. */
export class KnownWorld {
  readonly instruments: readonly KnownInstrument[];
  readonly #markPrices = new Map<string, number>();
  readonly #names: OrderName[] = [];
  #learned = 0;

  /** From the answers of `instruments` and `lastFundingRates`. */
  constructor(instruments: readonly KnownInstrument[], rates: readonly KnownRate[]) {
    for (const { symbol, markPrice } of rates) {
      if (markPrice !== undefined) this.#markPrices.set(baseOf(symbol), markPrice);
    }
    const tradable = new Set(['SPOT', 'FUTURE']);
    this.instruments = instruments.filter(
      ({ assetClass, baseAsset }) => tradable.has(assetClass) && this.#markPrices.has(baseAsset),
    );
  }

  /** Quote units; what its future was marked at when the run began. */
  priceOf({ baseAsset }: KnownInstrument): number {
    return this.#markPrices.get(baseAsset) ?? 1;
  }

  /** Orders that were answered lately. */
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
