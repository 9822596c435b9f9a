import type { Lots } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';

/** A part of an order, and when it is to be worked. */
export interface OutlinedSlice {
  readonly atMs: EpochMs;
  /** Above 0. */
  readonly quantity: Lots;
}

/** What an order is going to do if nothing unforeseen comes, as its strategy plans it when it begins. */
export interface Outline {
  /** In order of time; together what is left of the order. */
  readonly slices: readonly OutlinedSlice[];
  /** How many children that makes when each is filled as it is placed. */
  readonly childCount: number;
  /** When it is to be done; null: whenever it is filled. */
  readonly endMs: EpochMs | null;
}

/** A course of work before it is cut into points. */
export interface Course {
  readonly startMs: EpochMs;
  /** Time between two steps, in ms. */
  readonly stepMs: number;
  /** At least 1. */
  readonly stepCount: number;
  /** Cumulative quantity after so many steps: 0 at 0, the whole at the last, never falling. */
  readonly after: (steps: number) => Lots;
}

/** The steps as slices, in groups when there are more than `pointsMax` of them; what a group has begins with its first. */
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
