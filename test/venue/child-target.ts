import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { ChildRef, ChildTarget } from '../../src/domain/venue-message.js';

/** Names a child in a request. The simulated exchanges need only its client id. */
export function targetOf({ account, venue, orderId, child, ...given }: ChildRef & Partial<ChildTarget>): ChildTarget {
  const { instrument = 0 as InstrumentIndex, submittedAtMs = 1_800_000_000_000 as EpochMs } = given;
  return { account, venue, orderId, child, instrument, submittedAtMs, venueOrderId: given.venueOrderId ?? null };
}
