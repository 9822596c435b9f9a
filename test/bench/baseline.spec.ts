import { beforeAll, describe, expect, it } from 'vitest';
import { boundedSlice } from '../../bench/quality/baselines.js';
import type { Arena } from '../../bench/quality/arena.js';
import { BASELINES, HYBRID, type Policy } from '../../bench/quality/policy.js';
import { groupsOf } from '../../bench/quality/redundancy.js';
import { simulatedArena } from '../../bench/quality/simulated-arena.js';
import { type Observations, trialOf, type Trial } from '../../bench/quality/trial.js';
import type { OrderRun } from '../../src/backtest/backtest-run.js';
import type { DurationMs } from '../../src/domain/time.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';

const INSTRUMENT = buildCatalogue().findCanonical('BINANCE', 'BTC/USDT:USDT')!;
const LEGS_COUNT = 10;
let arena: Arena;

beforeAll(async () => {
  arena = await simulatedArena({
    instrument: INSTRUMENT,
    windowCount: 1,
    durationMs: 20_000 as DurationMs,
    seed: 7,
  });
});

function policyOf(name: string): Policy {
  return BASELINES.find((baseline) => baseline.name === name)!;
}

async function worked(policy: Policy): Promise<{ run: OrderRun; trial: Trial }> {
  const run = await arena.work(policy, 0, 'BUY');
  return { run, trial: trialOf(run, INSTRUMENT) };
}

/** Lots of the children, in the order in which they were sent. */
function quantitiesOf({ events }: OrderRun): number[] {
  return events.flatMap(({ envelope: { event } }) =>
    event.kind === 'ChildSubmitted' ? [Number(event.order.quantity)] : [],
  );
}

function timesOf({ events }: OrderRun): number[] {
  return events.flatMap(({ envelope: { event, eventAtMs } }) => (event.kind === 'ChildSubmitted' ? [eventAtMs] : []));
}

describe('published rules', () => {
  // Cases of dYdX's own tests, on a grid of 5.
  it.each([
    [1000, 6, 165],
    [1000, 1, 500],
    [1000, 5, 200],
  ])('the bounded catch-up of %d lots with %d legs left sends %d', (left, legsLeft, expected) => {
    expect(Math.floor(boundedSlice({ quantity: 1000, legs: 6, left, legsLeft }) / 5) * 5).toBe(expected);
  });

  it('the market order sends everything in one child at once', async () => {
    const { run, trial } = await worked(policyOf('market order'));
    expect(trial).toMatchObject({ completion: 1, makerShare: 0, children: 1 });
    expect(run.execution.endMs - run.execution.startMs).toBeLessThanOrEqual(20);
  });

  it.each(['dYdX, Pacifica TWAP', 'hummingbot TWAP taker'])('%s takes even slices', async (name) => {
    const { run, trial } = await worked(policyOf(name));
    expect(trial).toMatchObject({ completion: 1, makerShare: 0, children: LEGS_COUNT });
    const quantities = quantitiesOf(run);
    expect(Math.max(...quantities) - Math.min(...quantities)).toBeLessThanOrEqual(1);
  });

  it('the nautilus TWAP rounds slices down and cannot send the remainder', async () => {
    const { run } = await worked(policyOf('nautilus TWAP'));
    const { quantity } = run.execution;
    const slice = Math.floor(quantity / LEGS_COUNT);
    expect(quantitiesOf(run).slice(0, LEGS_COUNT)).toEqual(Array.from({ length: LEGS_COUNT }, () => slice));
    expect(run.state.legs[0].progress.filled).toBeGreaterThanOrEqual(slice * LEGS_COUNT);
  });

  it.each(['passive at touch', 'hummingbot TWAP maker'])('%s rests and does not cross', async (name) => {
    const { run, trial } = await worked(policyOf(name));
    expect(trial.makerShare).toBeGreaterThan(0.5);
    for (const { envelope } of run.events) {
      if (envelope.event.kind === 'ChildSubmitted') expect(envelope.event.order.timeInForce).toBe('GTC');
    }
  });
});

