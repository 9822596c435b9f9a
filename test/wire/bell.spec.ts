import { once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { BellRinger, BlockingBell, createBell, EventLoopBell } from '../../src/wire/bell.js';
import type { BellPeerData } from './bell-peer.js';
import { answerOf, startPeer } from './peer-thread.js';
import { runs } from '../runs.js';

/** Longer than any pause of a busy machine: a wait of this length means that no ring arrived. */
const LOST_RING_MS = 120_000;
const BLOCKED_HANDSHAKES = runs(10_000, 100_000);
const LOOP_HANDSHAKES = runs(5_000, 20_000);
const BURST_RINGS = runs(50_000, 200_000);

interface Meeting {
  readonly peer: Worker;
  readonly ownBell: SharedArrayBuffer;
  readonly testBell: SharedArrayBuffer;
  readonly said: () => number;
  /** Counts one request, then rings the peer. */
  readonly ask: () => void;
}

async function meet(role: BellPeerData['role'], count = 0): Promise<Meeting> {
  const data: BellPeerData = {
    role,
    ownBell: createBell(),
    testBell: createBell(),
    counter: new SharedArrayBuffer(8),
    count,
  };
  const peer = await startPeer('wire/bell-peer', data);
  expect(await answerOf(peer)).toBe('ready');
  const counter = new Int32Array(data.counter);
  const ringer = new BellRinger(data.ownBell);
  const ask = (): void => {
    Atomics.add(counter, 1, 1);
    ringer.ring();
  };
  return { peer, ownBell: data.ownBell, testBell: data.testBell, said: () => Atomics.load(counter, 0), ask };
}

describe('a blocking bell', () => {
  it('returns at once after an earlier ring, once for any number of rings', () => {
    const memory = createBell();
    const ringers = [new BellRinger(memory), new BellRinger(memory)];
    const bell = new BlockingBell(memory);
    expect(bell.wait(0)).toBe('timed out');
    for (const ringer of ringers) ringer.ring();
    expect(bell.wait(Infinity)).toBe('rung');
    expect(bell.wait(1)).toBe('timed out');
    ringers[0]!.ring();
    expect(bell.wait(0)).toBe('rung');
  });

  it(`loses no wake-up in ${BLOCKED_HANDSHAKES} handshakes of two blocked threads`, async () => {
    const rounds = BLOCKED_HANDSHAKES;
    const { peer, testBell, said, ask } = await meet('answer', rounds);
    const bell = new BlockingBell(testBell);
    const left = once(peer, 'exit');
    for (let round = 1; round <= rounds; round += 1) {
      ask();
      // A wait may return twice for one ring, so a return alone is no answer.
      while (said() < round) {
        if (bell.wait(LOST_RING_MS) === 'timed out') throw new Error(`no answer in round ${round}`);
      }
      if (said() !== round) throw new Error(`${said()} answers in round ${round}`);
    }
    await left;
  });

  it('reports a late notification of an earlier ring as a ring, not as a timeout', async () => {
    const { peer, ownBell } = await meet('tell why it woke');
    const word = new Int32Array(ownBell);
    const answer = answerOf(peer);
    while (Atomics.notify(word, 0) === 0) await pause(1);
    expect(await answer).toBe('rung');
  });

  it('works for the successor of a thread that died asleep', async () => {
    const { peer, ownBell } = await meet('sleep');
    await pause(20);
    await peer.terminate();
    const successor = new BlockingBell(ownBell);
    expect(successor.wait(1)).toBe('timed out');
    new BellRinger(ownBell).ring();
    expect(successor.wait(Infinity)).toBe('rung');
  });
});

describe('an event loop bell', () => {
  it('calls onRing once for many rings, and never inside ring', async () => {
    const memory = createBell();
    const ringer = new BellRinger(memory);
    const called = new Gate();
    let calls = 0;
    const bell = new EventLoopBell(memory, () => {
      calls += 1;
      called.open();
    });
    for (let ring = 0; ring < 10; ring += 1) ringer.ring();
    expect(calls).toBe(0);
    await called.opened;
    await someTurns();
    expect(calls).toBe(1);
    bell.close();
  });

  it('calls onRing for a ring before its construction', async () => {
    const memory = createBell();
    new BellRinger(memory).ring();
    const called = new Gate();
    const bell = new EventLoopBell(memory, () => called.open());
    await called.opened;
    bell.close();
  });

  it('calls onRing once more for rings during the call, in a later turn of the loop', async () => {
    const memory = createBell();
    const ringer = new BellRinger(memory);
    const called = new Gate();
    let calls = 0;
    let isCalling = false;
    const bell = new EventLoopBell(memory, () => {
      expect(isCalling).toBe(false);
      isCalling = true;
      calls += 1;
      if (calls < 100) ringer.ring();
      else called.open();
      isCalling = false;
    });
    ringer.ring();
    await called.opened;
    await someTurns();
    expect(calls).toBe(100);
    bell.close();
  });

  it('does not call onRing after close, even with a pending ring', async () => {
    const memory = createBell();
    const ringer = new BellRinger(memory);
    let calls = 0;
    const bell = new EventLoopBell(memory, () => (calls += 1));
    ringer.ring();
    bell.close();
    ringer.ring();
    await someTurns();
    expect(calls).toBe(0);
  });

  it(`loses no wake-up in ${LOOP_HANDSHAKES} handshakes with a blocked thread`, async () => {
    const rounds = LOOP_HANDSHAKES;
    const { testBell, said, ask } = await meet('answer', rounds);
    let asked = 0;
    const called = new Gate(said);
    const bell = new EventLoopBell(testBell, () => {
      // A call may repeat an earlier ring. So the next request follows the answer, not the call.
      if (said() < asked) return;
      if (asked === rounds) return called.open();
      asked += 1;
      ask();
    });
    asked += 1;
    ask();
    await called.opened;
    expect(said()).toBe(rounds);
    bell.close();
  });

  it(`sees the last of ${BURST_RINGS} counts from bursts of rings, in fewer calls`, async () => {
    const count = BURST_RINGS;
    const { testBell, said } = await meet('ring in bursts', count);
    const called = new Gate(said);
    let calls = 0;
    const bell = new EventLoopBell(testBell, () => {
      calls += 1;
      if (said() === count) called.open();
    });
    await called.opened;
    expect(calls).toBeLessThan(count);
    bell.close();
  });

  it('keeps its thread alive until it is closed', async () => {
    const { peer, ownBell } = await meet('live by a bell alone');
    const left = once(peer, 'exit');
    await pause(50);
    const rung = answerOf(peer);
    new BellRinger(ownBell).ring();
    expect(await rung).toBe('rung');
    expect(await left).toEqual([0]);
  });
});

/** Only a call of the bell opens it: no timer runs the loop during the count. */
class Gate {
  readonly opened: Promise<void>;
  #resolve!: () => void;

  constructor(count: () => number = () => 0) {
    let last = -1;
    this.opened = new Promise((resolve, reject) => {
      const look = setInterval(() => {
        if (count() === last) reject(new Error(`a ring was lost after ${last}`));
        last = count();
      }, LOST_RING_MS);
      this.#resolve = () => {
        clearInterval(look);
        resolve();
      };
    });
  }

  open(): void {
    this.#resolve();
  }
}

async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  await pause(10);
}
