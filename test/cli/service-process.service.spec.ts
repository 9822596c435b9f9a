import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort, ServiceProcess } from '../../src/cli/demo/service-process.js';

const HOST = '127.0.0.1';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-process-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function started(source: string): Promise<ServiceProcess> {
  const script = join(directory, 'service.mjs');
  writeFileSync(script, source);
  const port = await freePort(HOST, 0);
  return ServiceProcess.start({ script, dataDir: join(directory, 'data'), host: HOST, port, env: process.env });
}

const SERVING = `
  import { createServer } from 'node:http';
  let asked = 0;
  createServer((request, response) => {
    if (request.url === '/die') process.exit(3);
    response.writeHead((asked += 1) < 3 ? 503 : 200).end('{}');
  }).listen(Number(process.env.SLUICE_PORT), process.env.SLUICE_HOST);
  process.on('SIGTERM', () => process.exit(0));`;

describe('the service as a child process', () => {
  it('starts, becomes ready and stops', async () => {
    const service = await started(SERVING);
    expect((await fetch(`${service.url}/status/ready`)).status).toBe(200);
    await service.stop();
    await expect(fetch(service.url)).rejects.toThrow();
    await service.stop();
  });

  it('rejects with the end of its log when it does not start', async () => {
    await expect(started('console.error("the reason"); process.exit(2);')).rejects.toThrow(
      /ended before it was ready[^]*the reason/,
    );
  });

  it('aborts its signal when it ends without a stop', async () => {
    const service = await started(SERVING);
    const ended = new Promise((resolve) => service.ended.addEventListener('abort', resolve, { once: true }));
    await fetch(`${service.url}/die`).catch(() => null);
    await ended;
    expect((service.ended.reason as Error).message).toContain('the service ended');
  });
});

describe('a free port', () => {
  it('is the requested port unless it is in use', async () => {
    const taken = await new Promise<Server>((resolve) => {
      const server = createServer().listen(0, HOST, () => resolve(server));
    });
    const { port } = taken.address() as AddressInfo;
    expect(await freePort(HOST, port)).not.toBe(port);
    await new Promise((resolve) => taken.close(resolve));
    expect(await freePort(HOST, port)).toBe(port);
  });
});
