import type { Depth } from '../model/depth.js';
import type { StrategyView, VolumeProfile } from '../model/intent.js';
import type { Instrument } from '../model/instrument.js';
import type { Market } from '../model/market.js';
import type { ParentOrder } from '../model/order.js';
import { ZERO_LOTS } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';
import { newState } from '../model/untraded.js';

/** An order that does not exist yet, and the market that it would come into. */
export interface PreviewedOrder {
  readonly order: ParentOrder;
  readonly instrument: Instrument;
  /** With two sides. */
  readonly market: Market;
  /** null: the book is not shown. */
  readonly depth: Depth | null;
  /** null: too little of the instrument's history is known. */
  readonly profile: VolumeProfile | null;
  readonly nowMs: EpochMs;
}

/** What is left to chance comes out as it does on average. */
const usual = (): number => 0.5;

/** What its strategy would see when the order first may trade: the market as it is now, at the time it starts. */
export function viewOfStart({ order, instrument, market, depth, profile, nowMs }: PreviewedOrder): StrategyView {
  const startMs = Math.max(nowMs, order.startAtMs) as EpochMs;
  return {
    state: {
      ...newState(order),
      status: 'ACCEPTED',
      arrivalTwiceMid: market.bid + market.ask,
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
