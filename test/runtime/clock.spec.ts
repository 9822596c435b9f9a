import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClockWatch } from '../../src/runtime/service-time.js';
import { ServiceClock, startClock } from '../../src/runtime/clock.js';

const START_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

/** A machine with clocks that a test sets, and a service on it. */
class Machine {
  monotonicMs = 1_000_000;
  wallMs = START_MS;
  readonly warnings: string[] = [];
  readonly clock: ServiceClock;
  readonly watch: ClockWatch;

  constructor(speed = 1, serviceMs = START_MS, leadMs = 0) {
    const origin = startClock({ serviceMs, leadMs, speed }, this.monotonicMs);
    this.clock = new ServiceClock(origin, () => this.monotonicMs);
    this.watch = new ClockWatch({
      clock: this.clock,
      wallMs: () => this.wallMs,
      nowMonotonicMs: () => this.monotonicMs,
      log: { warn: (_context, message) => this.warnings.push(message), info: () => undefined },
    });
  }

  /** Lets the given number of seconds pass. The watch looks once a second. */
  pass(seconds: number): void {
    for (let second = 0; second < seconds; second += 1) {
      this.monotonicMs += 1_000;
      this.wallMs += 1_000;
      this.watch.check();
    }
  }
}

describe('service time', () => {
  it.each([
    ['forward', HOUR_MS, 1.25, 4 * 3600],
    ['back', -HOUR_MS, 0.5, 2 * 3600],
  ])('is slewed when the wall clock is put %s by an hour', (direction, stepMs, pace, seconds) => {
    const machine = new Machine();
    machine.pass(10);
    machine.wallMs += stepMs;
    const before = machine.clock.nowMs();
    machine.watch.check();
    expect(machine.clock.nowMs()).toBe(before);
    expect(machine.watch.figures).toMatchObject({
      errorMs: -stepMs,
      offsetMs: -stepMs,
      stepCount: 1,
      lastStepMs: stepMs,
    });
    expect(machine.warnings[0]).toBe(`the wall clock was put ${direction} by 60 minutes`);
    machine.pass(100);
    expect(machine.clock.nowMs() - before).toBe(100_000 * pace);
    machine.pass(seconds);
    expect(Math.abs(machine.watch.figures.errorMs)).toBeLessThanOrEqual(500);
    expect(machine.watch.figures.pace).toBe(1);
    expect(machine.watch.figures.stepCount).toBe(1);
  });

  it('keeps its speed while simulated time runs ahead of the wall clock', () => {
    const machine = new Machine(60);
    machine.pass(3600);
    expect(machine.clock.nowMs() - START_MS).toBe(60 * HOUR_MS);
    expect(machine.watch.figures).toMatchObject({ errorMs: 0, offsetMs: 59 * HOUR_MS, stepCount: 0, pace: 60 });
    expect(machine.warnings).toEqual([]);
  });

  it('keeps the lead of an earlier simulated speed', () => {
    const machine = new Machine(1, START_MS + HOUR_MS, HOUR_MS);
    machine.pass(100);
    expect(machine.watch.figures).toMatchObject({ errorMs: 0, offsetMs: HOUR_MS, pace: 1 });
  });

  it('neither jumps nor runs back after any step of the wall clock', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: -4 * 24, max: 4 * 24 })));
    fc.assert(
      fc.property(steps, fc.constantFrom(0.5, 1, 60), (moves, speed) => {
        const machine = new Machine(speed);
        // Another thread's clock of the same origin.
        const other = new ServiceClock(machine.clock.origin, () => machine.monotonicMs);
        let last = machine.clock.nowMs();
        for (const [seconds, hours] of moves) {
          machine.wallMs += hours * HOUR_MS;
          machine.watch.check();
          machine.pass(seconds);
          const now = machine.clock.nowMs();
          const atMost = seconds * 1_000 * (speed + 0.25 * Math.min(1, speed)) + 1;
          expect(now).toBeGreaterThanOrEqual(last);
          expect(now - last).toBeLessThanOrEqual(atMost);
          expect(other.nowMs()).toBe(now);
          last = now;
        }
      }),
    );
  });

  it('is never earlier than a time that the same thread read before a change of pace', () => {
    const machine = new Machine();
    machine.monotonicMs += 100;
    const read = machine.clock.exactMs();
    // Another thread sets a pace with an earlier reading of the monotonic clock.
    const lateWriter = new ServiceClock(machine.clock.origin, () => machine.monotonicMs - 50);
    lateWriter.setPace(0.5);
    expect(machine.clock.exactMs()).toBeGreaterThanOrEqual(read);
  });

  it('wakes a sleeper by the present pace', () => {
    const machine = new Machine();
    machine.wallMs -= HOUR_MS;
    machine.watch.check();
    expect(machine.clock.realMsUntil(machine.clock.exactMs() + 1_000)).toBe(2_000);
  });
});
