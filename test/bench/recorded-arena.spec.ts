import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { estimateMean } from '../../bench/paired-difference.js';
import { type Arena, ASSUMPTIONS, type Condition, GRID, nameOf, USUAL } from '../../bench/quality/arena.js';
import { BASELINES, HYBRID } from '../../bench/quality/policy.js';
import { recordedArena, surveyOf, type Survey } from '../../bench/quality/recorded-arena.js';
import { known, type MetricKey, trialOf, valuesOf } from '../../bench/quality/trial.js';
import type { DurationMs } from '../../src/domain/time.js';
import type { OrderRun } from '../../src/backtest/backtest-run.js';
import { recordingsIn } from '../../src/backtest/recording.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';

const WINDOW_MS = 9_000 as DurationMs;
const MARKET = BASELINES.find(({ name }) => name === 'market order')!;
const CONDITION: Condition = { ...USUAL, durationMs: WINDOW_MS };
const instrument = buildCatalogue().findCanonical('BINANCE', 'BTC/USDT')!;
let survey: Survey;
let arena: Arena;

beforeAll(async () => {
  const [recording] = recordingsIn(join(import.meta.dirname, '../backtest/recordings'));
  survey = await surveyOf(recording!, instrument);
  arena = recordedArena({ survey, condition: CONDITION, half: 'judge' });
});

function reasonsOf({ events }: OrderRun): string[] {
  return events.flatMap(({ envelope: { event } }) =>
    event.kind === 'ChildSubmitted' ? [event.order.reason.code] : [],
  );
}

/** Milliseconds from the placement of a MARKET order to its first fill. */
async function firstFill(condition: Condition): Promise<number> {
  const run = await recordedArena({ survey, condition, half: 'judge' }).work(MARKET, 0, 'BUY');
  return run.execution.fills[0]!.atMs - run.state.order.createdAtMs;
}

describe('figures of an order', () => {
  it('count from the placement and show the delay until the first child', async () => {
    const rule = BASELINES.find(({ name }) => name === 'random times')!;
    const run = await arena.work(rule, 0, 'SELL');
    const { createdAtMs } = run.state.order;
    const first = run.events.find(({ envelope: { event } }) => event.kind === 'ChildSubmitted')!.envelope.eventAtMs;
    expect(first).toBeGreaterThan(createdAtMs);
    const [placed, sent] = [run.market.mids.at(createdAtMs)!, run.market.mids.at(first)!];
    const trial = trialOf(run, instrument);
    expect(trial.delay).toBeCloseTo((-10_000 * (sent - placed)) / placed, 9);
    const average = run.cost.averagePrice!;
    expect(trial.arrival).toBeCloseTo((-10_000 * (average - placed)) / placed, 9);
  });

  it('weigh markouts by the filled quantity', async () => {
    const trial = trialOf(await arena.work(HYBRID, 0, 'BUY'), instrument);
    expect(trial.weights.markout1).toBeCloseTo(trial.completion!, 9);
    expect(trial.weights.passiveMarkout1).toBeCloseTo(trial.completion! * trial.makerShare!, 9);
    const small = { ...trial, markout1: 9, allIn: 9, weights: { ...trial.weights, markout1: 0.1 } };
    const large = { ...trial, markout1: -1, allIn: -1, weights: { ...trial.weights, markout1: 0.9 } };
    const observations = { arena, byPolicy: new Map([[HYBRID, [small, large]]]), shares: [['a'], ['b']] };
    const meanAt = (key: MetricKey): number => estimateMean(known(valuesOf(observations, HYBRID, key)), () => 0.5).mean;
    expect(meanAt('markout1')).toBeCloseTo(0, 9);
    expect(meanAt('allIn')).toBe(4);
  });
});

describe('an unfilled rest', () => {
  it('costs what a MARKET order for it pays at the end: spread, impact and fee', async () => {
    const rule = BASELINES.find(({ name }) => name === 'passive at touch')!;
    const large = recordedArena({ survey, condition: { ...CONDITION, share: 3 }, half: 'judge' });
    const run = await large.work(rule, 0, 'BUY');
    const trial = trialOf(run, instrument);
    expect(trial.completion).toBeLessThan(1);
    const { mids } = run.market;
    const [endMid, placed] = [mids.at(run.execution.endMs)!, mids.at(run.state.order.createdAtMs)!];
    expect(run.restPrice).toBeGreaterThan(endMid);
    const paid = run.execution.fills.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
    const filled = run.execution.fills.reduce((sum, { quantity }) => sum + quantity, 0);
    const { quantity } = run.execution;
    const fees = (paid * instrument.makerFeePpm + (quantity - filled) * run.restPrice! * instrument.takerFeePpm) / 1e6;
    const whole = paid + (quantity - filled) * run.restPrice! + fees;
    expect(trial.allIn).toBeCloseTo((10_000 * (whole - quantity * placed)) / (quantity * placed), 3);
  });
});

