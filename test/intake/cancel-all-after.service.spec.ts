import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

interface PeerAnswer {
  readonly signal: string | null;
  readonly order: number;
  readonly through: number;
  readonly left: number;
}

function runPeer(dataDir: string, step: string): PeerAnswer {
  const peer = join(import.meta.dirname, '../../dist/test/intake/cancel-all-after-peer.js');
  const { signal, stdout, stderr } = spawnSync(process.execPath, [peer, dataDir, step], { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return { signal, ...(JSON.parse(stdout) as Omit<PeerAnswer, 'signal'>) };
}

describe('cancel-all-after', () => {
  it('fires again after a SIGKILL between cancels and removal, and spares an order created later', () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'sluice-cancel-all-after-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true }));
    const first = runPeer(dataDir, 'fire');
    expect(first.signal).toBe('SIGKILL');
    const second = runPeer(dataDir, 'restart');
    expect(second.signal).toBeNull();
    expect(first.order).toBeLessThan(first.through);
    expect(second.through).toBe(first.through);
    expect(second.order).toBeGreaterThan(second.through);
    expect(second.left).toBe(0);
  });
});
