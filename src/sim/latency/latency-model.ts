import { LATENCY_US_MAX } from '../../domain/limits/trading.js';
import { assert } from '../../domain/rejection.js';
import type { Random } from '../prng.js';
import type { Delay, LatencyProfile } from '../../venue/listing/exchange-listing.js';

/** Delay of messages in whole microseconds of service time, at most LATENCY_US_MAX. */
export type LatencyModel =
  | { readonly kind: 'constant'; readonly delayUs: number }
  /** sigma: standard deviation of the natural logarithm, 0 or more. */
  | { readonly kind: 'lognormal'; readonly medianUs: number; readonly sigma: number }
  /** Measured samples, one a message in recorded order, repeated from the start. */
  | { readonly kind: 'recorded'; readonly samplesUs: readonly number[] };

/** Delays of a venue's messages in each direction. */
export interface VenueLatency {
  /** From the venue's book and trades to this side. */
  readonly feed: LatencyModel;
  /** From this side to the venue's matching. */
  readonly entry: LatencyModel;
  /** From the venue's matching to this side. */
  readonly response: LatencyModel;
}

/** The lognormal delays of a listed exchange. */
export function latencyOf({ feed, entry, response }: LatencyProfile): VenueLatency {
  return { feed: lognormal(feed), entry: lognormal(entry), response: lognormal(response) };
}

/** Delay of message `index`, counted from 0. */
function delayUs(model: LatencyModel, index: number, random: Random): number {
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

/** Bounds the delay: a lognormal tail is unlimited. */
function bounded(us: number): number {
  return Math.min(LATENCY_US_MAX, Math.max(0, Math.round(us)));
}

/** One direction of one connection. Each message has its own delay, and none overtakes the one before it. */
export class DelayLine {
  readonly #model: LatencyModel;
  readonly #random: Random;
  #messageCount = 0;
  #lastArrivalUs = 0;

  constructor(model: LatencyModel, random: Random) {
    this.#model = model;
    this.#random = random;
  }

  /** Sends one message; returns its arrival time in microseconds of the same clock. */
  arrivalUs(sentUs: number): number {
    const ownUs = sentUs + delayUs(this.#model, this.#messageCount, this.#random);
    this.#messageCount += 1;
    this.#lastArrivalUs = Math.max(this.#lastArrivalUs, ownUs);
    return this.#lastArrivalUs;
  }
}

/** A queue ordered by time; items of the same time keep their order of insertion. */
export class Timeline<Item> {
  readonly #times: number[] = [];
  readonly #items: Item[] = [];

  get count(): number {
    return this.#items.length;
  }

  /** Time of the earliest item; Infinity when there is none. */
  get earliest(): number {
    return this.#times[0] ?? Infinity;
  }

  add(time: number, item: Item): void {
    const index = this.#countUpTo(time);
    this.#times.splice(index, 0, time);
    this.#items.splice(index, 0, item);
  }

  /** Removes the items due up to `time`, and the earliest items beyond `keptMax` at any time. */
  takeUpTo(time: number, keptMax = Infinity): readonly Item[] {
    if (this.earliest > time && this.#items.length <= keptMax) return [];
    const count = Math.max(this.#countUpTo(time), this.#items.length - keptMax);
    this.#times.splice(0, count);
    return this.#items.splice(0, count);
  }

  #countUpTo(time: number): number {
    let [from, to] = [0, this.#times.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#times[middle] as number) <= time) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
