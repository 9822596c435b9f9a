import type { Instrument } from '../model/instrument.js';
import type { LiveChild, ParentState } from '../model/order.js';
import { NO_CHILDREN } from '../model/untraded.js';
import { Seat } from './seat.js';

/** One open parent order inside its shard: its state, its place at its market, and when it wants to be woken. */
export class Actor extends Seat {
  state: ParentState;
  /** Service time of the next wake; Infinity when only reports, commands or the market wake it. */
  wakeAtMs = Infinity;
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
    super(instrument);
    this.state = state;
  }

  get owner(): Actor {
    return this;
  }
}
