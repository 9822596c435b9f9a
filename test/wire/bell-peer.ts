import { parentPort, workerData } from 'node:worker_threads';
import { BellRinger, BlockingBell, EventLoopBell } from '../../src/wire/bell.js';

/** The other thread of the bell tests. Its role selects its behaviour. */
export interface BellPeerData {
  readonly role: 'answer' | 'ring in bursts' | 'sleep' | 'tell why it woke' | 'live by a bell alone';
  /** The bells of the peer and of the test. */
  readonly ownBell: SharedArrayBuffer;
  readonly testBell: SharedArrayBuffer;
  /** Word 0 counts the peer's answers, word 1 the test's requests. */
  readonly counter: SharedArrayBuffer;
  readonly count: number;
}

const data = workerData as BellPeerData;
const counter = new Int32Array(data.counter);

/**
 * Answers each request with one ring. A lost ring leaves both sides asleep. A wait may return twice for one ring, so
 * the peer checks for a request after each wait.
 */
function answer(): void {
  const own = new BlockingBell(data.ownBell);
  const test = new BellRinger(data.testBell);
  for (let answered = 0; answered < data.count;) {
    own.wait(Infinity);
    if (Atomics.load(counter, 1) === answered) continue;
    answered += 1;
    Atomics.store(counter, 0, answered);
    test.ring();
  }
}

/** Counts and rings without a break, except for short random pauses in which the test may fall asleep. */
function ringInBursts(): void {
  const test = new BellRinger(data.testBell);
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let number = 0; number < data.count; number += 1) {
    Atomics.add(counter, 0, 1);
    test.ring();
    if (number % 97 === 0) Atomics.wait(pause, 0, 0, (number % 7) / 50);
  }
}

function sleep(): void {
  new BlockingBell(data.ownBell).wait(Infinity);
}

function tellWhyItWoke(): void {
  parentPort!.postMessage(new BlockingBell(data.ownBell).wait(Infinity));
}

function liveByABellAlone(): void {
  const bell: EventLoopBell = new EventLoopBell(data.ownBell, () => {
    parentPort!.postMessage('rung');
    bell.close();
  });
}

const roles = {
  answer,
  'ring in bursts': ringInBursts,
  sleep,
  'tell why it woke': tellWhyItWoke,
  'live by a bell alone': liveByABellAlone,
};
parentPort!.postMessage('ready');
roles[data.role]();
