import type { Instrument } from '../model/instrument.js';
import type { MarketCondition } from '../model/market.js';
import type { LiveChild, ParentState } from '../model/order.js';
import { NO_CHILDREN } from '../order/children.js';

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
  /** Service time at which its children are reviewed for silence; Infinity when there is nothing to wait for. */
  reviewAtMs = Infinity;
  /** Its children when that time was set, and when that was. */
  seenChildren: readonly LiveChild[] = NO_CHILDREN;
  seenAtMs = 0;
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
