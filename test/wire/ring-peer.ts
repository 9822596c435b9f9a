import { parentPort, workerData } from 'node:worker_threads';
import { BellRinger, BlockingBell } from '../../src/wire/bell.js';
import { RingConsumer, RingProducer } from '../../src/wire/ring.js';
import { randomFrom } from './random.js';

/** One side of the ring stress. The consumer knows the messages that the producer writes. */
export interface RingPeerData {
  readonly role: 'produce' | 'consume';
  readonly ring: SharedArrayBuffer;
  /** The producer rings it after a write, the consumer after a drain. */
  readonly writtenBell: SharedArrayBuffer;
  readonly drainedBell: SharedArrayBuffer;
  readonly messageCount: number;
  readonly bytesMax: number;
  readonly seed: number;
}

const POOL_BYTES = 4096;
const MESSAGES_PER_STALL = 20_000;
const STALL_MS = 1;
/** Longer than any pause of the machine: a wait of this length means that no ring arrived. */
const LOST_RING_MS = 120_000;

const data = workerData as RingPeerData;
const { messageCount, bytesMax, seed } = data;
const poolRandom = randomFrom(seed);
const pool = Uint8Array.from({ length: POOL_BYTES + bytesMax }, () => poolRandom(256));

/**
 * A message is [number, checksum, slice of the pool]. Both sides derive lengths and slices from the same random
 * sequence.
 */
function produce(): void {
  const producer = new RingProducer(data.ring);
  const written = new BellRinger(data.writtenBell);
  const drained = new BlockingBell(data.drainedBell);
  const content = randomFrom(seed + 1);
  const pauses = randomFrom(seed + 2);
  const buffer = new Uint8Array(8 + bytesMax);
  const header = new Int32Array(buffer.buffer, 0, 2);
  for (let number = 0; number < messageCount; number += 1) {
    const length = content(bytesMax + 1);
    const start = content(POOL_BYTES);
    header[0] = number;
    buffer.set(pool.subarray(start, start + length), 8);
    header[1] = checksum(buffer, length);
    const message = buffer.subarray(0, 8 + length);
    while (producer.tryWrite(message) === 'full') {
      written.ring();
      awaitRing(drained);
    }
    if (pauses(64) === 0) written.ring();
    if (pauses(MESSAGES_PER_STALL) === 0) stall();
  }
  written.ring();
}

function consume(): void {
  const consumer = new RingConsumer(data.ring);
  const written = new BlockingBell(data.writtenBell);
  const drained = new BellRinger(data.drainedBell);
  const content = randomFrom(seed + 1);
  const pauses = randomFrom(seed + 3);
  let number = 0;
  let received = 0;
  while (received < messageCount) {
    const count = consumer.drain(1 + pauses(256), (view) => {
      const length = content(bytesMax + 1);
      const start = content(POOL_BYTES);
      const header = new Int32Array(view.buffer, view.byteOffset, 2);
      if (view.length !== 8 + length) throw new Error(`message ${number} has ${view.length} bytes, not ${8 + length}`);
      if (header[0] !== number) throw new Error(`message ${header[0]} came in the place of ${number}`);
      if (header[1] !== checksum(view, length) || (length > 0 && view[8] !== pool[start])) {
        throw new Error(`message ${number} is damaged`);
      }
      number += 1;
    });
    received += count;
    if (count > 0) drained.ring();
    if (pauses(MESSAGES_PER_STALL / 128) === 0) stall();
    if (received < messageCount && consumer.isEmpty()) awaitRing(written);
  }
}

function checksum(message: Uint8Array, length: number): number {
  let sum = length;
  for (let index = 8; index < 8 + length; index += 1) sum = (Math.imul(sum, 31) + message[index]!) | 0;
  return sum;
}

function awaitRing(bell: BlockingBell): void {
  if (bell.wait(LOST_RING_MS) === 'timed out') throw new Error(`a ring was lost: ${data.role} waited in vain`);
}

function stall(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS);
}

if (data.role === 'produce') produce();
else consume();
parentPort!.postMessage('done');
