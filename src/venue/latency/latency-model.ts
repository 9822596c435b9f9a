import { assert } from '../../model/assert.js';
import { LATENCY_US_MAX } from '../../model/limits.js';
import type { Delay, LatencyProfile } from '../listing/index.js';
import type { Random } from '../prng.js';

/** How long messages are on their way, in whole microseconds of service time, at most LATENCY_US_MAX. */
export type LatencyModel =
  | { readonly kind: 'constant'; readonly delayUs: number }
  /** sigma: standard deviation of the natural logarithm, 0 or more. */
  | { readonly kind: 'lognormal'; readonly medianUs: number; readonly sigma: number }
  /** What was measured, one sample a message in the order of the record, and again from its beginning. */
  | { readonly kind: 'recorded'; readonly samplesUs: readonly number[] };

/** The three ways of a venue's messages. */
export interface VenueLatency {
  /** From the venue's book and tape to us. */
  readonly feed: LatencyModel;
  /** From us to the venue's matching. */
  readonly entry: LatencyModel;
  /** From the venue's matching to us. */
  readonly response: LatencyModel;
}

/** The lognormal ways of a listed exchange. */
export function latencyOf({ feed, entry, response }: LatencyProfile): VenueLatency {
  return { feed: lognormal(feed), entry: lognormal(entry), response: lognormal(response) };
}

/** How long message `index`, counted from 0, is under way. */
export function delayUs(model: LatencyModel, index: number, random: Random): number {
  switch (model.kind) {
    case 'constant':
      return bounded(model.delayUs);
    case 'lognormal':
      return bounded(model.medianUs * Math.exp(model.sigma * random.normal()));
    case 'recorded': {
      const { samplesUs } = model;
      const sample = samplesUs[index % samplesUs.length];
      assert(sample !== undefined, 'a record of latencies has at least one sample');
      return bounded(sample);
    }
    default:
      return model satisfies never;
  }
}

function lognormal({ medianUs, sigma }: Delay): LatencyModel {
  return { kind: 'lognormal', medianUs, sigma };
}

/** A lognormal tail has no end of its own. */
function bounded(us: number): number {
  return Math.min(LATENCY_US_MAX, Math.max(0, Math.round(us)));
}
