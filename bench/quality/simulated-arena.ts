import { InstrumentCatalogue, type Instrument } from '../../src/domain/instrument.js';
import type { Lots } from '../../src/domain/quantity.js';
import { isRejected } from '../../src/domain/rejection.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import { workOrder } from '../../src/backtest/backtest-run.js';
import { Random } from '../../src/sim/prng.js';
import { type Arena, LATENCY_MS } from './arena.js';
import { orderOfTask, type Task } from './task-order.js';
import { alone, type KnownCandles, SimulatedWorld } from './simulated-world.js';
import type { Policy } from './policy.js';

const DAY_MS = 24 * 3600 * 1000;
const FIRST_DAY_MS = Date.UTC(2027, 0, 15);
const STEP_MS = 100;
/** Time the market runs before an order comes, so that its volatility is known. */
const WARM_UP_MS = 30_000;
/** A desk order of 15 minutes, in base units. */
const DESK_QUANTITY = 2;
const DESK_MS = 15 * 60_000;

export interface SimulatedArenaParts {
  readonly instrument: Instrument;
  readonly windowCount: number;
  readonly durationMs: DurationMs;
  readonly seed: number;
}

/** Returns windows of a simulated market, each with its own seed and time of day. */
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
    place: `simulated ${instrument.symbol}`,
    condition: null,
    kind: 'simulated',
    half: null,
    instrument,
    task: `${wanted.toFixed(2)} ${instrument.base} in ${durationMs / 1_000} s`,
    windowCount,
    sharesOf: (window) => [`${instrument.symbol} ${window}`],
    work: async (policy, window, side) => {
      const world = windows.open(window, policy);
      await world.live((world.nowMs + WARM_UP_MS) as EpochMs);
      const task: Task = { side, quantity, durationMs, expectedVolume, window };
      const run = await workOrder(world, orderOfTask(policy, task, { instrument, catalogue }, world.nowMs));
      if (isRejected(run)) throw new Error(`${policy.name}: ${run.rejection.message}`);
      return run;
    },
  };
}

/** Opens the world of a window any number of times, with the same random numbers. */
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

/** Volume of a window without our order. */
async function volumeOf(world: SimulatedWorld, durationMs: DurationMs): Promise<number> {
  await world.live((world.nowMs + durationMs) as EpochMs);
  return world.market.trades.between(0, Infinity).volume;
}