describe('a window', () => {
  it('is the same each time, and starts every policy at the same price', async () => {
    const [one, again, other] = [await worked(HYBRID), await worked(HYBRID), await worked(policyOf('market order'))];
    expect(again.trial).toEqual(one.trial);
    expect(again.run.execution.fills).toEqual(one.run.execution.fills);
    const startMs = one.run.state.order.createdAtMs;
    expect(other.run.state.order.createdAtMs).toBe(startMs);
    expect(other.run.market.mids.at(startMs)).toBe(one.run.market.mids.at(startMs));
  });

  it("does not count the order's own trades as trades of others", async () => {
    const { run, trial } = await worked(policyOf('market order'));
    const { startMs, endMs } = run.execution;
    const own = run.execution.fills.reduce((sum, { quantity }) => sum + quantity, 0);
    const others = run.market.trades.between(startMs, endMs).volume;
    expect(trial.participation).toBeCloseTo(own / (own + others));
    expect(run.execution.fills.length).toBeGreaterThan(0);
  });
});

describe('more published rules', () => {
  it('the front-loaded rule takes twice the average at first and nothing at the end', async () => {
    const { run, trial } = await worked(policyOf('front-loaded'));
    expect(trial).toMatchObject({ completion: 1, makerShare: 0 });
    const { quantity } = run.execution;
    // The last slices are below the exchange's minimum and are sent with the one before.
    const whole = quantitiesOf(run).slice(0, LEGS_COUNT / 2);
    whole.forEach((lots, leg) => {
      expect(Math.abs(lots - (quantity * (2 * (LEGS_COUNT - leg) - 1)) / LEGS_COUNT ** 2)).toBeLessThanOrEqual(1);
    });
  });

  it('the rule of random times takes even parts at the same times on both sides', async () => {
    const rule = policyOf('random times');
    const [one, other] = [await arena.work(rule, 0, 'BUY'), await arena.work(rule, 0, 'SELL')];
    expect(trialOf(one, INSTRUMENT)).toMatchObject({ completion: 1, makerShare: 0 });
    expect(timesOf(other)).toEqual(timesOf(one));
    const gaps = timesOf(one).map((atMs, index, all) => atMs - (all[index - 1] ?? atMs));
    expect(new Set(gaps.slice(1)).size).toBeGreaterThan(3);
  });
});

describe('rules of one family', () => {
  const rules = BASELINES.filter(({ family }) => family !== null);
  const observationsOf = (costs: readonly number[]): Observations => {
    const trial = { allIn: 0 } as Trial;
    return {
      arena: {
        name: 'made',
        place: 'made',
        condition: null,
        kind: 'simulated',
        half: null,
        instrument: INSTRUMENT,
        task: 'none',
      },
      shares: [['one'], ['two']],
      byPolicy: new Map(
        rules.map((rule, index) => [rule, [0, 10].map((shift) => ({ ...trial, allIn: costs[index]! + shift }))]),
      ),
    };
  };

  it('are reported as one where their mean costs agree to 0.01 bps', () => {
    expect(groupsOf(rules, observationsOf([5, 5.009, 4.995])).map(({ name }) => name)).toEqual([
      'taker TWAPs (dYdX, Pacifica; hummingbot; nautilus)',
    ]);
    expect(groupsOf(rules, observationsOf([5, 5.02, 5.005])).map(({ name }) => name)).toEqual([
      'taker TWAPs (dYdX, Pacifica; nautilus)',
      'hummingbot TWAP taker',
    ]);
  });

  it('are never joined with rules of none', () => {
    const strangers = BASELINES.filter(({ family }) => family === null);
    expect(groupsOf(strangers, { ...observationsOf([]), byPolicy: new Map() })).toHaveLength(strangers.length);
  });
});
