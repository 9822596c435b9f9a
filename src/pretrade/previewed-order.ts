import type { Instrument } from '../domain/instrument.js';
import type { StrategyView, VolumeProfile } from '../domain/intent.js';
import type { Depth, Market } from '../domain/market.js';
import { newState } from '../domain/order-state.js';
import type { Ladder, Leg, ParentOrder } from '../domain/order.js';
import { type Ticks, ZERO_LOTS } from '../domain/quantity.js';
import type { EpochMs } from '../domain/time.js';
import { farTouch, isAsAggressive } from '../strategy/placement/child.js';
import { rungsOf } from '../strategy/scale.js';
import { flatProfile, type SeenVolume } from './seen-volume.js';
import { MAKER_PART_OF_CLIPS_AT_LIMIT, RISK_OF_SCHEDULE, RISK_WITH_VOLUME } from './preview-fit.js';

/** An order of one leg that has not been placed, and its market. */
export interface PreviewedOrder {
  readonly order: ParentOrder;
  readonly instrument: Instrument;
  /** Has a bid and an ask. */
  readonly market: Market;
  /** null: the depth is unknown. */
  readonly depth: Depth | null;
  /** null: the instrument's history is too short. */
  readonly profile: VolumeProfile | null;
  /** Volume seen so far, for an instrument without a profile; null or absent: none. */
  readonly seen?: SeenVolume | null;
  readonly nowMs: EpochMs;
}

/** Constant random number: the mean, for the average outcome. */
const usual = (): number => 0.5;

/** Returns the strategy's view when the order may first trade: the present market at the order's start time. */
export function viewOfStart({ order, instrument, market, depth, profile, nowMs }: PreviewedOrder): StrategyView {
  const unstarted = newState(order);
  const startMs = Math.max(nowMs, order.startAtMs) as EpochMs;
  return {
    state: {
      ...unstarted,
      status: 'ACCEPTED',
      legs: [{ ...unstarted.legs[0], arrivalTwiceMid: market.bid + market.ask }],
      startedAtMs: startMs,
      plannedAtMs: startMs,
    },
    instrument,
    working: ZERO_LOTS,
    market,
    nowMs: startMs,
    ...(depth !== null && { depth }),
    ...(profile !== null && { profile }),
    random: usual,
  };
}

/** Returns the expected volume: the profile, or else a flat day at the pace seen so far; null: unknown. */
export function volumeOf({ profile, seen }: PreviewedOrder): VolumeProfile | null {
  return profile ?? (seen ? flatProfile(seen) : null);
}

/** A price at which a part of an order rests. */
interface Rest {
  readonly price: Ticks;
  /** Fraction of the order's quantity. */
  readonly share: number;
}

/** The way in which an order fills, as far as its cost depends on it. */
export type FillMode =
  /** Takes from the book at once. */
  | { readonly kind: 'sweep' }
  /** Rests at its own prices until the market reaches them. `makerPart` of these fills is maker. */
  | { readonly kind: 'rest'; readonly rests: readonly Rest[]; readonly makerPart: number }
  /** Follows the market. `risk` scales the exposure of the slices. */
  | { readonly kind: 'follow'; readonly risk: number };

const SWEEP: FillMode = { kind: 'sweep' };

/** Returns how a leg fills. With a limit price that the market has not reached, any strategy rests at the limit. */
export function fillModeOf(leg: Leg, instrument: Instrument, market: Market): FillMode {
  const { strategy, ladder, limitPrice, side } = leg;
  if (ladder !== null) return { kind: 'rest', rests: restsOf(leg, ladder, instrument), makerPart: 1 };
  const isReached = limitPrice === null || isAsAggressive(side, limitPrice, farTouch(side, market));
  if (isReached && (strategy === 'MARKET' || strategy === 'LIMIT')) return SWEEP;
  const restsAtLimit = limitPrice !== null && (strategy === 'ICEBERG' || !isReached);
  if (restsAtLimit) {
    const makerPart = strategy === 'ICEBERG' ? MAKER_PART_OF_CLIPS_AT_LIMIT : 1;
    return { kind: 'rest', rests: [{ price: limitPrice, share: 1 }], makerPart };
  }
  return { kind: 'follow', risk: strategy === 'POV' ? RISK_WITH_VOLUME : RISK_OF_SCHEDULE };
}

function restsOf(leg: Leg, ladder: Ladder, instrument: Instrument): Rest[] {
  return rungsOf(leg, ladder, instrument).map(({ price, quantity }) => ({ price, share: quantity / leg.quantity }));
}
