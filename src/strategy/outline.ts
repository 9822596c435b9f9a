import type { Lots } from '../domain/quantity.js';
import type { EpochMs } from '../domain/time.js';
/** A part of an order and the time at which it is worked. */
export interface OutlinedSlice {
  readonly atMs: EpochMs;
  /** Above 0. */
  readonly quantity: Lots;
}

/** The plan of an order at its beginning: slices, number of children and end. */
export interface Outline {
  /** In order of time. The quantities add up to the rest of the order. */
  readonly slices: readonly OutlinedSlice[];
  /** The number of children when each is filled as it is placed. */
  readonly childCount: number;
  /** Planned end; null: the order works until it is filled. */
  readonly endMs: EpochMs | null;
}

/** The planned progress of an order, before it is cut into slices. */
export interface Course {
  readonly startMs: EpochMs;
  /** Time between two steps, in ms. */
  readonly stepMs: number;
  /** At least 1. */
  readonly stepCount: number;
  /** Cumulative quantity after a number of steps: 0 at 0, the whole at the last step, never decreasing. */
  readonly after: (steps: number) => Lots;
}

/** Cuts a course into at most `pointsMax` slices. Groups of steps become one slice, at the time of their first step. */
export function slicesOf({ startMs, stepMs, stepCount, after }: Course, pointsMax: number): OutlinedSlice[] {
  const group = Math.ceil(stepCount / pointsMax);
  const slices: OutlinedSlice[] = [];
  let done = 0;
  for (let from = 0; from < stepCount; from += group) {
    const until = after(Math.min(stepCount, from + group));
    if (until > done)
      slices.push({ atMs: Math.round(startMs + from * stepMs) as EpochMs, quantity: (until - done) as Lots });
    done = until;
  }
  return slices;
}
