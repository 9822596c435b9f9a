import { type ParentState, wantedTerms } from '../../src/domain/order-state.js';
import { type ParentOrder, TRADING_STYLES, URGENCIES, type Leg } from '../../src/domain/order.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { OrderRig } from '../order/order-rig.js';
import { START_MS } from '../order/orders.js';
import type { Chance } from '../simulation/chance.js';
import { gatesOf, near, placementOf } from './trial-orders.js';
import { type FlatTerms, withTerms } from '../domain/plain-order.js';

/** Mean number of events between two requests of the client. */
const PATIENCE_COUNT = 8;
/** Latest end time that the client asks for. */
const LATEST_MS = START_MS + 1_900_000;

/** A client that pauses, resumes and amends an order at any time. */
export class ChangingClient {
  readonly #chance: Chance;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  act(rig: OrderRig): void {
    const chance = this.#chance;
    if (!chance.hits(1 / PATIENCE_COUNT)) return;
    const isResting = rig.state.status === 'PAUSED' || rig.state.status === 'PENDING_PAUSE';
    const dice = chance.between(1, 100);
    if (isResting ? dice <= 60 : dice <= 10) rig.resume();
    else if (dice <= 70) rig.amend(this.#amended(rig.state, rig.nowMs));
    else rig.pause();
    // Its requests may still be in flight at the next command.
    if (chance.hits(0.5)) rig.exchange();
  }

  /** New terms that a parser accepts: the wanted terms with some changes. */
  #amended(state: ParentState, nowMs: EpochMs): ParentOrder {
    const chance = this.#chance;
    const before = wantedTerms(state);
    return withTerms(before, {
      revision: state.order.revision + 1,
      ...(chance.hits(0.4) && { quantity: this.#quantity(state, before.legs[0]) }),
      ...(chance.hits(0.4) && { limitPrice: this.#limit(before.legs[0]) }),
      ...(chance.hits(0.4) && this.#end(before, nowMs)),
      ...(chance.hits(0.4) && this.#params(state)),
    });
  }

  /** From slightly more than is filled up to twice as much as before. */
  #quantity({ legs }: ParentState, { quantity }: Leg): Lots {
    const chance = this.#chance;
    const wanted = chance.hits(0.4)
      ? legs[0].progress.filled + chance.between(-1, 20)
      : Math.ceil((quantity * chance.between(30, 200)) / 100);
    return Math.max(10, wanted) as Lots;
  }

  /** Keeps the ladder within the limit price. */
  #limit({ side, ladder, limitPrice }: Leg): Ticks | null {
    const chance = this.#chance;
    if (ladder === null) return near(chance, 500);
    if (limitPrice === null) return null;
    const away = chance.between(0, 500);
    const { start, end } = ladder;
    return (side === 'BUY' ? Math.max(start, end) + away : Math.min(start, end) - away) as Ticks;
  }

  #end({ endAtMs }: ParentOrder, nowMs: EpochMs): Partial<FlatTerms> {
    if (endAtMs === null) return {};
    return { endAtMs: Math.min(LATEST_MS, nowMs + this.#chance.skewed(1, 900_000)) as EpochMs };
  }

  #params({ startedAtMs }: ParentState): Partial<FlatTerms> {
    const chance = this.#chance;
    const { trigger, ...gates } = gatesOf(chance);
    return {
      style: chance.pick(TRADING_STYLES),
      urgency: chance.pick(URGENCIES),
      randomizeQuantity: chance.hits(0.4),
      placement: chance.hits(0.2) ? placementOf(chance) : null,
      ...gates,
      ...(startedAtMs === null && chance.hits(0.5) && { trigger: trigger ?? null }),
    };
  }
}
