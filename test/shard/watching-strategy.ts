import type { Depth } from '../../src/domain/market.js';
import type { StrategyDecision, StrategyView, VolumeProfile } from '../../src/domain/intent.js';
import type { OrderId } from '../../src/domain/ids.js';
import type { EpochMs } from '../../src/domain/time.js';
import { QUIET } from '../../src/strategy/placement/all-at-once.js';
import type { LegMemory } from '../../src/domain/strategy-memory.js';
import type { Strategy, StrategyNeeds } from '../../src/strategy/strategy.js';
import { memoryOf } from '../order/memories.js';

/** The inputs of one strategy call; null for missing ones. */
interface Look {
  readonly orderId: OrderId;
  readonly atMs: EpochMs;
  readonly depth: Depth | null;
  readonly profile: VolumeProfile | null;
}

const LOOK_MS = 1_000;

/** Places nothing, runs once a second, and stores its inputs. */
export class WatchingStrategy implements Strategy {
  readonly name = 'TWAP';
  readonly needs: StrategyNeeds;
  readonly begun: Look[] = [];
  readonly looks: Look[] = [];

  constructor(needs: Partial<StrategyNeeds>) {
    this.needs = { depth: false, profile: false, ...needs };
  }

  readonly begin = (view: StrategyView): LegMemory => {
    this.begun.push(lookOf(view));
    return memoryOf();
  };

  readonly work = (view: StrategyView): StrategyDecision => {
    this.looks.push(lookOf(view));
    return { ...QUIET, wake: { atMs: (view.nowMs + LOOK_MS) as EpochMs, when: [] } };
  };
}

function lookOf({ state, nowMs, depth, profile }: StrategyView): Look {
  return { orderId: state.order.orderId, atMs: nowMs, depth: depth ?? null, profile: profile ?? null };
}
