import type { LoadResult } from '../http-load.js';
import { Contest, type RoundSizes, type Samples, type Side } from '../placement/contest.js';
import { costRatios, type Heading, mediansOf, ratioFigure, referred } from '../placement/figures.js';
import { reportThreads } from '../placement/thread-report.js';
import { NAMED_THREADS } from '../placement/thread-times.js';
import { median, type Report } from '../report.js';
import { startPeer, startService } from '../service.js';
import { SESSION_PATH, sessionLoop } from './session-load.js';

const BENCH = 'session';
const SERVICE = 'Sluice';
const BARE = { key: 'bare_http', name: 'bare uWebSockets.js over HTTP, 64 connections' };
const ECHO = { key: 'echo', name: 'bare WebSocket echo' };
/** Connections of the bare HTTP server, in every case. */
const BARE_CONNECTIONS = 64;
const COMPARABLE: ReadonlySet<string> = new Set(['cpu_per_create', 'throughput']);

interface Shape {
  readonly sessions: number;
  /** Requests in flight in each session. */
  readonly depth: number;
}

interface Sizes extends RoundSizes {
  readonly shapes: readonly Shape[];
}

const SINGLE: Shape = { sessions: 1, depth: 1 };

const FULL: Sizes = {
  rounds: 5,
  warmUpMs: 3_000,
  durationMs: 2_000,
  openLoopMs: 0,
  requestsPerRound: 120_000,
  syncs: 400,
  shapes: [
    SINGLE,
    { sessions: 1, depth: 16 },
    { sessions: 1, depth: 64 },
    { sessions: 8, depth: 16 },
    { sessions: 8, depth: 64 },
  ],
};
const QUICK: Sizes = {
  ...FULL,
  rounds: 1,
  warmUpMs: 200,
  durationMs: 300,
  requestsPerRound: 4_000,
  syncs: 200,
  shapes: [SINGLE, { sessions: 8, depth: 64 }],
};

/**
 * Measures durable placements over sessions of order entry, against a bare HTTP server and, for one request at a time,
 * against a WebSocket echo and one disk sync.
 */
export async function session(report: Report, isQuick: boolean): Promise<void> {
  const sizes = isQuick ? QUICK : FULL;
  for (const shape of sizes.shapes) await measure(report, sizes, shape);
}

/** Placed orders stay open, so each shape gets a fresh service. */
async function measure(report: Report, sizes: Sizes, shape: Shape): Promise<void> {
  const service = await startService({ NODE_OPTIONS: NAMED_THREADS });
  const { key } = service;
  const sides: Side[] = [{ ...service, name: SERVICE }];
  try {
    const bare = await startPeer('bench/placement/bare-server.js', [key.apiSecret]);
    sides.unshift({ ...bare, name: BARE.name, key });
    if (shape === SINGLE) {
      const echo = await startPeer('bench/session/echo-server.js', []);
      sides.unshift({ ...echo, name: ECHO.name, key });
    }
    const contest = new Contest(sides, sizes, report);
    const loads = new Loads(contest, shape, sizes);
    await loads.warmUp(sides, report);
    const text = `${shape.sessions} × ${shape.depth}`;
    reportShape(report, shape, await contest.raced(text, (side) => loads.of(side, sizes.durationMs)));
  } finally {
    for (const side of sides) await side.stop();
  }
}

/** The load of each side: sessions for the service and the echo, HTTP for the bare server. */
class Loads {
  readonly #contest: Contest;
  readonly #shape: Shape;
  readonly #sizes: Sizes;
  #count = 0;

  constructor(contest: Contest, shape: Shape, sizes: Sizes) {
    this.#contest = contest;
    this.#shape = shape;
    this.#sizes = sizes;
  }

  /** Lets all servers compile their hot code first. */
  async warmUp(sides: readonly Side[], report: Report): Promise<void> {
    for (const side of sides) {
      report.progress(`warming up: ${side.name}`);
      await this.of(side, this.#sizes.warmUpMs)();
    }
  }

  of(side: Side, durationMs: number): () => Promise<LoadResult> {
    if (side.name === BARE.name) return this.#contest.loadOf(side, BARE_CONNECTIONS);
    this.#count += 1;
    const key = side.name === ECHO.name ? null : side.key;
    const target = { port: side.port, path: SESSION_PATH, key, prefix: `bench-${this.#count}` };
    return () => sessionLoop(target, { ...this.#shape, durationMs });
  }
}

interface Raced {
  readonly samples: Samples;
  /** One disk sync, a round. */
  readonly syncUs: readonly number[];
}

function reportShape(report: Report, { sessions, depth }: Shape, { samples, syncUs }: Raced): void {
  const heading: Heading = { bench: BENCH, case: `sessions=${sessions}, depth=${depth}`, rounds: syncUs.length };
  const [ours, bare, echo] = [samples.get(SERVICE)!, samples.get(BARE.name)!, samples.get(ECHO.name)];
  for (const figure of costRatios(heading, { samples, name: SERVICE, others: [BARE] })) report.add(figure);
  if (echo !== undefined) {
    report.add({ ...heading, case: 'floor', metric: 'p50_of_sync', value: median(syncUs), unit: 'us' });
    const echoes = echo.map(({ latency }) => latency.get('p50')!);
    report.add({ ...heading, case: 'floor', metric: 'p50_of_echo', value: median(echoes), unit: 'us' });
    // One placement cannot be faster than the echo plus one disk sync.
    const floor = { name: `${ECHO.name}, + fdatasync`, values: echoes.map((p50, round) => p50 + syncUs[round]!) };
    const p50s = ours.map(({ latency }) => latency.get('p50')!);
    report.add(ratioFigure(heading, 'p50_over_floor', p50s, floor));
  }
  // The latencies of the bare server are those of another number of requests in flight.
  const comparable = mediansOf(heading, bare).filter(({ metric }) => COMPARABLE.has(metric));
  for (const figure of referred(mediansOf(heading, ours), BARE.name, comparable)) report.add(figure);
  reportThreads(report, heading, ours);
}
