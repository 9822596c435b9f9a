import type { Instrument } from '../model/instrument.js';
import type { MarketCondition } from '../model/market.js';
import type { Actor } from './actor.js';

const NO_CONDITIONS: readonly MarketCondition[] = [];

/** A place at one instrument's market that an order has: what it waits for there, and whether it keeps it awake. */
export abstract class Seat {
  readonly instrument: Instrument;
  conditions: readonly MarketCondition[] = NO_CONDITIONS;
  /** Grows whenever the conditions change, so that older entries in the interest heaps are known to be dead. */
  conditionsVersion = 0;
  keepsMarketAwake = false;
  abstract readonly owner: Actor;

  constructor(instrument: Instrument) {
    this.instrument = instrument;
  }
}

/** Where a pair's other leg trades, or what tells one of its quote currencies in the other. */
export class FurtherSeat extends Seat {
  readonly owner: Actor;

  constructor(owner: Actor, instrument: Instrument) {
    super(instrument);
    this.owner = owner;
  }
}
