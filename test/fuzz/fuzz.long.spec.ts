import { expect, it } from 'vitest';
import { findingText } from './findings.js';
import { fuzz, fuzzHalted, type FuzzOptions, fuzzQuarantined, type FuzzReport, fuzzWithLimits } from './run.js';

const SEED = 20_261_121;
/** The number of requests is small; `npm run fuzz` sends more. */
const OPTIONS: FuzzOptions = { requests: 1200, seed: SEED, phases: 2, stormStreams: 100, log: () => undefined };
/** `npm run fuzz -- --session-frames 100000` sends more. */
const SESSION_FRAMES = 5_000;
/** Most of these requests exceed the small rate limits. */
const LIMITED: FuzzOptions = { ...OPTIONS, requests: 400, phases: 1 };

it(`answers ${OPTIONS.requests} valid, mutated and broken requests as documented (seed ${SEED})`, async () => {
  const report = await fuzz(OPTIONS);
  expectNothingFound(report);
  expect(report.orders).toBeGreaterThan(100);
});

it(`answers ${SESSION_FRAMES} frames of sessions as documented (seed ${SEED})`, async () => {
  const report = await fuzz({ ...OPTIONS, sessionFrames: SESSION_FRAMES });
  expectNothingFound(report);
  expect(report.sessionFrames).toBeGreaterThanOrEqual(SESSION_FRAMES);
});

it(`answers as documented when rate limits reject most requests (seed ${SEED})`, async () => {
  const report = await fuzzWithLimits(LIMITED);
  expectNothingFound(report);
  expect(report.statuses['nothing: 429']).toBeGreaterThan(5);
});

it(`answers as documented while trading is halted (seed ${SEED})`, async () => {
  const report = await fuzzHalted(LIMITED);
  expectNothingFound(report);
  expect(report.orders).toBe(0);
  expect(report.statuses['nothing: 503']).toBeGreaterThan(5);
});

it(`answers as documented while orders are quarantined (seed ${SEED})`, async () => {
  const report = await fuzzQuarantined(LIMITED);
  expectNothingFound(report);
  expect(report.orders).toBeGreaterThan(10);
});

function expectNothingFound({ findings, problems }: FuzzReport): void {
  expect([...findings.map((finding) => findingText(finding, SEED)), ...problems]).toEqual([]);
}
