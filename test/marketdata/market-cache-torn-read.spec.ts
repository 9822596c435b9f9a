import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import { createMarketCache, MarketCacheReader } from '../../src/marketdata/market-cache.js';
import { numberOf } from './market-of.js';
import { answerOf, startPeer } from '../wire/peer-thread.js';
import type { CachePeerData } from './market-cache-peer.js';
import { runs } from '../runs.js';

const READS = runs(1_000_000, 10_000_000);
/** More reads while the writer thread gets no core. */
const READS_MAX = 1_000_000_000;
const VERSIONS_MIN = 10;
const ROWS = 2;

describe('the market cache while another thread writes', () => {
  it(`never returns a torn or older market in ${READS} reads`, async () => {
    const data: CachePeerData = {
      marketCache: createMarketCache(ROWS, 1),
      rowCount: ROWS,
      stop: new SharedArrayBuffer(4),
    };
    const peer = await startPeer('marketdata/market-cache-peer', data);
    expect(await answerOf(peer)).toBe('ready');
    const left = once(peer, 'exit');
    try {
      expect(countVersions(new MarketCacheReader(data.marketCache, 0))).toBeGreaterThanOrEqual(VERSIONS_MIN);
    } finally {
      Atomics.store(new Int32Array(data.stop), 0, 1);
      await left;
    }
  });
});

/** Counts the reads that return a later market than the previous read. */
function countVersions(reader: MarketCacheReader): number {
  const latest = Array.from({ length: ROWS }, () => 0);
  let versions = 0;
  for (let count = 0; count < READS || (versions < VERSIONS_MIN && count < READS_MAX); count += 1) {
    const row = count % ROWS;
    const number = numberOf(reader.read(row as InstrumentIndex));
    if (number === null) throw new Error(`read ${count} is torn`);
    if (number < latest[row]!) throw new Error(`read ${count} is older: ${latest[row]} to ${number}`);
    if (number > latest[row]!) versions += 1;
    latest[row] = number;
  }
  return versions;
}
