import type { Instrument, InstrumentCatalogue } from './instrument.js';
import type { ParentState, Progress } from './order-state.js';
import type { Leg, ParentOrder } from './order.js';
import { hedgingIndexOf, legAt, type LegIndex, type PerLeg } from './pair.js';
import { formatSteps, type Lots, lotTickUnits, ticksPerUnit } from './quantity.js';
import { assert } from './rejection.js';
/** Lots by which one leg of a pair is behind the other. */
export interface HedgeDeficit {
  readonly leg: LegIndex;
  /** Lots that the leg should have filled: h · filled of the other leg. h is the ratio of the quantities. */
  readonly wanted: Lots;
  /** Above 0. */
  readonly lots: Lots;
}

/**
 * Returns the leg that is behind and its deficit, or null. Whole lots of the total are wanted, so a part of a lot is
 * carried to the next fill. A leading leg is never behind.
 */
export function hedgeDeficit({ order, legs }: ParentState): HedgeDeficit | null {
  const { pair } = order;
  if (pair === null) return null;
  const [leading, hedging] = [pair.leadingIndex, hedgingIndexOf(pair)];
  const [lead, other] = [legAt(legs, leading).progress.filled, legAt(legs, hedging).progress.filled];
  const [ofLead, ofOther] = [legAt(order.legs, leading).quantity, legAt(order.legs, hedging).quantity];
  const wanted = scaled(lead, ofLead, ofOther);
  if (wanted > other) return { leg: hedging, wanted, lots: (wanted - other) as Lots };
  const wantedLead = pair.isLed ? (0 as Lots) : scaled(other, ofOther, ofLead);
  return wantedLead > lead ? { leg: leading, wanted: wantedLead, lots: (wantedLead - lead) as Lots } : null;
}

/** Converts lots of the hedging leg to whole lots of the leading leg, by the ratio of their quantities. */
export function inLeadLots({ legs, pair }: ParentOrder, lots: number): Lots {
  if (pair === null) return 0 as Lots;
  const [leading, hedging] = [legAt(legs, pair.leadingIndex), legAt(legs, hedgingIndexOf(pair))];
  return scaledDown(lots, hedging.quantity, leading.quantity) as Lots;
}

/** Converts the filled lots of one leg to wanted lots of the other. The maximum is `whole`. */
export function scaled(done: number, ofWhole: number, whole: number): Lots {
  return (done >= ofWhole ? whole : scaledDown(done, ofWhole, whole)) as Lots;
}

function scaledDown(done: number, ofWhole: number, whole: number): number {
  return Number((BigInt(whole) * BigInt(done)) / BigInt(ofWhole));
}

/** Decimals of a converted value. */
const CONVERTED_PRECISION = 8;
const RATE_PRECISION = 12;

/**
 * Filled value of the leading leg of a pair minus that of the hedging leg: decimal text in the leading leg's quote
 * currency. `rate`: value of one unit of the hedging leg's quote currency in it. Exact for equal quote currencies, else
 * at this rate with 8 decimals.
 */
export function mishedge({ legs, pair }: ParentOrder, fills: PerLeg<Progress>, rate: number): string {
  assert(pair !== null, 'the order is a pair');
  const [leading, hedging] = [pair.leadingIndex, hedgingIndexOf(pair)];
  const [led, followed] = [legAt(fills, leading), legAt(fills, hedging)];
  const [leadPrecision, otherPrecision] = [precisionOf(legAt(legs, leading)), precisionOf(legAt(legs, hedging))];
  // In units of the precisions.
  const leadValue = led.notional * lotTickUnits(legAt(legs, leading));
  const otherValue = followed.notional * lotTickUnits(legAt(legs, hedging));
  if (rate === 1) {
    const precision = Math.max(leadPrecision, otherPrecision);
    const value = scale(leadValue, precision - leadPrecision) - scale(otherValue, precision - otherPrecision);
    return formatSteps(value, precision);
  }
  const steps = BigInt(Math.round(rate * 10 ** RATE_PRECISION));
  const precision = leadPrecision + otherPrecision + RATE_PRECISION;
  const exact =
    scale(leadValue, precision - leadPrecision) -
    scale(otherValue * steps, precision - otherPrecision - RATE_PRECISION);
  return formatSteps(
    exact / 10n ** BigInt(Math.max(0, precision - CONVERTED_PRECISION)),
    Math.min(precision, CONVERTED_PRECISION),
  );
}

function precisionOf({ quantityPrecision, pricePrecision }: Leg): number {
  return quantityPrecision + pricePrecision;
}

function scale(value: bigint, digits: number): bigint {
  return value * 10n ** BigInt(digits);
}

/** A market that converts one currency to another. Inverse: it converts the other way. */
export interface QuoteStep {
  readonly instrument: Instrument;
  readonly isInverse: boolean;
}

/**
 * Returns the markets that convert the hedging leg's quote currency to the leading leg's. Empty: the currencies are
 * equal. Legs of one base use their own markets. Else it is one market of both currencies, or two markets of one base,
 * first at the venues of the legs. null: there are no such markets.
 */
export function quotePath(
  catalogue: InstrumentCatalogue,
  lead: Instrument,
  hedging: Instrument,
): readonly QuoteStep[] | null {
  const [from, to] = [hedging.quote, lead.quote];
  if (from === to) return [];
  if (lead.base === hedging.base) return through(lead, hedging);
  const spots = spotsNearFirst(catalogue, [lead.venue, hedging.venue]);
  const direct = spots.find(({ base, quote }) => base === from && quote === to);
  if (direct !== undefined) return [{ instrument: direct, isInverse: false }];
  const inverse = spots.find(({ base, quote }) => base === to && quote === from);
  if (inverse !== undefined) return [{ instrument: inverse, isInverse: true }];
  for (const one of spots) {
    const other = one.quote === to ? spots.find(({ base, quote }) => base === one.base && quote === from) : undefined;
    if (other !== undefined) return through(one, other);
  }
  return null;
}

function through(inTo: Instrument, inFrom: Instrument): readonly QuoteStep[] {
  return [
    { instrument: inTo, isInverse: false },
    { instrument: inFrom, isInverse: true },
  ];
}

function spotsNearFirst({ instruments }: InstrumentCatalogue, venues: readonly Instrument['venue'][]): Instrument[] {
  const spots = instruments.filter(({ assetCategory }) => assetCategory === 'SPOT');
  return venues.flatMap((near) => spots.filter(({ venue }) => venue === near)).concat(spots);
}

/** Returns the product of the mids along the path. `twiceMidOf`: twice the mid in ticks. null: a mid is unknown. */
export function quoteRate(
  path: readonly QuoteStep[],
  twiceMidOf: (instrument: Instrument) => number | null,
): number | null {
  let rate = 1;
  for (const { instrument, isInverse } of path) {
    const twiceMid = twiceMidOf(instrument);
    if (twiceMid === null) return null;
    const price = twiceMid / 2 / ticksPerUnit(instrument);
    rate = isInverse ? rate / price : rate * price;
  }
  return rate;
}
