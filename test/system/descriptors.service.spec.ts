import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from './eventually.js';
import { restingOrder } from './sample-orders.js';
import { ROOT, statusOf } from './service-run.js';
import { newSite } from './site.js';

const DESCRIPTORS_COUNT = 400;
const CONNECTIONS_COUNT = 1_000;
const TICK_MS = 10;
/** A process that turns its loop in vain takes all of a core. */
const CORE_SHARE_MAX = 0.6;
const WATCH_MS = 3_000;

/** Processor time that a process has taken, in milliseconds. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function flood(port: number): Socket[] {
  const sockets = Array.from({ length: CONNECTIONS_COUNT }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    return socket;
  });
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  return sockets;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe(`a process that may open ${DESCRIPTORS_COUNT} files and sockets`, () => {
  it(`survives ${CONNECTIONS_COUNT} connections without turning in vain, places orders meanwhile, and recovers`, async () => {
    const site = newSite();
    const key = await site.issueKey();
    const script = `ulimit -n ${DESCRIPTORS_COUNT}; exec "${process.execPath}" "${join(ROOT, 'dist/service/src/main.js')}"`;
    const run = site.start({ command: ['bash', '-c', script] });
    const port = await run.ready();
    expect(run.lines).toContainEqual(expect.objectContaining({ limit: DESCRIPTORS_COUNT }));
    const client = site.client(port, key, 1);
    const before = await client.create(restingOrder());
    // A stream that is open before keeps its place.
    const stream = new WebSocket(`ws://127.0.0.1:${port}/api/v2/ws?listenKey=${await client.listenKey()}`);
    await new Promise((resolve) => stream.once('open', resolve));
    let isStreamClosed = false;
    stream.once('close', () => (isStreamClosed = true));

    const sockets = flood(port);
    await eventually(
      () => Promise.resolve(sockets.filter(({ destroyed }) => destroyed).length),
      (closed) => closed > CONNECTIONS_COUNT - DESCRIPTORS_COUNT,
    );
    const fromMs = processorMs(run.pid);
    await pause(WATCH_MS);
    expect(processorMs(run.pid) - fromMs).toBeLessThan(WATCH_MS * CORE_SHARE_MAX);
    expect(isStreamClosed).toBe(false);

    for (const socket of sockets) socket.destroy();
    stream.terminate();
    await eventually(
      () => statusOf(port, '/status/ready').catch(() => 0),
      (status) => status === 200,
    );
    expect((await client.open()).map(({ order_id: orderId }) => orderId)).toEqual([before.order_id]);
    expect(await client.create(restingOrder())).toMatchObject({ status: 'PENDING_NEW' });
    await run.stop();
  });

  it('gives the place of each stream back when it is closed', async () => {
    const site = newSite();
    const key = await site.issueKey();
    const script = `ulimit -n ${DESCRIPTORS_COUNT}; exec "${process.execPath}" "${join(ROOT, 'dist/service/src/main.js')}"`;
    const port = await site.start({ command: ['bash', '-c', script] }).ready();
    const listenKey = await site.client(port, key).listenKey();
    for (let round = 0; round < 10; round += 1) {
      const opened = await Promise.all(
        Array.from({ length: 60 }, async () => {
          const stream = new WebSocket(`ws://127.0.0.1:${port}/api/v2/ws?listenKey=${listenKey}`);
          await new Promise((resolve, reject) => stream.once('open', resolve).once('error', reject));
          return stream;
        }),
      );
      await Promise.all(
        opened.map((stream) => {
          stream.terminate();
          return new Promise((resolve) => stream.once('close', resolve));
        }),
      );
    }
    expect(await statusOf(port, '/status/ready')).toBe(200);
  });
});
