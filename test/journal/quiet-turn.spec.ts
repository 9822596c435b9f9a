import { beforeEach, describe, expect, it } from 'vitest';
import { QUIET_TURN_MS } from '../../src/domain/limits/process.js';
import type { RecoveredJournal } from '../../src/journal/open-journal.js';
import { Sequencer } from '../../src/journal/sequencer.js';
import { TurnProducer } from '../../src/journal/turn/turn-producer.js';
import { BlockingBell, createBell } from '../../src/wire/bell.js';
import { createRing } from '../../src/wire/ring.js';
import { dataFolders } from './data-folders.js';
import { recover } from './journal-world.js';
import { ScriptedOrders } from './scripted-orders.js';

const RING_BYTES = 512 * 1024;
const folders = dataFolders();

/** A producer with the bell of its thread, and the journal thread. */
class World {
  nowMs = 0;
  readonly releases: string[] = [];
  readonly producer: TurnProducer;
  readonly #main: RecoveredJournal;
  readonly #bell: BlockingBell;
  readonly #sequencer: Sequencer;

  constructor(dataDir: string) {
    this.#main = recover(dataDir);
    const memory = { appends: createRing(RING_BYTES), places: createRing(RING_BYTES), bell: createBell() };
    const { shared } = this.#main;
    this.#bell = new BlockingBell(memory.bell);
    this.#sequencer = new Sequencer({ dataDir, shared, producers: [memory] });
    this.producer = new TurnProducer({ shared, memory, nowMs: () => this.nowMs });
  }

  append(name: string, isAwaited: boolean): void {
    const orders = new ScriptedOrders();
    orders.create();
    this.producer.append(orders.take().events, () => this.releases.push(name), isAwaited);
  }

  answer(name: string): void {
    this.producer.append([], () => this.releases.push(name), true);
  }

  /** Runs the journal thread. Returns true when it wakes the producer. */
  sync(): boolean {
    while (this.#sequencer.round());
    return this.#bell.wait(0) === 'rung';
  }

  async close(): Promise<void> {
    this.#sequencer.close();
    await this.#main.close();
  }
}

describe('The places of a quiet turn', () => {
  let world: World;
  beforeEach(() => {
    const opened = new World(folders.fresh());
    world = opened;
    return () => opened.close();
  });

  it('do not wake the thread, which finds them when it wakes', () => {
    world.append('quiet', false);
    expect(world.sync()).toBe(false);
    world.producer.releaseDurable();
    expect(world.releases).toEqual(['quiet']);
  });

  it('are found together with those of an awaited turn, which wake the thread', () => {
    world.append('quiet', false);
    world.append('awaited', true);
    expect(world.sync()).toBe(true);
    world.producer.releaseDurable();
    expect(world.releases).toEqual(['quiet', 'awaited']);
  });

  it('wake the thread when the turn has waited QUIET_TURN_MS', () => {
    world.append('quiet', false);
    expect(world.sync()).toBe(false);
    world.nowMs += QUIET_TURN_MS;
    expect(world.producer.wakeLater()).toBe(Infinity);
    expect(world.sync()).toBe(true);
    world.producer.releaseDurable();
    expect(world.releases).toEqual(['quiet']);
  });

  it('wake the thread when an answer waits for the turn', () => {
    world.append('quiet', false);
    expect(world.sync()).toBe(false);
    world.answer('refused');
    expect(world.sync()).toBe(true);
    world.producer.releaseDurable();
    expect(world.releases).toEqual(['quiet', 'refused']);
  });
});
