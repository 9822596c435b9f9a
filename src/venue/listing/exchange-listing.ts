import type { SelfTradePreventions } from '../../model/self-trade-prevention.js';
import type { DurationMs } from '../../model/time.js';
import type { PriceBands } from './price-band.js';
import type { TradingRule } from './trading-rule.js';

/** Fee rates in units of 10^-6 of the notional. */
export interface FeeRates {
  readonly makerPpm: number;
  readonly takerPpm: number;
}

/** What an exchange asks and charges for one kind of instrument. */
export interface ProductListing {
  readonly fees: FeeRates;
  readonly bands: PriceBands;
  /** By symbol: instruments with other bands than the rest. */
  readonly ownBands?: Readonly<Record<string, PriceBands>>;
  readonly isPostOnlyOffered: boolean;
  readonly rules: readonly TradingRule[];
}

/** What any of the 18 exchanges publishes. */
export interface ExchangeListing {
  /**
   * As its public interface offers them, by our names; one that says nothing is taken to end the newcomer.
   * EXPIRE_TAKER comes first where it is offered: a resting order has earned its place in the queue, often for another
   * parent's schedule, while a newcomer that crosses loses nothing but this attempt.
   */
  readonly selfTradePreventions: SelfTradePreventions;
  /** null: it offers none. */
  readonly spot: ProductListing | null;
  readonly perpetual: ProductListing | null;
}

/** Time on the way, lognormal: the median in microseconds, sigma the standard deviation of its natural logarithm. */
export interface Delay {
  readonly medianUs: number;
  readonly sigma: number;
}

/** What a client in the same region as most venues sees. Plausible figures, not measured ones. */
export interface LatencyProfile {
  /** From the book's change to our knowing of it. */
  readonly feed: Delay;
  /** From our sending to the venue's matching. */
  readonly entry: Delay;
  /** From the venue's matching to our knowing of it. */
  readonly response: Delay;
}

/** So many requests within any span of time. */
export interface RequestRate {
  readonly count: number;
  readonly perMs: DurationMs;
}

export interface Capabilities {
  readonly isAmendOffered: boolean;
  /** A long and a short position side by side in one perpetual. */
  readonly isHedgeModeOffered: boolean;
  /** Highest leverage of any perpetual. */
  readonly leverageMax: number;
}

/** One of the 15 exchanges that are simulated as venues. */
export interface VenueListing extends ExchangeListing {
  readonly spot: ProductListing;
  readonly perpetual: ProductListing;
  readonly capabilities: Capabilities;
  readonly latency: LatencyProfile;
  /**
   * What it takes of one account, as it publishes the tightest bound on orders of its products. Cancels and questions,
   * which some count apart, are counted with them. 10 a second where nothing is published that holds for everybody.
   */
  readonly requestRate: RequestRate;
  /** Liquidity relative to the deepest venue, in (0, 1]. */
  readonly weight: number;
  /** Its prices against the fair price, in basis points. */
  readonly priceOffsetBps: number;
}

/** A rate, as exchanges write it: requests in seconds. */
export function requestsIn(seconds: number, count: number): RequestRate {
  return { count, perMs: (seconds * 1_000) as DurationMs };
}
