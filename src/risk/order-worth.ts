import {
  type Amount,
  AMOUNT_PRECISION,
  isUsdLike,
  type Lots,
  type Ticks,
  usdPairsOf,
  ZERO_AMOUNT,
  ZERO_LOTS,
  lotTickUnits,
} from '../domain/quantity.js';
import { assert, isRejected, type OrRejection, type Rejection, Rejected } from '../domain/rejection.js';
import type { Instrument, InstrumentCatalogue, InstrumentIndex } from '../domain/instrument.js';
import type { ParentState } from '../domain/order-state.js';
import type { Leg, ParentOrder } from '../domain/order.js';
import { mapLegs } from '../domain/pair.js';

/** Twice the mid of each instrument, in ticks: whole numbers. */
export type Mids = ReadonlyMap<InstrumentIndex, number>;

const USD = 10n ** BigInt(AMOUNT_PRECISION);

/**
 * Worth of one lot in USD. A buy counts at its highest price. A sell counts at the mid, or at its own price when that
 * is higher. A leg without a price counts at the mid.
 */
function worthOfLot(leg: Leg, mids: Mids, catalogue: InstrumentCatalogue): Amount {
  const instrument = catalogue.at(leg.instrument);
  const own = ownPrice(leg);
  if (leg.side === 'BUY' && own !== null) return worthOf(2 * own, instrument, mids, catalogue);
  const twiceMid = midOf(instrument, mids);
  return worthOf(own === null ? twiceMid : Math.max(twiceMid, 2 * own), instrument, mids, catalogue);
}

/** Worth of one lot at half of `twicePrice` ticks, in USD. */
export function worthOf(
  twicePrice: number,
  instrument: Instrument,
  mids: Mids,
  catalogue: InstrumentCatalogue,
): Amount {
  const precision = instrument.quantityPrecision + instrument.pricePrecision;
  const inQuote = halfSteps(BigInt(twicePrice) * lotTickUnits(instrument), precision);
  const conversion = conversionOf(instrument, catalogue);
  if (conversion === null) return inQuote as Amount;
  return ((inQuote *
    halfSteps(BigInt(midOf(conversion, mids)) * BigInt(conversion.priceStep), conversion.pricePrecision)) /
    USD) as Amount;
}

export function worthOfLots(lots: Lots, lotWorth: Amount): Amount {
  return (BigInt(lots) * lotWorth) as Amount;
}

/** Adds the instruments whose mid the worth of the leg needs and `mids` lacks. */
export function addUnpriced(leg: Leg, mids: Mids, catalogue: InstrumentCatalogue, unpriced: Instrument[]): void {
  const instrument = catalogue.at(leg.instrument);
  const isOwnNeeded = leg.side === 'SELL' || ownPrice(leg) === null;
  if (isOwnNeeded && !mids.has(instrument.index)) unpriced.push(instrument);
  const conversion = conversionOf(instrument, catalogue);
  if (conversion !== null && !mids.has(conversion.index)) unpriced.push(conversion);
}

/** The market that values the quote currency of an instrument in USD; null when the quote currency counts as USD. */
export function conversionOf({ venue, quote }: Instrument, catalogue: InstrumentCatalogue): Instrument | null {
  if (isUsdLike(quote)) return null;
  for (const symbol of usdPairsOf(quote)) {
    const found = catalogue.find(venue, 'SPOT', symbol);
    if (found !== null) return found;
  }
  throw new RangeError(`${quote} has no market in USD on ${venue}`);
}

/** The highest price of the leg itself: its limit, or the upper end of its ladder. */
function ownPrice(leg: Leg): Ticks | null {
  if (leg.limitPrice !== null) return leg.limitPrice;
  const ladder = leg.ladder;
  return ladder === null ? null : (Math.max(ladder.start, ladder.end) as Ticks);
}

