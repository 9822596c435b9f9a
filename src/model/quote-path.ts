import type { Instrument, InstrumentCatalogue } from './instrument.js';

/** A market that tells one currency in another; inverse: it is told in the first. */
export interface QuoteStep {
  readonly instrument: Instrument;
  readonly isInverse: boolean;
}

/**
 * The markets whose prices make a unit of the follower's quote currency one of the leader's: none when they are the same;
 * the legs' own when they trade the same base; else one market of the two currencies, or two of something quoted in
 * either, at the venue of a leg where there is one. null: there are none.
 */
export function quotePath(
  catalogue: InstrumentCatalogue,
  lead: Instrument,
  follower: Instrument,
): readonly QuoteStep[] | null {
  const [from, to] = [follower.quote, lead.quote];
  if (from === to) return [];
  if (lead.base === follower.base) return through(lead, follower);
  const spots = spotsNearFirst(catalogue, [lead.venue, follower.venue]);
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

/** What a unit is worth by the steps' prices, each told as twice the mid in ticks; null while one of them is not known. */
export function quoteRate(
  path: readonly QuoteStep[],
  twiceMidOf: (instrument: Instrument) => number | null,
): number | null {
  let rate = 1;
  for (const { instrument, isInverse } of path) {
    const twiceMid = twiceMidOf(instrument);
    if (twiceMid === null) return null;
    const price = twiceMid / 2 / 10 ** instrument.pricePrecision;
    rate = isInverse ? rate / price : rate * price;
  }
  return rate;
}
