import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Depth } from '../../src/model/depth.js';
import type { InstrumentIndex } from '../../src/model/instrument.js';
import { InvariantViolation } from '../../src/model/assert.js';
import { BellRinger, BlockingBell, createBell } from '../../src/wire/doorbell.js';
import { createDepthSlate, DepthSlateReader, DepthSlateWriter } from '../../src/wire/depth-slate.js';
import { createSlate, SlateReader } from '../../src/wire/slate.js';
import { depthOf, numberOfDepth } from './depth-of.js';
import { answerOf, startPeer } from './peer-thread.js';
import type { SlatePeerData } from './slate-peer.js';

const READS = 4_000_000;
const ROWS = 2;
const at = (row: number): InstrumentIndex => row as InstrumentIndex;

function room(rowCount = 3) {
  const memory = createDepthSlate(rowCount, 1);
  const bell = createBell();
  const writer = new DepthSlateWriter(memory, [new BellRinger(bell)]);
  return { writer, reader: new DepthSlateReader(memory, 0), bell: new BlockingBell(bell) };
}

describe('a slate of books', () => {
  it('gives each book as last written, with the levels it then had', () => {
    const { writer, reader } = room();
    const depth = new Depth();
    for (let number = 1; number <= 60; number += 1) {
      writer.write(at(number % 3), depthOf(number), number * 10);
      reader.read(at(number % 3), depth);
      expect(numberOfDepth(depth)).toBe(number);
      expect(reader.stampUs(at(number % 3))).toBe(number * 10);
    }
  });

  it('shows empty sides before the first write', () => {
    const depth = depthOf(7);
    room().reader.read(at(1), depth);
    expect([depth.bids.count, depth.asks.count, depth.atMs]).toEqual([0, 0, 0]);
  });

  it('knows which books somebody wants, and announces those that are watched', () => {
    const { writer, reader, bell } = room();
    reader.keepAwake(at(0), true);
    reader.watch(at(1), true);
    expect([0, 1, 2].map((row) => writer.isWanted(at(row)))).toEqual([true, true, false]);
    for (const row of [0, 1, 2]) writer.write(at(row), depthOf(5), 0);
    const taken: number[] = [];
    reader.takeDirty((row) => taken.push(row));
    expect(taken).toEqual([1]);
    expect(bell.wait(0)).toBe('rung');
  });

  it('forgets what a reader wanted when another takes its place', () => {
    const { writer, reader } = room();
    reader.keepAwake(at(0), true);
    reader.watch(at(1), true);
    writer.write(at(1), depthOf(5), 0);
    reader.forget();
    expect([0, 1].map((row) => writer.isWanted(at(row)))).toEqual([false, false]);
    reader.takeDirty(() => expect.unreachable('nothing is announced'));
  });

  it('is not mistaken for another kind of slate', () => {
    expect(() => new SlateReader(createDepthSlate(3, 1), 0)).toThrow(InvariantViolation);
    expect(() => new DepthSlateReader(createSlate(3, 1), 0)).toThrow(InvariantViolation);
  });

  it('is never torn and never goes back while another thread writes, in four million reads', async () => {
    const data: SlatePeerData = {
      slate: createDepthSlate(ROWS, 1),
      rowCount: ROWS,
      stop: new SharedArrayBuffer(4),
    };
    const peer = startPeer('depth-slate-peer', data);
    expect(await answerOf(peer)).toBe('ready');
    const left = once(peer, 'exit');
    try {
      // Few only when both threads had to share one core.
      expect(countVersions(new DepthSlateReader(data.slate, 0))).toBeGreaterThan(10);
    } finally {
      Atomics.store(new Int32Array(data.stop), 0, 1);
      await left;
    }
  });
});

/** How often a read saw a later book than the one before. */
function countVersions(reader: DepthSlateReader): number {
  const latest = Array.from({ length: ROWS }, () => 0);
  const depth = new Depth();
  let versions = 0;
  for (let count = 0; count < READS; count += 1) {
    const row = count % ROWS;
    reader.read(at(row), depth);
    const number = numberOfDepth(depth);
    if (number === null) throw new Error(`read ${count} is torn`);
    if (number < latest[row]!) throw new Error(`read ${count} went back from ${latest[row]} to ${number}`);
    if (number > latest[row]!) versions += 1;
    latest[row] = number;
  }
  return versions;
}
