import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantViolation } from '../../src/domain/rejection.js';
import { RING_MESSAGE_BYTES_MAX } from '../../src/domain/limits/process.js';
import { createRing, RingConsumer, RingProducer, usedRatioOf } from '../../src/wire/ring.js';
import { runs } from '../runs.js';

/** Start counts at 0, shortly before 2^31 and shortly before 2^32 bytes. */
const STARTS = [0, 2 ** 31 - 64, -64];
const RECORD_BYTES_MAX_OVERHEAD = 15;

/** A ring that has already moved `start` bytes. */
function ringFrom(start: number, capacityBytes: number): SharedArrayBuffer {
  const memory = createRing(capacityBytes);
  new Int32Array(memory, 0, 32).fill(start);
  return memory;
}

function message(length: number, number: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (number * 31 + index) & 0xff);
}

function drainAll(consumer: RingConsumer): Uint8Array[] {
  const received: Uint8Array[] = [];
  consumer.drain(Infinity, (view) => received.push(Uint8Array.from(view)));
  return received;
}

type Step =
  | { readonly kind: 'write'; readonly length: number }
  | { readonly kind: 'drain'; readonly messagesMax: number }
  | { readonly kind: 'drain until it throws'; readonly at: number }
  | { readonly kind: 'successors' };

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('write' as const), length: fc.nat(40) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('write' as const), length: fc.nat(1200) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('drain' as const), messagesMax: fc.nat(20) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('drain until it throws' as const), at: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('successors' as const) }) },
  ),
  { maxLength: 200 },
);

describe('a ring', () => {
  it('behaves like an array queue for any writes and drains', () => {
    const capacities = fc.constantFrom(64, 128, 256, 1024, 4096);
    fc.assert(
      fc.property(capacities, fc.constantFrom(...STARTS), steps, (capacityBytes, start, run) => {
        new TwinRun(ringFrom(start, capacityBytes), capacityBytes).play(run);
      }),
      { numRuns: runs(400, 2_000) },
    );
  });

  it('takes any message of up to a quarter of its capacity when it is empty, at every position', () => {
    for (const capacityBytes of [64, 512]) {
      for (let place = 0; place < capacityBytes; place += 8) {
        for (let length = 0; length <= capacityBytes / 4; length += 1) {
          const memory = ringFrom(place, capacityBytes);
          const sent = message(length, place);
          const result = new RingProducer(memory).tryWrite(sent);
          const received = drainAll(new RingConsumer(memory));
          // An assertion for each of 19,000 messages would take seconds.
          if (result === 'written' && received.length === 1 && Buffer.compare(received[0]!, sent) === 0) continue;
          expect([place, result, received]).toEqual([place, 'written', [sent]]);
        }
      }
    }
  });

  it('limits a message to RING_MESSAGE_BYTES_MAX in a large ring', () => {
    const producer = new RingProducer(createRing(8 * RING_MESSAGE_BYTES_MAX));
    expect(producer.tryWrite(new Uint8Array(RING_MESSAGE_BYTES_MAX + 1))).toBe('oversize');
    expect(producer.tryWrite(new Uint8Array(RING_MESSAGE_BYTES_MAX))).toBe('written');
  });

  it('frees space when drain returns, not earlier', () => {
    const memory = createRing(64);
    const producer = new RingProducer(memory);
    while (producer.tryWrite(message(16, 1)) === 'written');
    new RingConsumer(memory).drain(Infinity, () => expect(producer.tryWrite(message(16, 2))).toBe('full'));
    expect(producer.freeBytes()).toBe(64);
    expect(producer.tryWrite(message(16, 2))).toBe('written');
  });

  it('refuses a drain inside a drain', () => {
    const memory = createRing(64);
    new RingProducer(memory).tryWrite(message(4, 1));
    const consumer = new RingConsumer(memory);
    expect(() => consumer.drain(1, () => consumer.drain(1, () => undefined))).toThrow(InvariantViolation);
  });

  it.each([0, 32, 96, 100, 2 ** 31, NaN])('refuses a capacity of %s bytes', (capacityBytes) => {
    expect(() => createRing(capacityBytes)).toThrow(InvariantViolation);
  });
});

/** Runs steps on a ring and on an array as its model. */
class TwinRun {
  readonly #memory: SharedArrayBuffer;
  readonly #capacityBytes: number;
  readonly #queue: Uint8Array[] = [];
  #producer: RingProducer;
  #consumer: RingConsumer;
  #number = 0;

  constructor(memory: SharedArrayBuffer, capacityBytes: number) {
    this.#memory = memory;
    this.#capacityBytes = capacityBytes;
    this.#producer = new RingProducer(memory);
    this.#consumer = new RingConsumer(memory);
  }

  play(run: readonly Step[]): void {
    for (const step of run) {
      this.#step(step);
      expect(this.#consumer.isEmpty()).toBe(this.#queue.length === 0);
    }
    this.#drain(Infinity, Infinity);
    expect(this.#queue).toEqual([]);
    expect(this.#producer.freeBytes()).toBe(this.#capacityBytes);
  }

  #step(step: Step): void {
    switch (step.kind) {
      case 'write':
        return this.#write(step.length);
      case 'drain':
        return this.#drain(step.messagesMax, Infinity);
      case 'drain until it throws':
        return this.#drain(Infinity, step.at);
      case 'successors':
        this.#producer = new RingProducer(this.#memory);
        this.#consumer = new RingConsumer(this.#memory);
        return;
      default:
        step satisfies never;
    }
  }

  #write(length: number): void {
    const sent = message(length, (this.#number += 1));
    const freeBytes = this.#producer.freeBytes();
    const result = this.#producer.tryWrite(sent);
    expect(result === 'oversize').toBe(length > this.#capacityBytes / 4);
    if (result === 'written') {
      this.#queue.push(sent);
      expect(freeBytes - this.#producer.freeBytes()).toBeGreaterThanOrEqual(length);
    } else {
      expect(this.#producer.freeBytes()).toBe(freeBytes);
    }
    // A full ring really lacks room for the record and a skipped end, which is shorter than a record.
    if (result === 'full') expect(freeBytes).toBeLessThan(2 * (length + RECORD_BYTES_MAX_OVERHEAD));
  }

  #drain(messagesMax: number, throwAt: number): void {
    let handled = 0;
    const drain = (): number =>
      this.#consumer.drain(messagesMax, (view) => {
        expect(Uint8Array.from(view)).toEqual(this.#queue.shift());
        handled += 1;
        if (handled > throwAt) throw new RangeError('handler failed');
      });
    const expected = Math.min(messagesMax, this.#queue.length);
    if (expected > throwAt) {
      expect(drain).toThrow('handler failed');
      expect(handled).toBe(throwAt + 1);
    } else {
      expect(drain()).toBe(expected);
      expect(handled).toBe(expected);
    }
  }
}

describe('the used ratio of a ring', () => {
  it.each(STARTS)('is the used part of the capacity, after %i moved bytes', (start) => {
    const memory = ringFrom(start, 1024);
    const [producer, consumer] = [new RingProducer(memory), new RingConsumer(memory)];
    expect(usedRatioOf(memory)).toBe(0);
    producer.tryWrite(message(24, 1));
    expect(usedRatioOf(memory)).toBe(32 / 1024);
    while (producer.tryWrite(message(24, 2)) === 'written');
    expect(usedRatioOf(memory)).toBe(1);
    drainAll(consumer);
    expect(usedRatioOf(memory)).toBe(0);
  });
});
