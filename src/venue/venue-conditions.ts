import type { InstrumentCatalogue } from '../model/instrument.js';
import type { EpochMs } from '../model/time.js';
import { BudgetedVenues, type VenueRates } from './budget/index.js';
import { FaultyVenues, parseFaultScript } from './faults/index.js';
import { latencyOf, LatentVenues } from './latency/index.js';
import { VENUE_LISTINGS } from './listing/index.js';
import type { VenueGateway } from './port.js';

/** How far away simulated venues are: at no distance, or as far as each of them is listed to be. */
export type VenueDistance = 'none' | 'profile';

/** What the venues have to cope with. */
export interface VenueConditions {
  /** A fault script that parses; empty: nothing fails. */
  readonly faultScript: string;
  readonly distance: VenueDistance;
  /** What each takes of one account. */
  readonly rates: VenueRates;
}

export interface ConditionedVenuesParts extends VenueConditions {
  readonly open: (nowMs: EpochMs) => VenueGateway;
  readonly catalogue: InstrumentCatalogue;
  readonly seed: number;
  readonly startMs: EpochMs;
  /** Who is told when a venue cannot be reached: every shard. */
  readonly listeners: readonly number[];
  /** Memory for what is counted of the requests. */
  readonly budgetFigures: SharedArrayBuffer;
}

/**
 * Opens venues under conditions. What fails, fails at the venue, and takes its time from there; what waits for its turn
 * waits on our side.
 */
export function openVenues(parts: ConditionedVenuesParts): VenueGateway {
  const { rates, budgetFigures: figures } = parts;
  const gateway = distantVenues(parts);
  const isUnbounded = Object.values(rates).every((rate) => rate === null);
  return isUnbounded ? gateway : new BudgetedVenues({ gateway, rates, figures });
}

function distantVenues({ faultScript, distance, ...parts }: ConditionedVenuesParts): VenueGateway {
  const { open, startMs } = parts;
  const rules = parseFaultScript(faultScript);
  const gateway = rules.length === 0 ? open(startMs) : new FaultyVenues({ ...parts, rules });
  if (distance === 'none') return gateway;
  return new LatentVenues({ ...parts, gateway, latencyOf: (venue) => latencyOf(VENUE_LISTINGS[venue].latency) });
}
