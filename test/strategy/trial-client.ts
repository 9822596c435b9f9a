import { TRADING_STYLES, URGENCIES, type ParentOrder, type ParentState } from '../../src/model/order.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import { wantedTerms } from '../../src/order/amendment.js';
import type { Desk } from '../order/desk.js';
import { START_MS } from '../order/orders.js';
import type { Chance } from '../sim/chance.js';
import { gatesOf, near, placementOf } from './trial-orders.js';

/** How often something else happens before he asks for a change again. */
const PATIENCE_COUNT = 8;
/** No order is made to last longer. */
const LATEST_MS = START_MS + 1_900_000;

/** Pauses an order, resumes it and changes its terms at any moment, as the interface lets him. */
export class FickleClient {
  readonly #chance: Chance;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  act(desk: Desk): void {
    const chance = this.#chance;
    if (!chance.hits(1 / PATIENCE_COUNT)) return;
    const isResting = desk.state.status === 'PAUSED' || desk.state.status === 'PENDING_PAUSE';
    const dice = chance.between(1, 100);
    if (isResting ? dice <= 60 : dice <= 10) desk.apply({ kind: 'Resume' });
    else if (dice <= 70)
      desk.apply({ kind: 'Amend', order: this.#amended(desk.state, desk.nowMs), grounds: desk.grounds });
    else desk.apply({ kind: 'Pause' });
    // A shard looks at an order after each command; what it then wants may yet be under way at the next.
    desk.look();
    if (chance.hits(0.5)) desk.exchange();
  }

  /** New terms that a parser would let through: those that the order has, or is to have, with some of them changed. */
  #amended(state: ParentState, nowMs: EpochMs): ParentOrder {
    const chance = this.#chance;
    const before = wantedTerms(state);
    return {
      ...before,
      revision: state.order.revision + 1,
      ...(chance.hits(0.4) && { quantity: this.#quantity(state, before) }),
      ...(chance.hits(0.4) && { limitPrice: this.#limit(before) }),
      ...(chance.hits(0.4) && this.#end(before, nowMs)),
      ...(chance.hits(0.4) && this.#params(state)),
    };
  }

  /** From next to nothing more than is filled to twice as much as before. */
  #quantity({ progress }: ParentState, { quantity }: ParentOrder): Lots {
    const chance = this.#chance;
    const wanted = chance.hits(0.4)
      ? progress.filled + chance.between(-1, 20)
      : Math.ceil((quantity * chance.between(30, 200)) / 100);
    return Math.max(10, wanted) as Lots;
  }

  /** A ladder stays inside. */
  #limit({ side, ladder, limitPrice }: ParentOrder): Ticks | null {
    const chance = this.#chance;
    if (ladder === null) return near(chance, 500);
    if (limitPrice === null) return null;
    const away = chance.between(0, 500);
    const { start, end } = ladder;
    return (side === 'BUY' ? Math.max(start, end) + away : Math.min(start, end) - away) as Ticks;
  }

  #end({ endAtMs }: ParentOrder, nowMs: EpochMs): Partial<ParentOrder> {
    if (endAtMs === null) return {};
    return { endAtMs: Math.min(LATEST_MS, nowMs + this.#chance.skewed(1, 900_000)) as EpochMs };
  }

  #params({ startedAtMs }: ParentState): Partial<ParentOrder> {
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
