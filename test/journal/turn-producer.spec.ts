import { describe, expect, it } from 'vitest';
import { QUIET_TURN_MS, TURNS_WAITING_MAX } from '../../src/domain/limits/process.js';
import { SharedJournal } from '../../src/journal/shared-journal.js';
import { TurnProducer } from '../../src/journal/turn/turn-producer.js';
import { BlockingBell } from '../../src/wire/bell.js';
import { createRing } from '../../src/wire/ring.js';
import { ScriptedOrders } from './scripted-orders.js';

const RING_BYTES = 512 * 1024;

/** A producer with a clock of the test, and the bell of a journal thread that never runs. */
class World {
  nowMs = 100;
  readonly #shared = SharedJournal.create({ lastSeq: 0, end: 0, segmentBytes: 64 * 1024 * 1024 });
  readonly #bell = new BlockingBell(this.#shared.bell);
  readonly producer = new TurnProducer({
    shared: this.#shared,
    memory: { appends: createRing(RING_BYTES), places: createRing(RING_BYTES) },
    nowMs: () => this.nowMs,
  });

  get isRung(): boolean {
    return this.#bell.wait(0) === 'rung';
  }

  append(isAwaited: boolean): void {
    const orders = new ScriptedOrders();
    orders.create();
    this.producer.append(orders.take().events, () => undefined, isAwaited);
  }
}

describe('A quiet turn', () => {
  it('wakes the journal thread after QUIET_TURN_MS', () => {
    const world = new World();
    world.append(false);
    expect(world.isRung).toBe(false);
    expect(world.producer.wakeLater()).toBe(QUIET_TURN_MS);
    world.nowMs += QUIET_TURN_MS / 2;
    world.append(false);
    expect(world.producer.wakeLater()).toBe(QUIET_TURN_MS / 2);
    world.nowMs += QUIET_TURN_MS / 2;
    expect(world.producer.wakeLater()).toBe(Infinity);
    expect(world.isRung).toBe(true);
    expect(world.producer.wakeLater()).toBe(Infinity);
    expect(world.isRung).toBe(false);
  });

  it('goes with the next turn that is awaited', () => {
    const world = new World();
    world.append(false);
    world.append(true);
    expect(world.isRung).toBe(true);
    expect(world.producer.wakeLater()).toBe(Infinity);
  });

  it('goes at once when a turn without events, such as a request, waits for it', () => {
    const world = new World();
    world.append(false);
    world.producer.append([], () => undefined, true);
    expect(world.isRung).toBe(true);
  });

  it('wakes the journal thread at once when half of the turns that may wait do so', () => {
    const world = new World();
    for (let count = 1; count < TURNS_WAITING_MAX / 2; count += 1) world.append(false);
    expect(world.isRung).toBe(false);
    world.append(false);
    expect(world.isRung).toBe(true);
  });
});
