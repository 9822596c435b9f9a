import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CONNECTION_COUNT_MS } from '../../src/domain/limits/clients.js';
import { remoteSubscriberOf } from '../../src/http/address-limit.js';
import { AddressShare, type ConnectionCounts, countConnections } from '../../src/http/address-share.js';

const COUNT_MAX = 8;
const [GREEDY, OTHER] = [1, 2];

class Rig {
  nowMs = 0;
  readonly open = new Map<number, number>();
  readonly counts: ((counts: ConnectionCounts | null) => void)[] = [];
  readonly share = new AddressShare({
    countMax: COUNT_MAX,
    count: () =>
      new Promise((resolve, reject) => {
        this.counts.push((counts) => (counts === null ? reject(new Error('no table')) : resolve(counts)));
      }),
    nowMs: () => this.nowMs,
  });

  /** Number of connections that are accepted of `count`. */
  take(count: number, subscriber = GREEDY): number {
    return Array.from({ length: count }, () => this.share.take(subscriber)).filter(Boolean).length;
  }

  /** The operating system answers the oldest question. */
  async answer(counts: ConnectionCounts | null): Promise<void> {
    this.counts.shift()?.(counts);
    await new Promise(setImmediate);
  }
}

describe('the share of one address', () => {
  it('is bounded, and another address has its own', () => {
    const rig = new Rig();
    expect(rig.take(2 * COUNT_MAX)).toBe(COUNT_MAX);
    expect(rig.take(COUNT_MAX, OTHER)).toBe(COUNT_MAX);
  });

  it('asks before the bound is reached, and counts what was opened meanwhile', async () => {
    const rig = new Rig();
    rig.take(COUNT_MAX / 2);
    expect(rig.counts).toHaveLength(0);
    rig.take(1);
    expect(rig.counts).toHaveLength(1);
    rig.take(1);
    await rig.answer(new Map([[GREEDY, 1]]));
    // One, and the two that were opened during the count.
    expect(rig.take(COUNT_MAX)).toBe(COUNT_MAX - 3);
  });

  it('asks at most once in an interval', async () => {
    const rig = new Rig();
    rig.take(COUNT_MAX);
    await rig.answer(new Map([[GREEDY, COUNT_MAX]]));
    expect([rig.take(5), rig.counts.length]).toEqual([0, 0]);
    rig.nowMs += CONNECTION_COUNT_MS;
    expect([rig.take(5), rig.counts.length]).toEqual([0, 1]);
    await rig.answer(new Map());
    expect(rig.take(1)).toBe(1);
  });

  it('is not bounded where the operating system shows no connections', async () => {
    const rig = new Rig();
    rig.take(COUNT_MAX);
    await rig.answer(null);
    expect(rig.take(10 * COUNT_MAX)).toBe(10 * COUNT_MAX);
  });
});

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';

function row(local: string, remote: string, state: string, inode = 7): string {
  return `   3: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 00000000c3d3f81b 20 4 30 10 -1`;
}

function tables(tcp: readonly string[], tcp6?: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-net-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'tcp'), [HEAD, ...tcp, ''].join('\n'));
  if (tcp6 !== undefined) writeFileSync(join(folder, 'tcp6'), [HEAD, ...tcp6, ''].join('\n'));
  return folder;
}

describe('the count of open connections', () => {
  const [local, local6] = ['0100000A:1F90', '0000000000000000FFFF00000100000A:1F90'];
  const isLocal = '0100007F:C000';

  it('has those of the port by their networks, without this machine', async () => {
    const rows = [
      row(local, '00000000:0000', '0A'),
      row(local, '0500000A:C001', '01'),
      row(local, '0500000A:C002', '08'),
      row(local, '0600000A:C003', '01'),
      row(local, isLocal, '01'),
      row(local, '0500000A:C004', '06', 0),
      row('0100000A:1F91', '0500000A:C005', '01'),
    ];
    const mapped = row(local6, '0000000000000000FFFF00000500000A:C006', '01');
    const own6 = row(local6, 'B80D0120000000010000000000000002:C007', '01');
    const counts = await countConnections(0x1f90, remoteSubscriberOf, tables(rows, [mapped, own6]));
    expect(counts).toEqual(
      new Map<number | bigint, number>([
        [0x0a000005, 3],
        [0x0a000006, 1],
        [0x20010db801000000n, 1],
      ]),
    );
  });

  it('needs the table of IPv4 only', async () => {
    const net = tables([row(local, '0500000A:C001', '01')]);
    expect(await countConnections(0x1f90, remoteSubscriberOf, net)).toEqual(new Map([[0x0a000005, 1]]));
    await expect(countConnections(0x1f90, remoteSubscriberOf, '/nowhere')).rejects.toThrow('ENOENT');
  });
});