/** Twice the mid, in ticks. */
export function midOf({ index, symbol }: Instrument, mids: Mids): number {
  const twiceMid = mids.get(index);
  assert(twiceMid !== undefined, `the mid of ${symbol} was asked for`);
  return twiceMid;
}

/** By precision; cached because powers are slow. */
const UNITS_OF_STEP = Array.from(
  { length: AMOUNT_PRECISION + 1 },
  (_, precision) => 10n ** BigInt(AMOUNT_PRECISION - precision),
);

/** Half of `twice` steps of 10^-precision, in units of 10^-18. */
function halfSteps(twice: bigint, precision: number): bigint {
  return (twice * (UNITS_OF_STEP[precision] as bigint)) / 2n;
}

/** Terms of an open order, with the worth of a lot of each leg when they were accepted. */
export interface ReservedExposure {
  readonly order: ParentOrder;
  readonly lotWorths: readonly Amount[];
}

export function reservedExposure(order: ParentOrder, mids: Mids, catalogue: InstrumentCatalogue): ReservedExposure {
  return { order, lotWorths: order.legs.map((leg) => worthOfLot(leg, mids, catalogue)) };
}

/** Counts the order without a worth. */
export function unvalued(order: ParentOrder): ReservedExposure {
  return { order, lotWorths: order.legs.map(() => ZERO_AMOUNT) };
}

/** Filled lots of each leg. */
export type Filled = readonly Lots[];

export const NOTHING_FILLED: Filled = [ZERO_LOTS, ZERO_LOTS];

export function filledOf({ legs }: Pick<ParentState, 'legs'>): Filled {
  return mapLegs(legs, ({ progress }) => progress.filled);
}

/** Worth of the order's leaves in USD; 0 for an order that can only reduce a position. */
export function reservedWorth({ order, lotWorths }: ReservedExposure, filled: Filled): Amount {
  return order.reduceOnly ? ZERO_AMOUNT : worthOfLeaves(order, lotWorths, filled);
}

/** Worth of the leaves in USD, also for a reducing order; without `filled` the whole order. */
export function worthOfOrder(
  order: ParentOrder,
  mids: Mids,
  catalogue: InstrumentCatalogue,
  filled = NOTHING_FILLED,
): Amount {
  return worthOfLeaves(order, reservedExposure(order, mids, catalogue).lotWorths, filled);
}

function worthOfLeaves(order: ParentOrder, lotWorths: readonly Amount[], filled: Filled): Amount {
  let sum = 0n;
  for (const [index, leg] of order.legs.entries()) {
    const leaves = Math.max(0, leg.quantity - filled[index]!);
    sum += worthOfLots(leaves as Lots, lotWorths[index] as Amount);
  }
  return sum as Amount;
}

/** Answers with twice the mid of an instrument in ticks, or with the reason why there is none. */
type AskForPrice = (instrument: Instrument, answer: (twiceMid: OrRejection<number>) => void) => void;

/** Gathers the mids of several instruments. */
export class MidQuery {
  readonly #price: AskForPrice;

  constructor(price: AskForPrice) {
    this.#price = price;
  }

  /**
   * Requests each missing mid once. Answers once, with the known and the new mids, or with the reason why one is
   * missing.
   */
  ask(instruments: readonly Instrument[], known: Mids, answer: (mids: OrRejection<Mids>) => void): void {
    const asked = new Map(instruments.map((instrument) => [instrument.index, instrument]));
    const mids = new Map<InstrumentIndex, number>(known);
    let missingCount = asked.size;
    let lack: Rejection | null = null;
    if (missingCount === 0) return answer(mids);
    for (const [index, instrument] of asked) {
      this.#price(instrument, (twiceMid) => {
        if (isRejected(twiceMid)) lack = twiceMid.rejection;
        else mids.set(index, twiceMid);
        missingCount -= 1;
        if (missingCount === 0) answer(lack === null ? mids : new Rejected(lack));
      });
    }
  }
}
