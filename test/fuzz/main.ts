import { parseArgs } from 'node:util';
import { findingText } from './findings.js';
import type { Key } from './request-head.js';
import {
  fuzz,
  fuzzElsewhere,
  fuzzHalted,
  type FuzzOptions,
  fuzzQuarantined,
  type FuzzReport,
  fuzzWithLimits,
} from './run.js';

/** Size of the runs with rate limits, with halted trading and with quarantined orders, as a part of the main run. */
const SIDE_SHARE = 0.05;

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    'session-frames': { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    url: { type: 'string' },
  },
});

const frames = values['session-frames'];
const options: FuzzOptions = {
  requests: Number(values.requests),
  seed: Number(values.seed),
  phases: 10,
  stormStreams: 500,
  log: (text) => console.log(text),
  ...(frames === undefined ? {} : { sessionFrames: Number(frames) }),
};
const size = frames === undefined ? `--requests ${options.requests}` : `--session-frames ${frames}`;
console.log(`fuzz: ${size} --seed ${options.seed}`);

if (values.url === undefined) {
  print(await fuzz(options));
  const side = { ...options, requests: Math.ceil(options.requests * SIDE_SHARE), phases: 2 };
  const sides = frames === undefined ? [fuzzWithLimits, fuzzHalted, fuzzQuarantined] : [];
  for (const run of sides) print(await run(side));
} else {
  print(await fuzzElsewhere(new URL(values.url), keyOf(process.env), options));
}

function keyOf({ SLUICE_API_KEY: apiKey, SLUICE_API_SECRET: apiSecret }: NodeJS.ProcessEnv): Key {
  if (apiKey !== undefined && apiSecret !== undefined) return { apiKey, apiSecret };
  throw new Error('--url needs SLUICE_API_KEY and SLUICE_API_SECRET of a key of that service');
}

function print({ findings, problems, ...figures }: FuzzReport): void {
  console.log(JSON.stringify(figures, null, 2));
  for (const finding of findings) console.log(findingText(finding, options.seed));
  for (const problem of problems) console.log(problem);
  if (findings.length + problems.length === 0) return;
  console.log(`repeat with: npm run fuzz -- ${size} --seed ${options.seed}`);
  process.exitCode = 1;
}