describe('conditions of a replay', () => {
  it('change the latency, the queue model and the size', async () => {
    expect(await firstFill(CONDITION)).toBeLessThan(50);
    expect(await firstFill({ ...CONDITION, latencyMs: 50 })).toBeGreaterThanOrEqual(50);
    expect(GRID.map(nameOf)).toContain('5 ms, risk-averse, 25 % in 3600 s');
    expect(new Set(GRID.map(nameOf)).size).toBe(GRID.length);
    expect(ASSUMPTIONS.map(nameOf)).toEqual([
      '5 ms, risk-averse, 1 % in 60 s',
      '5 ms, probabilistic, 1 % in 60 s',
      '50 ms, risk-averse, 1 % in 60 s',
    ]);
  });
});

describe('windows of a recording', () => {
  it('are consecutive halves, and leave a minute of the recording for markouts', async () => {
    const short = 4_000 as DurationMs;
    const halves = (['tune', 'judge'] as const).map((half) =>
      recordedArena({ survey, condition: { ...USUAL, durationMs: short }, half }),
    );
    expect(halves.map(({ windowCount }) => windowCount)).toEqual([3, 3]);
    const starts: number[] = [];
    for (const { windowCount, work } of halves) {
      for (let window = 0; window < windowCount; window += 1) {
        const run = await work(HYBRID, window, 'SELL');
        starts.push(run.state.order.createdAtMs);
      }
    }
    const [first = 0, ...later] = starts;
    later.forEach((startMs, index) => expect(Math.abs(startMs - first - (index + 1) * short)).toBeLessThan(1_000));
    const last = await arena.work(HYBRID, arena.windowCount - 1, 'SELL');
    expect(last.knownUntilMs - last.execution.endMs).toBeGreaterThan(50_000);
  });

  it('begin at multiples of their duration after a half of it is known, and share calendar minutes', async () => {
    const windows = recordedArena({ survey, condition: CONDITION, half: 'tune' });
    expect(windows.windowCount).toBe(1);
    const { createdAtMs } = (await windows.work(HYBRID, 0, 'BUY')).state.order;
    expect(createdAtMs % WINDOW_MS).toBeLessThan(1_000);
    expect(createdAtMs).toBeGreaterThan(survey.firstAtMs + WINDOW_MS / 2);
    // The recording begins at 22:13:20.
    expect(windows.sharesOf(0)).toEqual(['BINANCE 2023-11-14T22:13']);
    expect(arena.sharesOf(0)).toEqual(['BINANCE 2023-11-14T22:13']);
  });

  it('look no further than the other half in the half that chooses', async () => {
    const run = await recordedArena({ survey, condition: CONDITION, half: 'tune' }).work(HYBRID, 0, 'BUY');
    const judged = await arena.work(HYBRID, 0, 'BUY');
    expect(run.knownUntilMs).toBeLessThanOrEqual(judged.state.order.createdAtMs);
    expect(trialOf(run, instrument)).toMatchObject({ markout60: null });
  });

  it('have orders sized by the volume before them', async () => {
    const run = await arena.work(HYBRID, 0, 'BUY');
    const { createdAtMs, legs } = run.state.order;
    const before = survey.market.trades.between(survey.firstAtMs, createdAtMs - 1).volume;
    const rate = before / (createdAtMs - survey.firstAtMs);
    expect(legs[0].quantity / (0.01 * rate * WINDOW_MS)).toBeCloseTo(1, 1);
  });

  it("let a published rule trade instead of the service's strategy", async () => {
    const rule = BASELINES.find(({ name }) => name === 'market order')!;
    const [own, published] = [await arena.work(HYBRID, 0, 'BUY'), await arena.work(rule, 0, 'BUY')];
    expect(published.state.order.createdAtMs).toBe(own.state.order.createdAtMs);
    expect(trialOf(published, instrument)).toMatchObject({ completion: 1, makerShare: 0 });
    // The rule takes the whole quantity at once. The strategy divides it.
    expect(reasonsOf(published)).toEqual(['TAKE']);
    expect(reasonsOf(own).length).toBeGreaterThan(1);
    expect(reasonsOf(own)).not.toContain('TAKE');
  });
});
