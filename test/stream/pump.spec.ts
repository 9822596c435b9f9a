import { describe, expect, it } from 'vitest';
import { REPLAY_STEPS_PER_TURN_MAX, REPLAY_TURN_MS_MAX } from '../../src/domain/limits/clients.js';
import { Pump, type PumpTask } from '../../src/stream/pump.js';
import { ManualTimers } from './manual-timers.js';

/** A task of a number of pieces that each take the same time. */
class Work implements PumpTask {
  done = 0;
  isAborted = false;
  readonly owner: string;
  readonly #act: (hasTime: () => boolean) => boolean;

  constructor(owner: string, act: (work: Work, hasTime: () => boolean) => boolean) {
    this.owner = owner;
    this.#act = (hasTime) => act(this, hasTime);
  }

  step(hasTime: () => boolean): boolean {
    return this.#act(hasTime);
  }

  abort(): void {
    this.isAborted = true;
  }
}

describe('Pump', () => {
  it('ends a turn when its time is over, in the middle of a step', () => {
    const timers = new ManualTimers();
    const pump = new Pump(timers, () => undefined);
    const pieceMs = 0.5;
    const work = new Work('demo', (own, hasTime) => {
      for (let piece = 0; piece < 1_000; piece += 1) {
        if (piece > 0 && !hasTime()) break;
        timers.pass(pieceMs);
        own.done += 1;
      }
      return own.done < 100_000;
    });
    pump.add(work);
    for (let turns = 1; turns <= 100; turns += 1) {
      const beganMs = timers.nowMs();
      timers.turn();
      expect(timers.nowMs() - beganMs).toBeLessThanOrEqual(REPLAY_TURN_MS_MAX + pieceMs);
      expect(work.done).toBeGreaterThanOrEqual(turns);
    }
  });

  it('runs a bounded number of steps in a turn, also when they are fast', () => {
    const timers = new ManualTimers();
    const pump = new Pump(timers, () => undefined);
    const work = new Work('demo', (own) => (own.done += 1) > 0);
    pump.add(work);
    timers.turn();
    expect(work.done).toBe(REPLAY_STEPS_PER_TURN_MAX);
  });

  it('serves accounts in turn, also when one has many replays', () => {
    const timers = new ManualTimers();
    const pump = new Pump(timers, () => undefined);
    const steps: string[] = [];
    const workOf = (owner: string): Work => new Work(owner, () => steps.push(owner) > 0);
    for (let replays = 0; replays < 500; replays += 1) pump.add(workOf('busy'));
    pump.add(workOf('quiet'));
    timers.turn();
    const share = REPLAY_STEPS_PER_TURN_MAX / 2;
    expect(steps.filter((owner) => owner === 'quiet')).toHaveLength(share);
    expect(steps.filter((owner) => owner === 'busy')).toHaveLength(share);
  });

  it('yields to the event loop between its turns', () => {
    const timers = new ManualTimers();
    const pump = new Pump(timers, () => undefined);
    const seen: string[] = [];
    pump.add(new Work('demo', (own) => seen.push('step') > 0 && (own.done += 1) < 3 * REPLAY_STEPS_PER_TURN_MAX));
    timers.turn();
    timers.soon(() => seen.push('other'));
    timers.turn();
    expect(seen.indexOf('other')).toBeLessThanOrEqual(2 * REPLAY_STEPS_PER_TURN_MAX);
  });

  it('aborts a task whose step fails, and serves the others', () => {
    const timers = new ManualTimers();
    const faults: unknown[] = [];
    const pump = new Pump(timers, (error) => faults.push(error));
    const broken = new Work('demo', () => {
      throw new Error('the step fails');
    });
    const whole = new Work('demo', (own) => (own.done += 1) < 3);
    pump.add(broken);
    pump.add(whole);
    timers.turn();
    expect([broken.isAborted, whole.done, faults.length]).toEqual([true, 3, 1]);
  });
});
