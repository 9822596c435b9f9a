import { VENUES } from '../domain/exchange.js';
import type { InstrumentCatalogue, InstrumentIndex } from '../domain/instrument.js';
import type { Liquidity, OrderStatus } from '../domain/order.js';
import { REJECTION_CODES } from '../domain/rejection.js';
import {
  ACKNOWLEDGE_ENDS_MS,
  type BucketCounts,
  LAG_ENDS,
  SCHEDULED_STRATEGIES,
  type TradedValue,
  type TradingFigures,
  UNKNOWN_AGES_S,
} from '../domain/trading-figures.js';

/** Final statuses of a stored order. */
export const ENDS = ['REJECTED', 'FILLED', 'CANCELLED', 'EXPIRED'] as const satisfies readonly OrderStatus[];
export const LIQUIDITIES = ['MAKER', 'TAKER'] as const satisfies readonly Liquidity[];

/** Sections of the memory in words of 8 bytes. The words of traded values follow, one an instrument. */
const SIZES = {
  ends: ENDS.length * (REJECTION_CODES.length + 1),
  refusals: VENUES.length * REJECTION_CODES.length,
  fills: VENUES.length * LIQUIDITIES.length,
  acknowledged: VENUES.length * (ACKNOWLEDGE_ENDS_MS.length + 2),
  lags: SCHEDULED_STRATEGIES.length * (LAG_ENDS.length + 2),
  unknown: VENUES.length * UNKNOWN_AGES_S.length,
} as const;
export type Section = keyof typeof SIZES;
const NUMBERS_COUNT = Object.values(SIZES).reduce((sum, size) => sum + size, 0);
const WORD_BYTES = 8;

/** Memory of the figures. The projector writes it; any thread may read it. */
export function createTradingMemory(instrumentCount: number): SharedArrayBuffer {
  return new SharedArrayBuffer((NUMBERS_COUNT + instrumentCount) * WORD_BYTES);
}

/** The counts by section. Each section has one row for each venue, strategy or status. */
export function sectionsOf(memory: SharedArrayBuffer): Readonly<Record<Section, Float64Array>> {
  let from = 0;
  const sections = Object.entries(SIZES).map(([name, size]) => {
    const words = new Float64Array(memory, from * WORD_BYTES, size);
    from += size;
    return [name, words];
  });
  return Object.fromEntries(sections) as Record<Section, Float64Array>;
}

/** Traded values by the index of the instrument. */
export function valuesOf(memory: SharedArrayBuffer): BigInt64Array {
  return new BigInt64Array(memory, NUMBERS_COUNT * WORD_BYTES);
}

/** Reads the figures. Rows without a count are left out, except those of unknown children. */
export function tradingFigures(memory: SharedArrayBuffer, catalogue: InstrumentCatalogue): TradingFigures {
  const { ends, refusals, fills, acknowledged, lags, unknown } = sectionsOf(memory);
  return {
    ends: () =>
      ENDS.flatMap((status, row) =>
        [null, ...REJECTION_CODES].map((code, column) => ({ status, code, count: at(ends, row, column, ENDS.length) })),
      ).filter(isCounted),
    refusals: () =>
      VENUES.flatMap((venue, row) =>
        REJECTION_CODES.map((code, column) => ({ venue, code, count: at(refusals, row, column, VENUES.length) })),
      ).filter(isCounted),
    fills: () =>
      VENUES.flatMap((venue, row) =>
        LIQUIDITIES.map((liquidity, column) => ({ venue, liquidity, count: at(fills, row, column, VENUES.length) })),
      ).filter(isCounted),
    acknowledged: () => bucketsOf(acknowledged, VENUES),
    lags: () => bucketsOf(lags, SCHEDULED_STRATEGIES),
    unknown: () =>
      VENUES.flatMap((venue, row) =>
        UNKNOWN_AGES_S.map((ageS, column) => ({ venue, ageS, count: at(unknown, row, column, VENUES.length) })),
      ),
    values: () => tradedValues(memory, catalogue),
  };
}

function tradedValues(memory: SharedArrayBuffer, catalogue: InstrumentCatalogue): TradedValue[] {
  const words = valuesOf(memory);
  // The same bits as floats: most instruments are never traded, and reading them as bigints would allocate.
  const bits = new Float64Array(memory, words.byteOffset);
  const sums = new Map<string, TradedValue>();
  for (let index = 0; index < bits.length; index += 1) {
    if (bits[index] === 0) continue;
    const { venue, quote } = catalogue.at(index as InstrumentIndex);
    const name = `${venue} ${quote}`;
    const before = sums.get(name)?.units ?? 0n;
    sums.set(name, { venue, quote, units: before + Atomics.load(words, index) });
  }
  return [...sums.values()];
}

function at(words: Float64Array, row: number, column: number, rowCount: number): number {
  return words[(row * words.length) / rowCount + column] ?? 0;
}

function isCounted({ count }: { readonly count: number }): boolean {
  return count > 0;
}

function bucketsOf<Label extends string>(words: Float64Array, labels: readonly Label[]): BucketCounts<Label>[] {
  const width = words.length / labels.length;
  return labels
    .map((label, row) => {
      const own = [...words.subarray(row * width, (row + 1) * width)];
      return { label, counts: own.slice(0, -1), total: own.at(-1) ?? 0 };
    })
    .filter(({ counts }) => counts.some((count) => count > 0));
}
