import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Depth } from '../../src/domain/market.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import { InvariantViolation } from '../../src/domain/rejection.js';
import { BellRinger, BlockingBell, createBell } from '../../src/wire/bell.js';
import { createDepthCache, DepthCacheReader, DepthCacheWriter } from '../../src/marketdata/depth-cache.js';
import { createMarketCache, MarketCacheReader } from '../../src/marketdata/market-cache.js';
import { depthOf, numberOfDepth } from './depth-of.js';
import { answerOf, startPeer } from '../wire/peer-thread.js';
import type { CachePeerData } from './market-cache-peer.js';
import { runs } from '../runs.js';

const READS = runs(400_000, 4_000_000);
/** More reads while the writer thread gets no core. */
const READS_MAX = 400_000_000;
const VERSIONS_MIN = 11;
const ROWS = 2;
const at = (row: number): InstrumentIndex => row as InstrumentIndex;

function rig(rowCount = 3) {
  const memory = createDepthCache(rowCount, 1);
  const bell = createBell();
  const writer = new DepthCacheWriter(memory, [new BellRinger(bell)]);
  return { writer, reader: new DepthCacheReader(memory, 0), bell: new BlockingBell(bell) };
}

describe('the depth cache', () => {
  it("returns each book of the last write with that book's number of levels", () => {
    const { writer, reader } = rig();
    const depth = new Depth();
    for (let number = 1; number <= 60; number += 1) {
      writer.write(at(number % 3), depthOf(number), number * 10);
      reader.read(at(number % 3), depth);
      expect(numberOfDepth(depth)).toBe(number);
      expect(reader.stampUs(at(number % 3))).toBe(number * 10);
    }
  });

  it('returns empty sides before the first write', () => {
    const depth = depthOf(7);
    rig().reader.read(at(1), depth);
    expect([depth.bids.count, depth.asks.count, depth.atMs]).toEqual([0, 0, 0]);
  });

  it('reports wanted rows and announces only watched ones', () => {
    const { writer, reader, bell } = rig();
    reader.keepAwake(at(0), true);
    reader.watch(at(1), true);
    expect([0, 1, 2].map((row) => writer.isWanted(at(row)))).toEqual([true, true, false]);
    for (const row of [0, 1, 2]) writer.write(at(row), depthOf(5), 0);
    const taken: number[] = [];
    reader.takeDirty((row) => taken.push(row));
    expect(taken).toEqual([1]);
    expect(bell.wait(0)).toBe('rung');
  });

  it('clears the rows of a reader when a new thread takes its place', () => {
    const { writer, reader } = rig();
    reader.keepAwake(at(0), true);
    reader.watch(at(1), true);
    writer.write(at(1), depthOf(5), 0);
    reader.forget();
    expect([0, 1].map((row) => writer.isWanted(at(row)))).toEqual([false, false]);
    reader.takeDirty(() => expect.unreachable('no row should be announced'));
  });

  it('refuses the memory of another kind of cache', () => {
    expect(() => new MarketCacheReader(createDepthCache(3, 1), 0)).toThrow(InvariantViolation);
    expect(() => new DepthCacheReader(createMarketCache(3, 1), 0)).toThrow(InvariantViolation);
  });

  it(`never returns a torn or older book in ${READS} reads against a writing thread`, async () => {
    const data: CachePeerData = {
      marketCache: createDepthCache(ROWS, 1),
      rowCount: ROWS,
      stop: new SharedArrayBuffer(4),
    };
    const peer = await startPeer('marketdata/depth-cache-peer', data);
    expect(await answerOf(peer)).toBe('ready');
    const left = once(peer, 'exit');
    try {
      expect(countVersions(new DepthCacheReader(data.marketCache, 0))).toBeGreaterThanOrEqual(VERSIONS_MIN);
    } finally {
      Atomics.store(new Int32Array(data.stop), 0, 1);
      await left;
    }
  });
});

/** Counts the reads that return a later book than the previous read. */
function countVersions(reader: DepthCacheReader): number {
  const latest = Array.from({ length: ROWS }, () => 0);
  const depth = new Depth();
  let versions = 0;
  for (let count = 0; count < READS || (versions < VERSIONS_MIN && count < READS_MAX); count += 1) {
    const row = count % ROWS;
    reader.read(at(row), depth);
    const number = numberOfDepth(depth);
    if (number === null) throw new Error(`read ${count} is torn`);
    if (number < latest[row]!) throw new Error(`read ${count} is older: ${latest[row]} to ${number}`);
    if (number > latest[row]!) versions += 1;
    latest[row] = number;
  }
  return versions;
}
