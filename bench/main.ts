import { parseArgs } from 'node:util';
import { countOf, type Flags } from './flags.js';
import { Report } from './report.js';

/** `dataDir` holds recorded market data; undefined when the caller has none. */
type Benchmark = (report: Report, isQuick: boolean, dataDir: string | undefined, flags: Flags) => Promise<void>;

const BENCHMARKS: Readonly<Record<string, { readonly about: string; readonly load: () => Promise<Benchmark> }>> = {
  placement: {
    about: 'durable placements over HTTP against a bare server and one disk sync',
    load: async () => (await import('./placement.js')).placement,
  },
  fanout: {
    about: 'a tick in the venue thread to frames at many subscribers, against a bare publish',
    load: async () => (await import('./fanout.js')).fanout,
  },
  micro: {
    about: 'the steps of an order one by one: rings, codec, decisions, turns, HMAC, parsing, venue',
    load: async () => (await import('./micro.js')).micro,
  },
  matching: {
    about: 'placements, cancels and matches on one order book, against nodejs-order-book',
    load: async () => (await import('./matching.js')).matching,
  },
  simulation: {
    about: 'a day of five simulated markets, and their figures against recorded ones (--data DIR)',
    load: async () => (await import('./simulation.js')).simulation,
  },
  replay: {
    about: 'recorded markets: rows read into the book, and the figures that must come out (--data DIR)',
    load: async () => (await import('./replay.js')).replay,
  },
  vwap: {
    about: 'slippage of orders worked by volume against equal slices, on a recorded month (--data DIR)',
    load: async () => (await import('./vwap.js')).vwap,
  },
  quality: {
    about:
      'what orders cost by our strategies and by published rules, paired (--data DIR, --windows N, --seed S, --html FILE)',
    load: async () => (await import('./quality.js')).quality,
  },
  preview: {
    about: 'what previews expect against what orders cost, by strategy (--windows N orders of each, --seed S, --fit)',
    load: async () => (await import('./preview.js')).preview,
  },
  listing: {
    about: 'rules of our BINANCE against those it published (needs --data)',
    load: async () => (await import('./listing.js')).listing,
  },
  'open-orders': {
    about: 'memory and processor time of 100,000 open orders between two slices',
    load: async () => (await import('./open-orders.js')).openOrders,
  },
  'heavy-reads': {
    about: "what reading and cancelling 100,000 open orders costs another account's creates",
    load: async () => (await import('./heavy-reads.js')).heavyReads,
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    data: { type: 'string' },
    seed: { type: 'string', default: '1' },
    windows: { type: 'string' },
    fit: { type: 'boolean', default: false },
    html: { type: 'string' },
  },
});

const benchmark = BENCHMARKS[positionals[0] ?? ''];
if (benchmark === undefined) {
  console.log('usage: npm run bench -- NAME [--json] [--quick] [--record] [--data DIR]\n');
  for (const [name, { about }] of Object.entries(BENCHMARKS)) console.log(`  ${name.padEnd(12)} ${about}`);
  process.exitCode = positionals.length === 0 ? 0 : 2;
} else {
  const run = await benchmark.load();
  const flags = {
    seed: countOf('seed', values.seed),
    windows: values.windows === undefined ? undefined : countOf('windows', values.windows),
    isFit: values.fit,
    htmlFile: values.html,
  };
  await run(new Report({ isJson: values.json, isRecorded: values.record }), values.quick, values.data, flags);
}
