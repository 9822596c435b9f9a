import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isPortTaken, ServiceProcess } from '../../src/cli/demo/service-process.js';
import { ownPort } from '../system/own-port.js';

const HOST = '127.0.0.1';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-process-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function started(source: string, env: NodeJS.ProcessEnv = process.env): Promise<ServiceProcess> {
  const script = join(directory, 'service.mjs');
  writeFileSync(script, source);
  return ServiceProcess.start({ script, dataDir: join(directory, 'data'), host: HOST, port: '0', env });
}

const SERVING = `
  import { createServer } from 'node:http';
  let asked = 0;
  createServer((request, response) => {
    if (request.url === '/die') process.exit(3);
    response.writeHead((asked += 1) < 3 ? 503 : 200).end('{}');
  }).listen(Number(process.env.SLUICE_PORT), process.env.SLUICE_HOST, function () {
    const level = process.env.SLUICE_LOG_LEVEL ?? 'info';
    if (level !== 'silent') console.log(JSON.stringify({ msg: 'listening', port: this.address().port, level }));
  });
  process.on('SIGTERM', () => process.exit(0));`;

describe('the service as a child process', () => {
  it('starts, becomes ready and stops', async () => {
    const service = await started(SERVING);
    expect((await fetch(`${service.url}/status/ready`)).status).toBe(200);
    await service.stop();
    await expect(fetch(service.url)).rejects.toThrow();
    await service.stop();
  });

  it('reports the port that it chose, also with a log level that hides the line of it', async () => {
    for (const level of ['trace', 'silent']) {
      const service = await started(SERVING, { ...process.env, SLUICE_LOG_LEVEL: level });
      expect(Number(new URL(service.url).port)).toBeGreaterThan(0);
      await service.stop();
    }
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

describe('a taken port', () => {
  it('is one at which a program listens', async () => {
    const port = await ownPort();
    expect(await isPortTaken(HOST, port)).toBe(false);
    const server = createServer().listen(port, HOST);
    await once(server, 'listening');
    expect(await isPortTaken(HOST, port)).toBe(true);
    server.close();
    await once(server, 'close');
    expect(await isPortTaken(HOST, port)).toBe(false);
  });

  it('is not what is no port: the service refuses it', async () => {
    for (const port of [Number.NaN, 65_536, -1]) expect(await isPortTaken(HOST, port)).toBe(false);
  });
});
