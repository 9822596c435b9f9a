import type { Instrument } from '../model/instrument.js';
import type { MarketCondition } from '../model/market.js';
import type { ParentState } from '../model/order.js';

const NO_CONDITIONS: readonly MarketCondition[] = [];

/** One open parent order inside its shard: its state, and when it wants to be woken. */
export class Actor {
  readonly instrument: Instrument;
  state: ParentState;
  /** Service time of the next wake; Infinity when only reports, commands or the market wake it. */
  wakeAtMs = Infinity;
  conditions: readonly MarketCondition[] = NO_CONDITIONS;
  /** Grows whenever the conditions change, so that older entries in the interest heaps are known to be dead. */
  conditionsVersion = 0;
  keepsMarketAwake = false;
  /** Listed for the pump of this turn. */
  isDue = false;
  /** Its state changed in this turn and is to be stored. */
  isTouched = false;
  /** Index within the turn's events of its first one. */
  firstEventOfTurn = 0;

  constructor(state: ParentState, instrument: Instrument) {
    this.state = state;
    this.instrument = instrument;
  }
}
