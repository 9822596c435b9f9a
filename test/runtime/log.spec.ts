import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { createLogMemory, LogStream, LogWriter, threadLog } from '../../src/runtime/log.js';
import { createBell } from '../../src/wire/bell.js';
import type { LogMemory } from '../../src/wire/worker-data.js';

const RING_BYTES = 4096;
const FATAL = 60;

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly thread?: string;
  readonly lines?: number;
  readonly n?: number;
}

/** One thread's log and its writer, which takes lines only in `drain`. */
class Rig {
  readonly memory: LogMemory = createLogMemory(createBell(), RING_BYTES);
  readonly written: Line[] = [];
  readonly #writer = new LogWriter({ bell: this.memory.bell, threads: { main: this.memory } }, (text) => {
    for (const line of text.trimEnd().split('\n')) this.written.push(JSON.parse(line) as Line);
  });

  drain(): void {
    while (this.#writer.drain());
  }
}

describe('the log', () => {
  it('writes the lines of a thread in their order', () => {
    const rig = new Rig();
    const log = threadLog('info', rig.memory, { thread: 'venue' });
    for (let n = 0; n < 10; n += 1) log.info({ n }, 'a line');
    log.debug('below the level');
    rig.drain();
    expect(rig.written.map(({ n, thread }) => [n, thread])).toEqual(Array.from({ length: 10 }, (_, n) => [n, 'venue']));
  });

  it('drops lines while the ring is full, and writes their number when there is room', () => {
    const rig = new Rig();
    const log = threadLog('info', rig.memory, null);
    for (let n = 0; n < 1_000; n += 1) log.info({ n }, 'a line');
    rig.drain();
    const lines = rig.written.filter(({ msg }) => msg === 'a line');
    const notice = rig.written.at(-1);
    expect(lines.map(({ n }) => n)).toEqual(lines.map((_, index) => index));
    expect(lines.length).toBeGreaterThan(10);
    expect(notice).toMatchObject({ level: 40, thread: 'main', lines: 1_000 - lines.length });
    log.info('after the gap');
    rig.drain();
    expect(rig.written.at(-1)?.msg).toBe('after the gap');
    expect(rig.written.filter(({ lines: count }) => count !== undefined)).toHaveLength(1);
  });

  it('drops a line that is longer than the ring takes, and counts it', () => {
    const rig = new Rig();
    threadLog('info', rig.memory, null).info('x'.repeat(RING_BYTES));
    rig.drain();
    expect(rig.written).toMatchObject([{ lines: 1 }]);
  });

  it('returns from a fatal line after a bounded time when no line is written', () => {
    const { memory } = new Rig();
    const stream = new LogStream(memory, 50);
    stream.lastLevel = FATAL;
    const beganAtMs = performance.now();
    stream.write('{"level":60}\n');
    stream.flushSync();
    expect(performance.now() - beganAtMs).toBeGreaterThanOrEqual(45);
    expect(performance.now() - beganAtMs).toBeLessThan(5_000);
  });

  it('waits with a fatal line until another thread has written it', async () => {
    const { memory } = new Rig();
    // The writer of another thread: it takes everything 100 ms later.
    const writer = new Worker(
      `const { workerData: { counts }, parentPort } = require('node:worker_threads');
       const words = new Int32Array(counts);
       parentPort.postMessage('up');
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
       Atomics.store(words, 1, 1);
       Atomics.notify(words, 1);`,
      { eval: true, workerData: { counts: memory.counts } },
    );
    await new Promise((resolve) => writer.once('message', resolve));
    const stream = new LogStream(memory, 60_000);
    stream.lastLevel = FATAL;
    stream.write('{"level":60}\n');
    stream.flushSync();
    expect(new Int32Array(memory.counts)[1]).toBe(1);
    await writer.terminate();
  });
});
