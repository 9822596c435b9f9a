import { describe, expect, it } from 'vitest';
import { acknowledgedCount, placeUntilRefused } from './placing-client.js';
import { eventually } from './eventually.js';
import { FailingDisk } from './failing-disk.js';
import { expectSound, missingOrders } from './soundness.js';
import { newSite } from './site.js';

const FATAL = 60;

describe.concurrent('a journal on a disk', () => {
  // With one client the main thread writes most creates itself, if the disk is fast.
  it.for([
    ['full', 4, /ENOSPC/],
    ['broken', 4, /EIO/],
    ['full', 1, /ENOSPC/],
    ['broken', 1, /EIO/],
  ] as const)('is not written after it is %s, with %i clients: the service says why and ends', async (row, test) => {
    const [fault, clientCount, reason] = row;
    const site = newSite(test);
    const key = await site.issueKey();
    const disk = new FailingDisk(site);
    const run = site.start({ env: disk.env });
    const client = site.client(await run.ready(), key);

    const placing = Array.from({ length: clientCount }, (_, index) => placeUntilRefused(client, `disk-${index}`));
    await eventually(
      () => acknowledgedCount(placing),
      (count) => count > 50,
    );
    disk.fail(fault);
    expect(await run.ended).toEqual({ status: 1, signal: null });
    for (const { status } of await Promise.all(placing.map(({ refusal }) => refusal))) expect(status).not.toBe(201);
    const fatal = run.lines.filter(({ level }) => level === FATAL);
    // The journal thread logs its own failure too, before or after the main thread.
    const last = fatal.findLast(({ msg }) => msg === 'the service stops: nothing more is acknowledged');
    expect(last?.['reason'], run.output).toMatch(reason);

    disk.mend();
    const next = site.start();
    const orderIds = placing.flatMap((placed) => placed.orderIds);
    expect(await missingOrders(site.client(await next.ready(), key), orderIds)).toEqual([]);
    await next.kill();
    await expectSound(site.dataDir);
  });
});
