import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { InstrumentIndex } from '../../src/model/instrument.js';
import { createSlate, SlateReader } from '../../src/wire/slate.js';
import { numberOf } from './market-of.js';
import { answerOf, startPeer } from './peer-thread.js';
import type { SlatePeerData } from './slate-peer.js';

const READS = 10_000_000;
/** A writer that does not get a core meanwhile is waited for. */
const READS_MAX = 100 * READS;
const VERSIONS_MIN = 10;
const ROWS = 2;

describe('a slate read while another thread writes', () => {
  it('is never torn and never goes back, in ten million reads', async () => {
    const data: SlatePeerData = {
      slate: createSlate(ROWS, 1),
      rowCount: ROWS,
      stop: new SharedArrayBuffer(4),
    };
    const peer = startPeer('slate-peer', data);
    expect(await answerOf(peer)).toBe('ready');
    const left = once(peer, 'exit');
    try {
      expect(countVersions(new SlateReader(data.slate, 0))).toBeGreaterThanOrEqual(VERSIONS_MIN);
    } finally {
      Atomics.store(new Int32Array(data.stop), 0, 1);
      await left;
    }
  });
});

/** How often a read saw a later market than the one before. */
function countVersions(reader: SlateReader): number {
  const latest = Array.from({ length: ROWS }, () => 0);
  let versions = 0;
  for (let count = 0; count < READS || (versions < VERSIONS_MIN && count < READS_MAX); count += 1) {
    const row = count % ROWS;
    const number = numberOf(reader.read(row as InstrumentIndex));
    if (number === null) throw new Error(`read ${count} is torn`);
    if (number < latest[row]!) throw new Error(`read ${count} went back from ${latest[row]} to ${number}`);
    if (number > latest[row]!) versions += 1;
    latest[row] = number;
  }
  return versions;
}
