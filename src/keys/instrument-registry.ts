import { firstIndexOf, type InstrumentIndex, modeOfInstrument } from '../domain/instrument.js';
import { ADDED_INSTRUMENTS_PER_MODE_MAX } from '../domain/limits/live.js';
import type { KeyTable } from './database.js';
import type { ListedName, MarketRegistry, StoredMarket } from './port.js';

interface RegistryTables {
  /** Name → row number. */
  readonly instruments: KeyTable;
  /** Row number → StoredMarket, as JSON. */
  readonly markets: KeyTable;
}

/**
 * Row numbers of the instruments of real exchanges. Stored orders contain them, so a row keeps its number for ever,
 * also while its exchange does not list it, and no other row gets it. Several threads may use the tables at once.
 */
export class InstrumentRegistry implements MarketRegistry {
  readonly #tables: RegistryTables;
  readonly #stored = new Map<InstrumentIndex, string>();

  constructor(tables: RegistryTables) {
    this.#tables = tables;
  }

  /**
   * Returns the row number of each instrument, new ones in the order of the list. They are on disk when it returns.
   * null: no number is left for the mode (ADDED_INSTRUMENTS_PER_MODE_MAX).
   */
  indicesOf(names: readonly ListedName[]): (InstrumentIndex | null)[] {
    const { instruments } = this.#tables;
    return instruments.transactionSync(() => {
      const nextOf = new Map<ReturnType<typeof modeOfInstrument>, number>();
      const indices = new Map<string, InstrumentIndex>();
      for (const { key, value } of instruments.getRange()) {
        const index = Number(value.toString()) as InstrumentIndex;
        indices.set(key, index);
        const mode = modeOfInstrument(index);
        nextOf.set(mode, Math.max(nextOf.get(mode) ?? 0, index + 1));
      }
      return names.map((name) => {
        const key = keyOf(name);
        const known = indices.get(key);
        if (known !== undefined) return known;
        const first = firstIndexOf(name.mode);
        const index = (nextOf.get(name.mode) ?? first) as InstrumentIndex;
        if (index >= first + ADDED_INSTRUMENTS_PER_MODE_MAX) return null;
        nextOf.set(name.mode, index + 1);
        indices.set(key, index);
        instruments.putSync(key, Buffer.from(String(index)));
        return index;
      });
    });
  }

  /** Stores the markets that have changed, so that the next start knows them before the exchange answers. */
  store(markets: readonly StoredMarket[]): void {
    const changed = markets.flatMap((market) => {
      const text = JSON.stringify(market);
      return this.#stored.get(market.instrument.index) === text ? [] : [[market.instrument.index, text] as const];
    });
    if (changed.length === 0) return;
    this.#tables.markets.transactionSync(() => {
      for (const [index, text] of changed) this.#tables.markets.putSync(String(index), Buffer.from(text));
    });
    for (const [index, text] of changed) this.#stored.set(index, text);
  }

  /** All stored markets, also of other modes and with earlier grids. */
  load(): StoredMarket[] {
    return [...this.#tables.markets.getRange()].map(({ value }) => {
      const text = value.toString();
      const market = JSON.parse(text) as StoredMarket;
      this.#stored.set(market.instrument.index, text);
      return market;
    });
  }
}

function keyOf(name: ListedName): string {
  const { venue, mode, assetCategory, symbol, quantityPrecision, quantityStep, pricePrecision, priceStep } = name;
  return `${venue}:${mode}|${assetCategory}|${symbol}|${quantityStep}e-${quantityPrecision}|${priceStep}e-${pricePrecision}`;
}
