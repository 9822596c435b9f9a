import { Worker } from 'node:worker_threads';
import type { Command } from '../../src/domain/command.js';
import type { CorrelationId, Seq } from '../../src/domain/ids.js';
import { decodeCommand, encodeCommand } from '../../src/wire/codec/command.js';
import { decodeEvent, encodeEvent } from '../../src/wire/codec/envelope.js';
import { decodeState, encodeState } from '../../src/wire/codec/state.js';
import { BellRinger, BlockingBell, createBell } from '../../src/wire/bell.js';
import { createRing, RingConsumer, RingProducer } from '../../src/wire/ring.js';
import { type MicroGroup, repeated } from './case.js';
import { CREATED, FILLED, parentOrder, WORKING } from './sample.js';

const RING_BYTES = 64 * 1024;
const MESSAGE_BYTES = 200;
const REPEATS = 100;
const LOST_RING_MS = 10_000;
/** Time for the other thread to fall asleep. */
const SLEEP_MS = 0.5;

/** Shared memory of the echo thread. */
export interface EchoData {
  readonly there: SharedArrayBuffer;
  readonly back: SharedArrayBuffer;
  readonly thereBell: SharedArrayBuffer;
  readonly backBell: SharedArrayBuffer;
}

/** A message through a ring: within one thread, and to a sleeping thread and back, which is two hops. */
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
  const peer = new Worker(new URL('./ring-peer.js', import.meta.url), { workerData: data });
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

/** Messages of rings and of the journal. */
export function codecCases(): MicroGroup {
  const create: Command = {
    kind: 'CreateParent',
    correlationId: 77 as CorrelationId,
    seq: 1 as Seq,
    order: parentOrder(1_000_000),
  };
  // Copies, because an encoder reuses its memory in the next call.
  const [createBytes, createdBytes] = [copy(encodeCommand(create)), copy(encodeEvent(CREATED))];
  const [filledBytes, stateBytes] = [copy(encodeEvent(FILLED)), copy(encodeState(WORKING))];
  return repeated({
    'encode CreateParent': () => encodeCommand(create),
    'decode CreateParent': () => decodeCommand(createBytes),
    'encode ParentCreated': () => encodeEvent(CREATED),
    'decode ParentCreated': () => decodeEvent(createdBytes),
    'encode ChildFilled': () => encodeEvent(FILLED),
    'decode ChildFilled': () => decodeEvent(filledBytes),
    'encode state': () => encodeState(WORKING),
    'decode state': () => decodeState(stateBytes),
  });
}

function copy(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes);
}
