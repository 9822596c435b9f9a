import type { Instrument } from '../domain/instrument.js';
import type { StrategyView, VolumeProfile } from '../domain/intent.js';
import type { Depth, Market } from '../domain/market.js';
import { newState } from '../domain/order-state.js';
import type { Ladder, Leg, ParentOrder } from '../domain/order.js';
import { type Ticks, ZERO_LOTS } from '../domain/quantity.js';
import type { EpochMs } from '../domain/time.js';
import { farTouch, isAsAggressive } from '../strategy/placement/child.js';
import { rungsOf } from '../strategy/scale.js';
import {
  MAKER_PART_OF_CLIPS_AT_LIMIT,
  MAKER_SHARE_OF_CLIPS,
  MAKER_SHARE_ON_SCHEDULE,
  MAKER_SHARE_WITH_VOLUME,
  RISK_OF_SCHEDULE,
  RISK_WITH_VOLUME,
} from './preview-fit.js';

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
  /** Follows the market. `makerShare` of the fills is maker; `risk` scales the exposure of the slices. */
  | { readonly kind: 'follow'; readonly makerShare: number; readonly risk: number };

const SWEEP: FillMode = { kind: 'sweep' };

/** Returns how a leg fills. With a limit price that the market has not reached, any strategy rests at the limit. */
export function fillModeOf(leg: Leg, instrument: Instrument, market: Market): FillMode {
  const { strategy, ladder, limitPrice, style, side } = leg;
  if (ladder !== null) return { kind: 'rest', rests: restsOf(leg, ladder, instrument), makerPart: 1 };
  const isReached = limitPrice === null || isAsAggressive(side, limitPrice, farTouch(side, market));
  if (isReached && (strategy === 'MARKET' || strategy === 'LIMIT')) return SWEEP;
  const restsAtLimit = limitPrice !== null && (strategy === 'ICEBERG' || !isReached);
  if (restsAtLimit) {
    const makerPart = strategy === 'ICEBERG' ? MAKER_PART_OF_CLIPS_AT_LIMIT : 1;
    return { kind: 'rest', rests: [{ price: limitPrice, share: 1 }], makerPart };
  }
  switch (strategy) {
    case 'POV':
      return { kind: 'follow', makerShare: MAKER_SHARE_WITH_VOLUME[style], risk: RISK_WITH_VOLUME };
    case 'ICEBERG':
      return { kind: 'follow', makerShare: MAKER_SHARE_OF_CLIPS[style], risk: RISK_OF_SCHEDULE };
    case 'TWAP':
    case 'VWAP':
    case 'IS':
    case 'SCALE':
    case 'MARKET':
    case 'LIMIT':
      return { kind: 'follow', makerShare: MAKER_SHARE_ON_SCHEDULE[style], risk: RISK_OF_SCHEDULE };
  }
}

function restsOf(leg: Leg, ladder: Ladder, instrument: Instrument): Rest[] {
  return rungsOf(leg, ladder, instrument).map(({ price, quantity }) => ({ price, share: quantity / leg.quantity }));
}
