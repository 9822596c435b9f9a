import { AMOUNT_PRECISION, type Amount } from '../../model/amount.js';
import { assert } from '../../model/assert.js';
import type { Instrument, InstrumentCatalogue, InstrumentIndex } from '../../model/instrument.js';
import type { Ladder, ParentOrder } from '../../model/order.js';
import type { OrderLeg } from '../../model/pair.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import { isUsdLike, usdPairsOf } from '../../model/usd.js';

/** Twice the mid of instruments, in ticks: whole numbers. */
export type Mids = ReadonlyMap<InstrumentIndex, number>;

/** What trades in one instrument: an order, or a leg of one. */
export type OrderPart = ParentOrder | OrderLeg;

export function partsOf(order: ParentOrder): readonly OrderPart[] {
  return order.pair?.legs ?? [order];
}

export function ladderOf(part: OrderPart): Ladder | null {
  return 'ladder' in part ? part.ladder : null;
}

const USD = 10n ** BigInt(AMOUNT_PRECISION);

/**
 * What one lot is worth in USD: a buy at the most it may pay, a sell at the mid or, where that is more, at the price it
 * asks for. Without a price of its own either is worth the mid.
 */
export function worthOfLot(part: OrderPart, mids: Mids, catalogue: InstrumentCatalogue): Amount {
  const instrument = catalogue.at(part.instrument);
  const own = ownPrice(part);
  if (part.side === 'BUY' && own !== null) return worthOf(2 * own, instrument, mids, catalogue);
  const twiceMid = midOf(instrument, mids);
  return worthOf(own === null ? twiceMid : Math.max(twiceMid, 2 * own), instrument, mids, catalogue);
}

/** One lot at half of `twicePrice` ticks, in USD. */
export function worthOf(
  twicePrice: number,
  instrument: Instrument,
  mids: Mids,
  catalogue: InstrumentCatalogue,
): Amount {
  const inQuote = halfSteps(twicePrice, instrument.quantityPrecision + instrument.pricePrecision);
  const conversion = conversionOf(instrument, catalogue);
  if (conversion === null) return inQuote as Amount;
  return ((inQuote * halfSteps(midOf(conversion, mids), conversion.pricePrecision)) / USD) as Amount;
}

export function worthOfLots(lots: Lots, lotWorth: Amount): Amount {
  return (BigInt(lots) * lotWorth) as Amount;
}

/** Adds the instruments whose mid its worth depends on, but for those that are known. */
export function addUnpriced(part: OrderPart, mids: Mids, catalogue: InstrumentCatalogue, unpriced: Instrument[]): void {
  const instrument = catalogue.at(part.instrument);
  const isOwnNeeded = part.side === 'SELL' || ownPrice(part) === null;
  if (isOwnNeeded && !mids.has(instrument.index)) unpriced.push(instrument);
  const conversion = conversionOf(instrument, catalogue);
  if (conversion !== null && !mids.has(conversion.index)) unpriced.push(conversion);
}

/** The market that tells what the quote of an instrument is worth in USD; null when that is one already. */
export function conversionOf({ venue, quote }: Instrument, catalogue: InstrumentCatalogue): Instrument | null {
  if (isUsdLike(quote)) return null;
  for (const symbol of usdPairsOf(quote)) {
    const found = catalogue.find(venue, 'SPOT', symbol);
    if (found !== null) return found;
  }
  throw new RangeError(`${quote} has no market in USD on ${venue}`);
}

/** The highest price that the part names for its trades: its limit, or the upper end of its ladder. */
function ownPrice(part: OrderPart): Ticks | null {
  if (part.limitPrice !== null) return part.limitPrice;
  const ladder = ladderOf(part);
  return ladder === null ? null : (Math.max(ladder.start, ladder.end) as Ticks);
}

/** Twice over, in ticks. */
export function midOf({ index, symbol }: Instrument, mids: Mids): number {
  const twiceMid = mids.get(index);
  assert(twiceMid !== undefined, `the mid of ${symbol} was asked for`);
  return twiceMid;
}

/** By precision: powers are slow to make. */
const UNITS_OF_STEP = Array.from(
  { length: AMOUNT_PRECISION + 1 },
  (_, precision) => 10n ** BigInt(AMOUNT_PRECISION - precision),
);

/** Half of so many steps of 10^-precision, in units of 10^-18. */
function halfSteps(twice: number, precision: number): bigint {
  return (BigInt(twice) * (UNITS_OF_STEP[precision] as bigint)) / 2n;
}
