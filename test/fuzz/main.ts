import { parseArgs } from 'node:util';
import { findingText } from './findings.js';
import { fuzz, fuzzElsewhere, type FuzzOptions, type FuzzReport, fuzzWithLimits } from './run.js';

/** The round with limits is so much smaller: what is refused early finds little. */
const LIMITED_SHARE = 0.05;

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    url: { type: 'string' },
  },
});

const options: FuzzOptions = {
  requests: Number(values.requests),
  seed: Number(values.seed),
  phases: 10,
  stormStreams: 500,
  log: (text) => console.log(text),
};
console.log(`fuzz: ${options.requests} requests, seed ${options.seed}`);

for (const report of await runs()) print(report);

async function runs(): Promise<FuzzReport[]> {
  if (values.url === undefined) {
    const limited = { ...options, requests: Math.ceil(options.requests * LIMITED_SHARE), phases: 2 };
    return [await fuzz(options), await fuzzWithLimits(limited)];
  }
  const { SLUICE_API_KEY: apiKey, SLUICE_API_SECRET: apiSecret } = process.env;
  if (apiKey === undefined || apiSecret === undefined) {
    throw new Error('with --url SLUICE_API_KEY and SLUICE_API_SECRET name a key of that service');
  }
  return [await fuzzElsewhere(new URL(values.url), { apiKey, apiSecret }, options)];
}

function print({ findings, problems, ...figures }: FuzzReport): void {
  console.log(JSON.stringify(figures, null, 2));
  for (const finding of findings) console.log(findingText(finding, options.seed));
  for (const problem of problems) console.log(problem);
  if (findings.length + problems.length === 0) return;
  console.log(`again with: npm run fuzz -- --requests ${options.requests} --seed ${options.seed}`);
  process.exitCode = 1;
}
