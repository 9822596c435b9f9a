import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, vi } from 'vitest';

/*
 * A fast clock for tests on sockets of their own process, set up before their modules are loaded (vitest.config.ts).
 *
 * A peer in the same process needs turns of the event loop to answer, not time. So `Date`, `performance`,
 * `process.hrtime` and the timers of JavaScript advance by a millisecond in some turns: a time-out passes fast, and
 * a busy machine cannot make one out of a slow answer. Timers inside of Node and uWebSockets.js stay on the real clock:
 * keep-alive and handshake limits of HTTP and WebSocket connections.
 *
 * A file has a process of its own. undici keeps the timers that it finds when it is loaded, and would wait forever on
 * the clock of an earlier file.
 */

/** Turns of the event loop in a millisecond. An answer over sockets of this process needs several turns. */
const TURNS_PER_MS = 3;

/** Resources that wait for something to happen. All others are work in progress, which takes real time. */
const WAITING = new Set(['Immediate', 'PipeWrap', 'TCPServerWrap', 'TCPSocketWrap', 'Timeout']);

// The clock does not wait for other threads.
process.on('worker', () => {
  throw new Error('a test with other threads needs the real clock');
});

const realMs = performance.now.bind(performance);
let isRunning = false;
let turns = 0;
let steppedAtMs = 0;

vi.useFakeTimers({
  now: Date.now(),
  toFake: ['Date', 'performance', 'hrtime', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
});
// Loading takes real time, so it is done before the clock runs.
await import('undici');

/**
 * Work of other threads and of the kernel: files, look-ups of names, connections, bytes that a socket has not taken.
 * Node does not name its jobs for `crypto` and `zlib`; no test on this clock has them do any.
 */
function isWorking(): boolean {
  return process.getActiveResourcesInfo().some((resource) => !WAITING.has(resource));
}

/** Advances the clock. While work is in progress it is no faster than the real one. */
function turn(): void {
  if (!isRunning) return;
  // First, because a timer may throw.
  setImmediate(turn);
  const nowMs = realMs();
  turns = isWorking() ? 0 : turns + 1;
  const isDue = turns === 0 ? nowMs - steppedAtMs >= 1 : turns >= TURNS_PER_MS;
  if (!isDue) return;
  turns = 0;
  steppedAtMs = nowMs;
  vi.advanceTimersByTime(1);
}

beforeAll(() => {
  isRunning = true;
  turn();
});
afterAll(() => {
  isRunning = false;
  const addons = Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes('/lmdb/'));
  expect(addons, 'LMDB has threads that this clock does not wait for').toEqual([]);
});
