import type { NumberedEvent } from '../journal/port.js';
import type { CorrelationId } from '../model/ids.js';
import { REPLAY_AFTERMATH_MS } from '../model/limits.js';
import { isTerminal, type ParentOrder, type ParentState } from '../model/order.js';
import { reject, type OrRejection } from '../model/rejection.js';
import type { EpochMs } from '../model/time.js';
import type { MarketRecord } from './market-record.js';
import { judge, type OrderVerdict } from './order-verdict.js';
import type { SingleThread } from './single-thread.js';

/** A market with a clock of its own, and a shard that trades in it. */
export interface World {
  readonly thread: SingleThread;
  /** What others do in the market. */
  readonly market: MarketRecord;
  readonly nowMs: EpochMs;
  /** Goes on to the next instant at which anything happens; false when the market is over. */
  step(): Promise<boolean>;
}

/** What became of an order. */
export interface OrderRun extends OrderVerdict {
  /** As it ended, or as it stood when the market was over. */
  readonly state: ParentState;
  readonly events: readonly NumberedEvent[];
  readonly market: MarketRecord;
  /** The market is known up to here. */
  readonly knownUntilMs: EpochMs;
}

const CORRELATION = 1 as CorrelationId;

/**
 * Works a parent order, placed now, with the shard and the strategies that work it live, and says what it cost. A
 * rejection says why the order could not trade at all.
 */
export async function workOrder(world: World, order: ParentOrder): Promise<OrRejection<OrderRun>> {
  const { thread, market } = world;
  thread.command({ kind: 'CreateParent', correlationId: CORRELATION, order });
  thread.advance(world.nowMs);
  const stateNow = (): ParentState | null => thread.journal.state(order.orderId);
  while (!isOver(stateNow()) && (await world.step()));
  const endMs = stateNow()?.endedAtMs ?? world.nowMs;
  const knownUntilMs = await seeAftermath(world, endMs);
  const state = stateNow();
  if (state === null || state.startedAtMs === null) return neverTraded(thread, state);
  const { events } = thread.journal;
  return { state, events, market, knownUntilMs, ...judge({ state, events, market, endMs, knownUntilMs }) };
}

/** Watches the market a while longer; returns until when it is known. */
async function seeAftermath(world: World, endMs: EpochMs): Promise<EpochMs> {
  const untilMs = (endMs + REPLAY_AFTERMATH_MS) as EpochMs;
  while (world.nowMs <= untilMs && (await world.step()));
  return Math.min(world.nowMs, untilMs) as EpochMs;
}

function neverTraded(thread: SingleThread, state: ParentState | null): OrRejection<never> {
  const known = thread.refusal ?? state?.outcome ?? null;
  if (known !== null) return { rejection: known };
  return reject('INVALID_TRADE_TIME', 'the recording ended before the order could start');
}

function isOver(state: ParentState | null): boolean {
  return state === null || isTerminal(state.status);
}
