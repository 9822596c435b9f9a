import { parseArgs } from 'node:util';
import { countOf, halfOf, type Flags, isRelease, Report } from './report.js';

/** `dataDir`: folder with recorded market data; undefined without one. */
type Benchmark = (report: Report, isQuick: boolean, dataDir: string | undefined, flags: Flags) => Promise<void>;

const BENCHMARKS: Readonly<Record<string, { readonly about: string; readonly load: () => Promise<Benchmark> }>> = {
  placement: {
    about: 'durable placements over HTTP against a bare server, SQLite and one disk sync, with costs by thread',
    load: async () => (await import('./placement/placement.js')).placement,
  },
  session: {
    about: 'durable placements over WebSocket sessions against a bare HTTP server, a WebSocket echo and one disk sync',
    load: async () => (await import('./session/session.js')).session,
  },
  scale: {
    about: 'processor time and rate of durable placements with 1, 2 and 4 shards',
    load: async () => (await import('./placement/scale.js')).scale,
  },
  'first-child': {
    about: 'from the answer to a MARKET order, and from an execution report, to the next child at its exchange',
    load: async () => (await import('./latency/first-child.js')).firstChild,
  },
  fanout: {
    about: 'from a tick in the venue thread to frames at many subscribers, against a bare publish',
    load: async () => (await import('./fanout/fanout.js')).fanout,
  },
  micro: {
    about: 'single steps of an order: rings, codec, decisions, turns, HMAC, parsing, venue',
    load: async () => (await import('./micro/micro.js')).micro,
  },
  mixed: {
    about: 'latency of each action of 16 clients on a service with 30,000 open orders',
    load: async () => (await import('./latency/mixed.js')).mixed,
  },
  matching: {
    about: 'placements, cancels and matches on one order book, against nodejs-order-book',
    load: async () => (await import('./matching/matching.js')).matching,
  },
  simulation: {
    about: 'a day of five simulated markets, and their figures against recorded ones (--data DIR)',
    load: async () => (await import('./simulation/simulation.js')).simulation,
  },
  backtest: {
    about: 'recorded markets: rows per second into the book, and known figures of each recording (--data DIR)',
    load: async () => (await import('./backtest.js')).backtest,
  },
  vwap: {
    about:
      'slippage of orders that follow volume against equal slices, on candles (--data DIR, --half, --quote-volume NAME)',
    load: async () => (await import('./vwap/vwap.js')).vwap,
  },
  quality: {
    about:
      'order cost of our strategies and of published rules, paired (--data DIR, --half, --grid, --instruments FILE, --windows N, --seed S, --html FILE)',
    load: async () => (await import('./quality/quality.js')).quality,
  },
  preview: {
    about:
      'previewed against realised cost by strategy and style (--data DIR, --half, --instruments FILE, --windows N simulated orders of each, --seed S, --fit)',
    load: async () => (await import('./preview/preview.js')).preview,
  },
  listing: {
    about: 'rules of the simulated BINANCE against published ones (needs --data)',
    load: async () => (await import('./listing.js')).listing,
  },
  'order-history': {
    about: 'size of the store of the simulated exchanges over 30 simulated days at a constant rate of orders',
    load: async () => (await import('./simulation/order-history.js')).orderHistory,
  },
  'open-orders': {
    about: 'memory and processor time of 100,000 open orders between two slices',
    load: async () => (await import('./open-orders.js')).openOrders,
  },
  live: {
    about:
      'orders to an exchange on loopback against ccxt alone, processor time of 100 quoted symbols and of a service',
    load: async () => (await import('./live/live.js')).live,
  },
  'heavy-reads': {
    about: 'creates of one account while another reads and cancels 100,000 open orders',
    load: async () => (await import('./heavy-reads.js')).heavyReads,
  },
};

interface Plan {
  /** null: print the usage. */
  readonly benchmark: (typeof BENCHMARKS)[string] | null;
  readonly isMisused: boolean;
  readonly isJson: boolean;
  readonly isQuick: boolean;
  /** True: also a run of a commit that is no release. */
  readonly isRecorded: boolean;
  readonly dataDir: string | undefined;
  readonly flags: Flags;
}

/** Former names. */
const ALIASES: Readonly<Record<string, string>> = { replay: 'backtest' };
const MISUSED = 2;

/** Throws an Error that names the wrong argument. */
function planOf(args: readonly string[]): Plan {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      data: { type: 'string' },
      seed: { type: 'string', default: '1' },
      windows: { type: 'string' },
      fit: { type: 'boolean', default: false },
      grid: { type: 'boolean', default: false },
      html: { type: 'string' },
      instruments: { type: 'string' },
      half: { type: 'string', default: 'judge' },
      'quote-volume': { type: 'string' },
    },
  });
  const [name = ''] = positionals;
  const benchmark = BENCHMARKS[ALIASES[name] ?? name] ?? null;
  return {
    benchmark: values.help ? null : benchmark,
    isMisused: !values.help && positionals.length > 0 && benchmark === null,
    isJson: values.json,
    isQuick: values.quick,
    isRecorded: values.record,
    dataDir: values.data,
    flags: {
      seed: countOf('seed', values.seed),
      windows: values.windows === undefined ? undefined : countOf('windows', values.windows),
      isFit: values.fit,
      isGrid: values.grid,
      htmlFile: values.html,
      instrumentsFile: values.instruments,
      half: halfOf(values.half),
      quoteVolume: values['quote-volume'],
    },
  };
}

function printUsage(): void {
  console.log('usage: npm run bench -- NAME [--json] [--quick] [--record] [--data DIR]\n');
  for (const [each, { about }] of Object.entries(BENCHMARKS)) console.log(`  ${each.padEnd(12)} ${about}`);
  console.log('\nA full run of a release commit (clean tree, tagged HEAD) is recorded in bench/history.ndjson.');
  console.log('--record records any run.');
}

/** Returns the exit status. */
async function main(args: readonly string[]): Promise<number> {
  let plan: Plan;
  try {
    plan = planOf(args);
  } catch (error) {
    console.error(`bench: ${(error as Error).message}`);
    return MISUSED;
  }
  const { benchmark, isMisused, isJson, isQuick, isRecorded, dataDir, flags } = plan;
  if (benchmark === null) {
    printUsage();
    return isMisused ? MISUSED : 0;
  }
  const run = await benchmark.load();
  await run(new Report({ isJson, isRecorded: isRecorded || (!isQuick && isRelease()) }), isQuick, dataDir, flags);
  return 0;
}

process.exitCode = await main(process.argv.slice(2));
