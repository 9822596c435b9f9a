import { Worker } from 'node:worker_threads';
import { BellRinger, BlockingBell, createBell } from '../src/wire/doorbell.js';
import { createRing, RingConsumer, RingProducer } from '../src/wire/ring.js';
import type { MicroGroup } from './micro-case.js';

const RING_BYTES = 64 * 1024;
const MESSAGE_BYTES = 200;
const REPEATS = 100;
const LOST_RING_MS = 10_000;
/** Time enough for the other thread to fall asleep. */
const SLEEP_MS = 0.5;

/** Where the thread at the other end finds what it echoes. */
export interface EchoData {
  readonly there: SharedArrayBuffer;
  readonly back: SharedArrayBuffer;
  readonly thereBell: SharedArrayBuffer;
  readonly backBell: SharedArrayBuffer;
}

/** A message through a ring: with the one thread that wrote it, and to a sleeping thread and back, which is two hops. */
export function ringCases(): MicroGroup {
  const message = new Uint8Array(MESSAGE_BYTES).fill(7);
  const own = createRing(RING_BYTES);
  const [producer, consumer] = [new RingProducer(own), new RingConsumer(own)];
  const writeAndDrain = (): void => {
    for (let count = 0; count < REPEATS; count += 1) {
      producer.tryWrite(message);
      consumer.drain(1, () => undefined);
    }
  };
  const data: EchoData = {
    there: createRing(RING_BYTES),
    back: createRing(RING_BYTES),
    thereBell: createBell(),
    backBell: createBell(),
  };
  const peer = new Worker(new URL('./micro-ring-peer.js', import.meta.url), { workerData: data });
  const [out, home] = [new RingProducer(data.there), new RingConsumer(data.back)];
  const [ringer, bell] = [new BellRinger(data.thereBell), new BlockingBell(data.backBell)];
  const hopTwice = (): void => {
    out.tryWrite(message);
    ringer.ring();
    while (home.drain(1, () => undefined) === 0) {
      if (bell.wait(LOST_RING_MS) === 'timed out') throw new Error('a ring was lost');
    }
  };
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  const letSleep = (): void => void Atomics.wait(sleeper, 0, 0, SLEEP_MS);
  return {
    cases: [
      { name: 'ring write and drain', operations: REPEATS, run: writeAndDrain },
      { name: 'ring hop to a sleeping thread', operations: 2, run: hopTwice, prepare: letSleep },
    ],
    close: async () => void (await peer.terminate()),
  };
}
