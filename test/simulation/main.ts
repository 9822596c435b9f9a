import { fork, type ChildProcess } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { simulate, stepsOf } from './simulation.js';

/*
 * npm run sim -- --seeds 100000            runs this number of seeds, one process for each core
 * npm run sim -- --seeds 1 --from 17       runs one seed again
 *
 * --steps N   number of steps, instead of the choice of the seed
 * --jobs J    number of processes; 1: runs in this process
 * --stop      ends at the first failure
 * --json      prints one line of JSON at the end
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    steps: { type: 'string' },
    stop: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

/** Seeds in one chunk of a process. */
const CHUNK = 25;
const PROGRESS_MS = 10_000;
/** Failures that are printed in full. */
const PRINTED_MAX = 5;

interface Chunk {
  readonly from: number;
  readonly count: number;
}

interface Failure {
  readonly seed: number;
  readonly message: string;
}

interface ChunkResult {
  readonly seedCount: number;
  readonly stepCount: number;
  /** Processor time. */
  readonly cpuMs: number;
  readonly failures: readonly Failure[];
}

const steps = values.steps === undefined ? null : Number(values.steps);

function runChunk({ from, count }: Chunk): ChunkResult {
  const failures: Failure[] = [];
  const startCpu = process.cpuUsage();
  let stepCount = 0;
  let seedCount = 0;
  for (let seed = from; seed < from + count; seed += 1) {
    const seedSteps = steps ?? stepsOf(seed);
    seedCount += 1;
    stepCount += seedSteps;
    try {
      simulate(seed, seedSteps);
    } catch (error) {
      failures.push({ seed, message: error instanceof Error ? error.message : String(error) });
      if (values.stop) break;
    }
  }
  const { user, system } = process.cpuUsage(startCpu);
  return { seedCount, stepCount, cpuMs: (user + system) / 1_000, failures };
}

/** Gives chunks to child processes until all are done or a failure ends the run. */
class Run {
  readonly #failures: Failure[] = [];
  readonly #startMs = Date.now();
  #progressMs = Date.now();
  readonly #total = Number(values.seeds);
  #next = Number(values.from);
  #seedCount = 0;
  #stepCount = 0;
  #cpuMs = 0;

  async all(jobs: number): Promise<void> {
    const progress = setInterval(() => this.#printProgress(), PROGRESS_MS);
    if (jobs === 1)
      for (let chunk = this.#take(); chunk !== null; chunk = this.#take()) this.#addAlone(runChunk(chunk));
    else await Promise.all(Array.from({ length: jobs }, () => this.#serve()));
    clearInterval(progress);
    this.#report();
  }

  async #serve(): Promise<void> {
    const worker = fork(fileURLToPath(import.meta.url), process.argv.slice(2), {
      env: { ...process.env, SIM_WORKER: '1' },
    });
    for (let chunk = this.#take(); chunk !== null; chunk = this.#take()) this.#add(await ask(worker, chunk));
    worker.disconnect();
  }

  #take(): Chunk | null {
    const end = Number(values.from) + this.#total;
    if (this.#next >= end || (values.stop && this.#failures.length > 0)) return null;
    const from = this.#next;
    this.#next = Math.min(end, from + CHUNK);
    return { from, count: this.#next - from };
  }

  #add({ seedCount, stepCount, cpuMs, failures }: ChunkResult): void {
    this.#seedCount += seedCount;
    this.#stepCount += stepCount;
    this.#cpuMs += cpuMs;
    for (const failure of failures) {
      this.#failures.push(failure);
      const isWhole = this.#failures.length <= PRINTED_MAX;
      if (!values.json)
        console.log(`seed ${failure.seed}: ${isWhole ? failure.message : failure.message.split('\n')[0]}`);
    }
  }

  /** No timer fires while this process works. */
  #addAlone(result: ChunkResult): void {
    this.#add(result);
    if (Date.now() - this.#progressMs < PROGRESS_MS) return;
    this.#progressMs = Date.now();
    this.#printProgress();
  }

  #printProgress(): void {
    if (!values.json) console.log(`${this.#seedCount} of ${this.#total} seeds, ${this.#failures.length} failures`);
  }

  #report(): void {
    const seconds = (Date.now() - this.#startMs) / 1_000;
    const seeds = this.#failures.map(({ seed }) => seed);
    const figures = {
      seeds: this.#seedCount,
      steps: this.#stepCount,
      failures: seeds,
      seconds: Math.round(seconds),
      seedsPerSecond: Number((this.#seedCount / seconds).toFixed(1)),
      cpuMsPerSeed: Number((this.#cpuMs / this.#seedCount).toFixed(1)),
    };
    const first = this.#failures[0]?.message.split('\n')[0] ?? null;
    if (values.json) console.log(JSON.stringify({ ...figures, first }));
    else console.log(JSON.stringify(figures, null, 2));
    if (seeds.length === 0) return;
    if (!values.json) console.log(`again with: npm run sim -- --seeds 1 --from ${seeds[0]}`);
    process.exitCode = 1;
  }
}

function ask(worker: ChildProcess, chunk: Chunk): Promise<ChunkResult> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`a process of the simulation ended with ${code}`));
    worker.once('exit', onExit);
    worker.once('message', (result) => {
      worker.off('exit', onExit);
      resolve(result as ChunkResult);
    });
    worker.send(chunk);
  });
}

if (process.env['SIM_WORKER'] === undefined) await new Run().all(Number(values.jobs));
else process.on('message', (chunk: Chunk) => process.send?.(runChunk(chunk)));
