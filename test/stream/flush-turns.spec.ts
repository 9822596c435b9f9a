import { describe, expect, it } from 'vitest';
import { WS_FLUSH_TURN_MS_MAX } from '../../src/domain/limits/clients.js';
import { FlushTurns } from '../../src/stream/flush-turns.js';

const STEPS_PER_MS = 10;

/** Flushes that take a tenth of a millisecond each, and the turns of the event loop. */
class Rig {
  readonly sent: string[] = [];
  readonly faults: unknown[] = [];
  readonly waiting: (() => void)[] = [];
  #steps = 0;
  readonly turns = new FlushTurns(
    { nowMs: () => this.#steps / STEPS_PER_MS, soon: (run) => void this.waiting.push(run) },
    (error) => this.faults.push(error),
  );

  flushOf(name: string): () => void {
    return () => {
      this.#steps += 1;
      this.sent.push(name);
    };
  }

  /** One turn of the event loop; false: none was requested. */
  turn(): boolean {
    const run = this.waiting.shift();
    run?.();
    return run !== undefined;
  }
}

const microtasks = (): Promise<void> => Promise.resolve();

describe('the turns of flushes', () => {
  it('run few flushes at the end of the present callback', async () => {
    const rig = new Rig();
    const flush = rig.flushOf('a');
    rig.turns.add('demo', flush);
    rig.turns.add('demo', flush);
    expect(rig.sent).toEqual([]);
    await microtasks();
    expect([rig.sent, rig.waiting.length]).toEqual([['a'], 0]);
    rig.turns.add('demo', flush);
    await microtasks();
    expect(rig.sent).toEqual(['a', 'a']);
  });

  it('spread many flushes over turns, and another account waits for one of them', async () => {
    const rig = new Rig();
    const names = Array.from({ length: 800 }, (_, index) => `greedy ${index}`);
    for (const name of names) rig.turns.add('greedy', rig.flushOf(name));
    rig.turns.add('other', rig.flushOf('other'));
    await microtasks();
    const perTurn = WS_FLUSH_TURN_MS_MAX * STEPS_PER_MS;
    expect(rig.sent.slice(0, 3)).toEqual(['greedy 0', 'other', 'greedy 1']);
    expect(rig.sent).toHaveLength(perTurn);
    rig.turns.add('late', rig.flushOf('late'));
    await microtasks();
    expect(rig.sent).toHaveLength(perTurn);
    rig.turn();
    expect(rig.sent.indexOf('late')).toBeLessThan(perTurn + 2);
    let turns = 1;
    while (rig.turn()) turns += 1;
    expect(turns).toBe(Math.ceil((names.length + 2) / perTurn) - 1);
    expect(rig.sent.filter((name) => name.startsWith('greedy'))).toEqual(names);
  });

  it('continue after a flush that fails', async () => {
    const rig = new Rig();
    const failure = new Error('a closed socket');
    rig.turns.add('demo', () => {
      throw failure;
    });
    rig.turns.add('demo', rig.flushOf('a'));
    await microtasks();
    expect([rig.faults, rig.sent]).toEqual([[failure], ['a']]);
  });
});
