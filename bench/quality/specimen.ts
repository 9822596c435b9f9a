import { scheduleOf, type SchedulePoint } from '../../src/analytics/schedule-deviation.js';
import type { Liquidity } from '../../src/model/order.js';
import type { OrderRun } from '../../src/replay/order-run.js';
import type { EpochMs } from '../../src/model/time.js';

/** One order as a picture shows it: seconds from its start, prices in quote units, quantities as parts of the whole. */
export interface Specimen {
  readonly arena: string;
  readonly policy: string;
  readonly mids: readonly (readonly [seconds: number, price: number])[];
  readonly fills: readonly SpecimenFill[];
  /** What was to be done by when; null for a strategy without a schedule. */
  readonly schedule: readonly (readonly [seconds: number, share: number])[] | null;
}

export interface SpecimenFill {
  readonly seconds: number;
  readonly price: number;
  /** Done with it, of the whole. */
  readonly done: number;
  readonly liquidity: Liquidity;
}

const POINTS_COUNT = 400;

export function specimenOf(arena: string, policy: string, { state, execution, market }: OrderRun): Specimen {
  const { startMs, quantity, fills } = execution;
  const { order } = state;
  const endMs = Math.max(order.endAtMs ?? execution.endMs, execution.endMs);
  const secondsOf = (atMs: number): number => (atMs - startMs) / 1_000;
  const priceOf = (ticks: number): number => ticks / 10 ** order.pricePrecision;
  const instants = Array.from(
    { length: POINTS_COUNT + 1 },
    (_, point) => startMs + ((endMs - startMs) * point) / POINTS_COUNT,
  );
  let filled = 0;
  return {
    arena,
    policy,
    mids: instants.map((atMs) => [secondsOf(atMs), priceOf(market.mids.at(atMs) ?? execution.arrivalMid)]),
    fills: fills.map((fill) => {
      filled += fill.quantity;
      const { atMs, price, liquidity } = fill;
      return { seconds: secondsOf(atMs), price: priceOf(price), done: filled / quantity, liquidity };
    }),
    schedule: pointsOf(scheduleOf(order, startMs), startMs),
  };
}

function pointsOf(schedule: readonly SchedulePoint[] | null, startMs: EpochMs): Specimen['schedule'] {
  return schedule?.map(({ atMs, share }) => [(atMs - startMs) / 1_000, share] as const) ?? null;
}
