import { describe, expect, it } from 'vitest';
import { createBell } from '../../src/wire/bell.js';
import { createRing } from '../../src/wire/ring.js';
import { answerOf, startPeer } from './peer-thread.js';
import type { RingPeerData } from './ring-peer.js';
import { runs } from '../runs.js';

describe('a ring between two threads', () => {
  it.each([
    { capacityBytes: 512, messageCount: runs(40_000, 150_000), bytesMax: 120, seed: 1 },
    { capacityBytes: 16 * 1024, messageCount: runs(150_000, 400_000), bytesMax: 200, seed: 2 },
    { capacityBytes: 1024 * 1024, messageCount: runs(250_000, 1_000_000), bytesMax: 200, seed: 3 },
  ])('delivers every message complete and in order: %o', async ({ capacityBytes, ...run }) => {
    const shared = { ring: createRing(capacityBytes), writtenBell: createBell(), drainedBell: createBell(), ...run };
    const sides = (['produce', 'consume'] as const).map((role): RingPeerData => ({ role, ...shared }));
    const answers = await Promise.all(sides.map(async (side) => answerOf(await startPeer('wire/ring-peer', side))));
    expect(answers).toEqual(['done', 'done']);
  });
});
