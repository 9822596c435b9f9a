import type { Amount } from './quantity.js';
import { assert } from './rejection.js';
import type { DurationMs } from './time.js';

export const MULTI_LEGS_ALGOS = ['PAIR'] as const;

/** Place of a leg in its order, in the order of the request. An order of one leg has leg 0. */
export type LegIndex = 0 | 1;

/** A value for each leg of an order, in the order of the request. */
export type PerLeg<T> = readonly [T] | readonly [T, T];

/** Value of a leg. Throws InvariantViolation when the order has no such leg. */
export function legAt<T>(legs: PerLeg<T>, leg: LegIndex): T {
  const found: T | undefined = leg === 0 ? legs[0] : legs[1];
  assert(found !== undefined, 'the order has this leg');
  return found;
}

/** Returns the values with another one for the leg. */
export function withLeg<T>(legs: PerLeg<T>, leg: LegIndex, value: T): PerLeg<T> {
  if (legs.length === 1) return [value];
  return leg === 0 ? [value, legs[1]] : [legs[0], value];
}

export function mapLegs<T, U>(legs: readonly [T, T], of: (value: T, leg: LegIndex) => U): readonly [U, U];
export function mapLegs<T, U>(legs: PerLeg<T>, of: (value: T, leg: LegIndex) => U): PerLeg<U>;
export function mapLegs<T, U>(legs: PerLeg<T>, of: (value: T, leg: LegIndex) => U): PerLeg<U> {
  return legs.length === 1 ? [of(legs[0], 0)] : [of(legs[0], 0), of(legs[1], 1)];
}

/** Terms that bind the two legs of a pair. */
export interface Pair {
  /** The leg that its strategy works. The other leg hedges its fills. */
  readonly leadingIndex: LegIndex;
  /** False when neither leg leads: each leg has its own strategy. Answers show the leg of `leadingIndex`. */
  readonly isLed: boolean;
  /** In quote currency of the leading leg; null: twice its clip. */
  readonly maxUnhedgedValue: Amount | null;
  readonly maxUnhedgedMs: DurationMs;
  readonly hedgeSlippageBps: number;
  /** The params of the order that streams echo: canonical JSON; '' when there is none. The legs have their own echo. */
  readonly requestEcho: string;
}

/** The other leg of a pair. */
export function otherLeg(leg: LegIndex): LegIndex {
  return leg === 0 ? 1 : 0;
}

/** Index of the leg that hedges the leading leg. */
export function hedgingIndexOf({ leadingIndex }: Pair): LegIndex {
  return otherLeg(leadingIndex);
}
