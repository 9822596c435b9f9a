import { describe, expect, it } from 'vitest';
import {
  SHARD_SILENCE_MS_MAX,
  TERMINATION_MS_MAX,
  THREAD_SILENCE_MS_MAX,
  THREAD_SILENCE_MS_WARNING,
  THREAD_START_MS_MAX,
} from '../../src/domain/limits/process.js';
import { ThreadWatch } from '../../src/runtime/thread-watch.js';

/** A venue and a shard whose beats the test can stop. The watch looks once a second. */
class Rig {
  nowMs = 0;
  readonly beats = { venue: 0, shard: 0 };
  readonly hung = new Set<string>();
  isUp = true;
  readonly said: string[] = [];
  readonly watch: ThreadWatch;

  constructor() {
    const thread = (name: 'venue' | 'shard', isRestartable: boolean, silenceMsMax: number) => ({
      name,
      beat: () => this.beats[name],
      isUp: () => this.isUp,
      isRestartable,
      silenceMsWarning: THREAD_SILENCE_MS_WARNING,
      silenceMsMax,
    });
    const threads = [thread('venue', true, THREAD_SILENCE_MS_MAX), thread('shard', false, SHARD_SILENCE_MS_MAX)];
    this.watch = new ThreadWatch(threads, {
      nowMs: () => this.nowMs,
      log: {
        error: (context, message) => this.said.push(`${message}: ${(context as { thread: string }).thread}`),
        info: (_context, message) => this.said.push(message),
      },
      terminate: (name, reason) => this.said.push(`terminate ${name}: ${reason}`),
      onStuck: (reason) => this.said.push(`stuck: ${reason}`),
    });
    this.pass(2_000);
  }

  pass(ms: number): void {
    for (let left = ms; left > 0; left -= 1_000) {
      this.nowMs += 1_000;
      for (const name of ['venue', 'shard'] as const) if (!this.hung.has(name)) this.beats[name] += 1;
      this.watch.check();
    }
  }
}

describe('the watch over threads', () => {
  it('reports a silent thread once, and that it moves again', () => {
    const rig = new Rig();
    rig.hung.add('venue');
    rig.pass(THREAD_SILENCE_MS_WARNING - 1_000);
    expect(rig.watch.silent).toEqual([]);
    rig.pass(4_000);
    expect(rig.watch.silent).toEqual(['venue']);
    expect(rig.watch.silences).toEqual({ venue: THREAD_SILENCE_MS_WARNING + 3_000, shard: 0 });
    rig.hung.clear();
    rig.pass(1_000);
    expect(rig.watch.silent).toEqual([]);
    expect(rig.said).toEqual(['a thread does not move: venue', 'the thread moves again']);
  });

  it('terminates a venue that hangs, once, and ends the process when that has no effect', () => {
    const rig = new Rig();
    rig.hung.add('venue');
    rig.pass(THREAD_SILENCE_MS_MAX + 3_000);
    expect(rig.said.at(-1)).toBe('terminate venue: venue has made no turn for 20 s');
    expect(rig.said).toHaveLength(2);
    rig.pass(TERMINATION_MS_MAX);
    expect(rig.said.find((line) => line.startsWith('stuck'))).toBe('stuck: venue has made no turn for 30 s');
  });

  it('counts anew when the thread has ended', () => {
    const rig = new Rig();
    rig.hung.add('venue');
    rig.pass(THREAD_SILENCE_MS_MAX + 3_000);
    rig.watch.forget('venue');
    expect(rig.watch.silent).toEqual([]);
    rig.pass(TERMINATION_MS_MAX);
    expect(rig.said.some((line) => line.startsWith('stuck'))).toBe(false);
  });

  it('ends the process when a shard hangs, which may hold the lock of the journal', () => {
    const rig = new Rig();
    rig.hung.add('shard');
    rig.pass(SHARD_SILENCE_MS_MAX);
    expect(rig.said.at(-1)).toBe('stuck: shard has made no turn for 15 s');
  });

  it('gives a thread that starts its time, a shard without a bound', () => {
    const rig = new Rig();
    rig.isUp = false;
    rig.hung.add('venue').add('shard');
    rig.pass(THREAD_START_MS_MAX - 1_000);
    expect(rig.said).toEqual([]);
    rig.pass(1_000);
    expect(rig.said).toEqual(['stuck: venue has not started within 120 s']);
  });

  it('does not count the time of a start as silence', () => {
    const rig = new Rig();
    rig.isUp = false;
    rig.hung.add('venue');
    rig.pass(THREAD_SILENCE_MS_WARNING);
    rig.isUp = true;
    // The thread is ready and has not beaten yet.
    rig.pass(THREAD_SILENCE_MS_WARNING);
    expect(rig.said).toEqual([]);
    rig.pass(1_000);
    expect(rig.said).toEqual(['a thread does not move: venue']);
  });

  it('blames no thread after the whole process was stopped for an hour', () => {
    const rig = new Rig();
    rig.nowMs += 3_600_000;
    rig.watch.check();
    rig.pass(2_000);
    expect(rig.said).toEqual([]);
  });
});
