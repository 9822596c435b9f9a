import { closedLoop, type LoadResult, type LoadTarget, openLoop } from '../http-load.js';
import { type BenchKey, signedCreates } from '../orders.js';
import type { Report } from '../report.js';
import { measureSyncUs } from './sync-floor.js';
import { perCreate, type ThreadCost, threadCosts, threadTimesOf, totalOf } from './thread-times.js';

/** A running server of a contest. */
export interface Side {
  /** Name in figures that compare with this side. */
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  readonly key: BenchKey;
  stop(): Promise<void>;
}

/** What one round measured of one side. */
export interface Sample {
  readonly throughput: number;
  readonly creates: number;
  /** Latencies in microseconds by metric. */
  readonly latency: ReadonlyMap<string, number>;
  /** Costs of one create. */
  readonly threads: readonly ThreadCost[];
  readonly cpuUs: number;
  /** Microseconds of the monotonic clock. */
  readonly startUs: number;
  readonly endUs: number;
}

/** Samples of all rounds, by the name of the side. */
export type Samples = ReadonlyMap<string, readonly Sample[]>;

export interface RoundSizes {
  readonly rounds: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
  readonly openLoopMs: number;
  /** Number of requests prepared for a round: more than the fastest server answers in it. */
  readonly requestsPerRound: number;
  /** Disk syncs measured before each round of a closed loop. */
  readonly syncs: number;
}

const CREATED = 201;
/** As many as the largest closed loop has, which may have found the maximum. */
const OPEN_LOOP_CONNECTIONS = 256;
const WARM_UP_CONNECTIONS = 64;
const PERCENTILES = [50, 90, 99, 99.9] as const;

/**
 * Measures servers in interleaved rounds, so that a slow phase of the machine affects all of them. The order of the
 * sides turns from round to round.
 */
export class Contest {
  readonly #sides: readonly Side[];
  readonly #sizes: RoundSizes;
  readonly #report: Report;
  #requestRound = 0;

  constructor(sides: readonly Side[], sizes: RoundSizes, report: Report) {
    this.#sides = sides;
    this.#sizes = sizes;
    this.#report = report;
  }

  /** Lets all servers compile their hot code first, because a service runs for weeks and a round for seconds. */
  async warmUp(): Promise<void> {
    for (const side of this.#sides) {
      this.#report.progress(`warming up: ${side.name}`);
      await closedLoop(this.#target(side), WARM_UP_CONNECTIONS, this.#sizes.warmUpMs);
    }
  }

  /** Runs closed loops. Each round also measures one disk sync, as the median in microseconds. */
  async closed(connections: number): Promise<{ readonly samples: Samples; readonly syncUs: readonly number[] }> {
    return this.raced(`closed loop, ${connections} connections`, (side) => this.loadOf(side, connections));
  }

  /** Returns a closed loop of one round over HTTP. Its requests are signed before it runs. */
  loadOf(side: Side, connections: number): () => Promise<LoadResult> {
    const target = this.#target(side);
    return () => closedLoop(target, connections, this.#sizes.durationMs);
  }

  /**
   * Runs the load of each side in each round. Each round also measures one disk sync, as the median in microseconds.
   */
  async raced(
    text: string,
    loadOf: (side: Side) => () => Promise<LoadResult>,
  ): Promise<{ readonly samples: Samples; readonly syncUs: readonly number[] }> {
    const { syncs } = this.#sizes;
    const syncUs: number[] = [];
    const samples = await this.#rounds(text, async (side, isFirst) => {
      if (isFirst) syncUs.push(measureSyncUs(syncs)[syncs >> 1]!);
      return measured(side, loadOf(side));
    });
    return { samples, syncUs };
  }

  /** Runs open loops, each side at its own rate. */
  async open(rateOf: (side: Side) => number): Promise<Samples> {
    const { openLoopMs } = this.#sizes;
    return this.#rounds('open loop', async (side) => {
      const ratePerS = rateOf(side);
      const target = this.#target(side, Math.ceil((ratePerS * openLoopMs) / 1000));
      return measured(side, () => openLoop(target, OPEN_LOOP_CONNECTIONS, ratePerS, openLoopMs));
    });
  }

  async #rounds(text: string, measure: (side: Side, isFirst: boolean) => Promise<Sample>): Promise<Samples> {
    const samples = new Map<string, Sample[]>(this.#sides.map(({ name }) => [name, []]));
    for (let round = 0; round < this.#sizes.rounds; round += 1) {
      for (let turn = 0; turn < this.#sides.length; turn += 1) {
        const side = this.#sides[(round + turn) % this.#sides.length]!;
        this.#report.progress(`${text}, round ${round + 1} of ${this.#sizes.rounds}: ${side.name}`);
        samples.get(side.name)!.push(await measure(side, turn === 0));
      }
    }
    return samples;
  }

  #target({ port, key }: Side, count: number = this.#sizes.requestsPerRound): LoadTarget {
    this.#requestRound += 1;
    return { port, requests: signedCreates(key, count, `bench-${this.#requestRound}`), expectedStatus: CREATED };
  }
}

async function measured(side: Side, load: () => Promise<LoadResult>): Promise<Sample> {
  const [startUs, before] = [monotonicUs(), threadTimesOf(side.pid)];
  const { throughput, latency, failures } = await load();
  const [endUs, after] = [monotonicUs(), threadTimesOf(side.pid)];
  if (failures > 0) throw new Error(`${side.name}: ${failures} placements were not answered with ${CREATED}`);
  const creates = latency.totalCount;
  const threads = perCreate(threadCosts(before, after), creates);
  const values = PERCENTILES.map((each): [string, number] => [`p${each}`, latency.getValueAtPercentile(each)]);
  return {
    throughput,
    creates,
    latency: new Map([...values, ['max', latency.maxValue]]),
    threads,
    cpuUs: totalOf(threads),
    startUs,
    endUs,
  };
}

function monotonicUs(): number {
  return Number(process.hrtime.bigint()) / 1000;
}
