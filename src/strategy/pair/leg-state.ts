import type { ParentOrder, ParentState, StrategyMemory } from '../../model/order.js';
import { followingLeg, isFollowers, type OrderLeg } from '../../model/pair.js';
import type { Lots } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import { HEDGE_NUMBERS } from './hedge-memory.js';

/** Behind what the hedge remembers: the leg's arrival price, twice over, and what it had filled when it was planned. */
const ARRIVAL_AT = HEDGE_NUMBERS;
const STRATEGY_AT = ARRIVAL_AT + 2;

/** The leading leg as its strategy sees it: an order with its own children alone. */
export function leadState(state: ParentState): ParentState {
  if (state.order.pair === null) return state;
  return { ...state, children: state.children.filter(({ order }) => !isFollowers(state.order, order.child)) };
}

/** The same of the other leg, which has a strategy of its own where neither leads. */
export function followerState(state: ParentState): ParentState {
  const { order, follower, children } = state;
  if (order.pair === null || follower === null) return state;
  const { progress, makerFilled, lastQuantity, lastPrice, fees, childCount, refusals, lastRefusal, memory } = follower;
  return {
    ...state,
    order: followerOrder(order),
    progress,
    makerFilled,
    lastQuantity,
    lastPrice,
    fees,
    childCount,
    children: children.filter((child) => isFollowers(order, child.order.child)),
    refusals,
    lastRefusal,
    arrivalTwiceMid: memory[ARRIVAL_AT] ?? null,
    plannedFilled: (memory[ARRIVAL_AT + 1] ?? 0) as Lots,
    memory: memory.slice(STRATEGY_AT),
    follower: null,
  };
}

/** What the follower is to remember when its strategy remembers this from now on. */
export function withStrategyMemory(state: ParentState, memory: StrategyMemory): StrategyMemory {
  const known = state.follower?.memory ?? [];
  return padded(known, STRATEGY_AT).concat(memory);
}

/** The same when its strategy begins: at these prices, with what is filled by now. */
export function withBeginning(state: ParentState, twiceMid: number, memory: StrategyMemory): StrategyMemory {
  const { follower } = state;
  const known = follower?.memory ?? [];
  const arrival = known[ARRIVAL_AT] ?? twiceMid;
  return padded(known, ARRIVAL_AT).concat(arrival, follower?.progress.filled ?? 0, memory);
}

function padded(memory: StrategyMemory, count: number): number[] {
  return Array.from({ length: count }, (_, index) => memory[index] ?? (index === 0 ? 1 : 0));
}

/** By leg: an order's terms make it, and every look at it needs it. */
const ORDERS = new WeakMap<ParentOrder, ParentOrder>();

/** The order that the other leg would be by itself. */
export function followerOrder(order: ParentOrder): ParentOrder {
  const known = ORDERS.get(order);
  if (known !== undefined || order.pair === null) return known ?? order;
  const leg = followingLeg(order.pair);
  const alone = { ...order, ...leg, endAtMs: endOf(order, leg), pair: null };
  ORDERS.set(order, alone);
  return alone;
}

/** The leg ends with the order, or earlier by its own duration. */
function endOf({ startAtMs, endAtMs }: ParentOrder, { durationMs, trigger }: OrderLeg): EpochMs | null {
  if (durationMs === null || trigger !== null) return endAtMs;
  const ownMs = (startAtMs + durationMs) as EpochMs;
  return endAtMs === null || ownMs < endAtMs ? ownMs : endAtMs;
}
