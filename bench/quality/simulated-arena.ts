import { InstrumentCatalogue, type Instrument } from '../../src/model/instrument.js';
import type { Lots } from '../../src/model/quantity.js';
import { isRejected } from '../../src/model/rejection.js';
import type { DurationMs, EpochMs } from '../../src/model/time.js';
import { workOrder } from '../../src/replay/order-run.js';
import { Random } from '../../src/venue/prng.js';
import { LATENCY_MS, type Arena } from './arena.js';
import { deskOrder, type Task } from './desk-order.js';
import type { KnownCandles } from './candle-memory.js';
import type { Policy } from './policy.js';
import { alone, SimulatedWorld } from './simulated-world.js';

const DAY_MS = 24 * 3600 * 1000;
const FIRST_DAY_MS = Date.UTC(2027, 0, 15);
const STEP_MS = 100;
/** The market lives so long before an order comes, so that its volatility is known. */
const WARM_UP_MS = 30_000;
/** What a desk wants done in 15 minutes. */
const DESK_QUANTITY = 2;
const DESK_MS = 15 * 60_000;

export interface SimulatedArenaParts {
  readonly instrument: Instrument;
  readonly windowCount: number;
  readonly durationMs: DurationMs;
  readonly seed: number;
}

/** Windows of a simulated market, each in a world of its own at its own time of day. */
export async function simulatedArena(parts: SimulatedArenaParts): Promise<Arena> {
  const { windowCount, durationMs } = parts;
  const instrument = alone(parts.instrument);
  const catalogue = new InstrumentCatalogue([instrument]);
  const wanted = (DESK_QUANTITY * durationMs) / DESK_MS;
  const quantity = Math.round(wanted * 10 ** instrument.quantityPrecision) as Lots;
  const windows = new WindowLuck(parts.seed, instrument);
  const expectedVolume = await volumeOf(windows.open(0, null), durationMs);
  return {
    name: `simulated ${instrument.symbol}`,
    kind: 'simulated',
    instrument,
    task: `${wanted.toFixed(2)} ${instrument.base} in ${durationMs / 1_000} s`,
    windowCount,
    work: async (policy, window, side) => {
      const world = windows.open(window, policy);
      await world.live((world.nowMs + WARM_UP_MS) as EpochMs);
      const task: Task = { side, quantity, durationMs, expectedVolume, window };
      const run = await workOrder(world, deskOrder(policy, task, { instrument, catalogue }, world.nowMs));
      if (isRejected(run)) throw new Error(`${policy.name}: ${run.rejection.message}`);
      return run;
    },
  };
}

/** Opens the world of a window as often as it is wanted, the same each time. */
class WindowLuck {
  readonly #seed: number;
  readonly #instrument: Instrument;
  #latest = -1;
  #candles: KnownCandles = new Map();

  constructor(seed: number, instrument: Instrument) {
    this.#seed = seed;
    this.#instrument = instrument;
  }

  open(window: number, policy: Policy | null): SimulatedWorld {
    if (window !== this.#latest) this.#candles = new Map();
    this.#latest = window;
    const luck = new Random(`${this.#seed}/${this.#instrument.symbol}/${window}`);
    const seed = Math.floor(luck.uniform() * 2 ** 32);
    const startMs = (FIRST_DAY_MS + STEP_MS * Math.floor((luck.uniform() * DAY_MS) / STEP_MS)) as EpochMs;
    const strategy = policy?.baseline ?? null;
    return new SimulatedWorld({
      instrument: this.#instrument,
      seed,
      startMs,
      latencyMs: LATENCY_MS,
      candles: this.#candles,
      ...(strategy !== null && { strategyFor: () => strategy }),
    });
  }
}

/** What is traded in a window without us. */
async function volumeOf(world: SimulatedWorld, durationMs: DurationMs): Promise<number> {
  await world.live((world.nowMs + durationMs) as EpochMs);
  return world.market.trades.between(0, Infinity).volume;
}
