import type { Depth } from '../../src/model/depth.js';
import type { Strategy, StrategyDecision, StrategyNeeds, StrategyView, VolumeProfile } from '../../src/model/intent.js';
import type { OrderId } from '../../src/model/ids.js';
import type { EpochMs } from '../../src/model/time.js';
import { QUIET } from '../../src/strategy/all-at-once.js';

/** What an order was shown at one look; null where it was shown nothing. */
interface Look {
  readonly orderId: OrderId;
  readonly atMs: EpochMs;
  readonly depth: Depth | null;
  readonly profile: VolumeProfile | null;
}

const LOOK_MS = 1_000;

/** Places nothing, looks once a second, and remembers what it was shown. */
export class WatchingStrategy implements Strategy {
  readonly name = 'TWAP';
  readonly needs: StrategyNeeds;
  readonly begun: Look[] = [];
  readonly looks: Look[] = [];

  constructor(needs: Partial<StrategyNeeds>) {
    this.needs = { depth: false, profile: false, ...needs };
  }

  readonly begin = (view: StrategyView): [] => {
    this.begun.push(lookOf(view));
    return [];
  };

  readonly work = (view: StrategyView): StrategyDecision => {
    this.looks.push(lookOf(view));
    return { ...QUIET, wake: { atMs: (view.nowMs + LOOK_MS) as EpochMs, when: [] } };
  };
}

function lookOf({ state, nowMs, depth, profile }: StrategyView): Look {
  return { orderId: state.order.orderId, atMs: nowMs, depth: depth ?? null, profile: profile ?? null };
}
