import { describe, expect, it } from 'vitest';
import { runs } from '../../runs.js';
import { FAULTLESS, filledOf, submissionOf, type Weather } from './lossy-exchange.js';
import { World } from './session-world.js';

const STORM: Weather = {
  requestLost: 0.05,
  requestLate: 0.15,
  executedLate: 0.1,
  engineMsMin: 0,
  engineMs: 30_000,
  hiddenMs: 0,
  answerLost: 0.1,
  answerLate: 0.15,
  answerBlank: 0.1,
  updateLost: 0.05,
  updateTwice: 0.1,
  updateLate: 0.2,
  stale: 0.2,
  denied: 0.1,
};

function storm(seed: number, weather: Weather, hasRestarts: boolean): World {
  const world = new World(seed);
  world.pass(100);
  world.exchange.weather = weather;
  let placed = 0;
  for (let step = 0; step < 120; step += 1) {
    const draw = world.chance();
    const live = world.exchange.open();
    const some = live[Math.floor(world.chance() * live.length)];
    if (draw < 0.3) world.shard.submit(submissionOf((placed += 1), 1), world.nowMs);
    else if (draw < 0.6 && some !== undefined) world.exchange.trade(some, world.chance());
    else if (draw < 0.75) world.shard.cancelSome(world.chance(), world.nowMs);
    else if (draw < 0.79) world.cut();
    else if (draw < 0.83) world.shard.askSome(world.chance(), world.nowMs);
    else if (draw < 0.85) world.shard.forgetSome(world.chance(), world.nowMs);
    else if (draw < 0.9 && world.exchange.onUpdate === null) world.connect();
    else if (draw < 0.92 && hasRestarts) world.restart();
    world.pass(world.chance() * 600);
  }
  world.exchange.weather = FAULTLESS;
  world.connect();
  world.pass(150_000);
  world.shard.asksResting = false;
  world.pass(20_000);
  return world;
}

/**
 * A storm in which the exchange denies orders that it has shown for up to 200 s each, or loses all orders at one time.
 */
function denials(seed: number, isWiped: boolean, hasRestarts: boolean): World {
  const world = new World(seed);
  world.pass(100);
  world.exchange.weather = { ...STORM, denied: 0 };
  for (let step = 0; step < 120; step += 1) {
    const draw = world.chance();
    const live = world.exchange.open();
    const some = live[Math.floor(world.chance() * live.length)];
    if (draw < 0.3) world.shard.submit(submissionOf(step + 1, 1), world.nowMs);
    else if (draw < 0.5 && some !== undefined) world.exchange.trade(some, world.chance());
    else if (draw < 0.6) world.shard.cancelSome(world.chance(), world.nowMs);
    else if (draw < 0.75 && some !== undefined) world.exchange.deny(some.name, world.chance() * 200_000);
    else if (draw < 0.8) world.cut();
    else if (draw < 0.88 && world.exchange.onUpdate === null) world.connect();
    else if (draw < 0.9 && hasRestarts) world.restart();
    if (isWiped && step === 80) world.exchange.wipe();
    world.pass(world.chance() * 600);
  }
  world.exchange.weather = FAULTLESS;
  world.connect();
  world.pass(isWiped ? 700_000 : 350_000);
  world.shard.asksResting = false;
  world.pass(20_000);
  return world;
}

/** Judges the shard's view by the ledger, which the session never sees. */
function judge({ exchange, shard, contradictions }: World): void {
  expect(exchange.sent.length).toBe(new Set(exchange.sent).size);
  expect(contradictions.filter((what) => !DENIALS.has(what))).toEqual([]);
  for (const [name, child] of shard.children) {
    const order = exchange.ledger.get(name);
    if (order === undefined) {
      expect([name, child.state]).toEqual([name, child.state === 'REFUSED' ? 'REFUSED' : 'ABSENT']);
      continue;
    }
    expect([name, child.state, child.filled]).toEqual([name, order.state, filledOf(order, Infinity)]);
  }
}

const DENIALS = new Set(['an order is denied', 'a denied order waits for an operator']);

describe('a session at an exchange that denies orders which it has shown', () => {
  it.each([
    ['for minutes', false],
    ['for minutes, while the process is killed again and again', true],
  ])('ends with its ledger when it denies them %s', (_what, hasRestarts) => {
    for (let seed = 0; seed < runs(20, 1_000); seed += 1) judge(denials(seed, false, hasRestarts));
  });

  it.each([
    ['loses all orders', false],
    ['loses all orders, while the process is killed again and again', true],
  ])('never takes one for absent, and says that it is denied, when it %s', (_what, hasRestarts) => {
    let denied = 0;
    for (let seed = 0; seed < runs(20, 1_000); seed += 1) {
      const { exchange, shard } = denials(seed, true, hasRestarts);
      for (const [name, child] of shard.children) {
        if (!exchange.deniedUntilMs.has(name) || child.venueOrderId === null) continue;
        expect([name, child.state]).not.toEqual([name, 'ABSENT']);
        if (child.state === 'UNKNOWN') expect([name, child.isDenied]).toEqual([name, true]);
        if (child.isDenied) denied += 1;
      }
    }
    expect(denied).toBeGreaterThan(0);
  });
});

describe('a session at a real exchange', () => {
  it('reports each order, fill and end once over a good line', () => {
    for (let seed = 0; seed < runs(10, 40); seed += 1) judge(storm(seed, FAULTLESS, false));
  });

  it.each([
    ['loses, delays, repeats and reorders', STORM, false],
    ['does so while the process is killed again and again', STORM, true],
    ['loses every second answer', { ...FAULTLESS, answerLost: 0.5 }, true],
    ['carries requests late, half of them after their expiry', { ...FAULTLESS, requestLate: 1 }, false],
    [
      'carries half of the requests out up to 30 s late, with answers that say nothing',
      { ...FAULTLESS, executedLate: 0.5, engineMs: 30_000, answerLost: 0.1, updateLost: 0.2 },
      false,
    ],
    [
      'carries every request out late while the process is killed again and again',
      { ...FAULTLESS, executedLate: 1, engineMs: 45_000, updateLost: 0.3 },
      true,
    ],
    [
      'hides new orders for 30 s after the engine has taken them late',
      { ...FAULTLESS, executedLate: 0.5, engineMs: 25_000, hiddenMs: 30_000, updateLost: 1 },
      true,
    ],
    ['shows the past and denies live orders', { ...FAULTLESS, stale: 0.7, denied: 0.5 }, true],
  ] as const)('ends with the ledger of the exchange when the line %s', (_what, weather, hasRestarts) => {
    for (let seed = 0; seed < runs(40, 1_000); seed += 1) judge(storm(seed, weather, hasRestarts));
  });
});
