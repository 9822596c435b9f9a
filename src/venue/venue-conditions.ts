import type { InstrumentCatalogue } from '../model/instrument.js';
import type { EpochMs } from '../model/time.js';
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
}

export interface ConditionedVenuesParts extends VenueConditions {
  readonly open: (nowMs: EpochMs) => VenueGateway;
  readonly catalogue: InstrumentCatalogue;
  readonly seed: number;
  readonly startMs: EpochMs;
  /** Who is told when a venue cannot be reached: every shard. */
  readonly listeners: readonly number[];
}

/** Opens venues under conditions. What fails, fails at the venue, and takes its time from there. */
export function openVenues({ faultScript, distance, ...parts }: ConditionedVenuesParts): VenueGateway {
  const { open, startMs } = parts;
  const rules = parseFaultScript(faultScript);
  const gateway = rules.length === 0 ? open(startMs) : new FaultyVenues({ ...parts, rules });
  if (distance === 'none') return gateway;
  return new LatentVenues({ ...parts, gateway, latencyOf: (venue) => latencyOf(VENUE_LISTINGS[venue].latency) });
}
