import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { BODY_BYTES_MAX } from '../../src/domain/limits/clients.js';
import { eventually } from '../system/eventually.js';
import { ownPort } from '../system/own-port.js';
import { ROOT } from '../system/service-run.js';
import { type Key, Site } from '../system/site.js';
import { mustRun, NGINX } from './packages.js';

const run = promisify(execFile);
const EXAMPLE = readFileSync(join(ROOT, 'src/operate/nginx/sluice.conf'), 'utf8');
const CLIENT = join(ROOT, 'dist/test/operate/proxied-client-peer.js');
/** Several pings of the service fit into the pause of the client. */
const PING_MS = 100;
const IDLE_MS = 1_500;
/** Connections of one address in the example, and in the test. */
const ADDRESS_CONNECTIONS_MAX = 256;
const STREAMS_MAX = 8;

/** The example with the ports and files of a test. The rest of it stays unchanged. */
function configuration(folder: string, port: number, servicePort: number): string {
  const changes: readonly (readonly [string, string])[] = [
    ['listen 443 ssl http2;', `listen 127.0.0.1:${port} ssl http2;`],
    ['listen [::]:443 ssl http2;', ''],
    ['server 127.0.0.1:8080;', `server 127.0.0.1:${servicePort};`],
    ['/etc/nginx/sluice/', `${folder}/`],
    ['server_name sluice.example.com;', 'server_name localhost;'],
    ['/var/log/nginx/', `${folder}/`],
    [`limit_conn sluice_connections ${ADDRESS_CONNECTIONS_MAX};`, `limit_conn sluice_connections ${STREAMS_MAX};`],
  ];
  let server = EXAMPLE;
  for (const [from, to] of changes) {
    expect(server).toContain(from);
    server = server.replaceAll(from, to);
  }
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return [
    `pid ${folder}/pid; daemon off; master_process off; error_log stderr; events {}`,
    `http { access_log off; ${paths.join(' ')}\n${server} }`,
  ].join('\n');
}

describe.runIf(mustRun('the test of the proxy', NGINX))('the example configuration in a running nginx', () => {
  const site = new Site();
  const folder = join(site.folder, 'nginx');
  const certificate = join(folder, 'certificate.pem');
  let nginx: ChildProcess;
  let errors = '';
  let key: Key;
  let port: number;
  let servicePort: number;

  beforeAll(async () => {
    mkdirSync(folder);
    key = await site.issueKey();
    const env = { SLUICE_SHARDS: '1', SLUICE_WS_PING_MS: String(PING_MS) };
    servicePort = await site.start({ env }).ready();
    port = await ownPort();
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    const files = ['-keyout', join(folder, 'key.pem'), '-out', certificate];
    const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
    await run('openssl', [...kind, ...files, ...subject]);
    const file = join(folder, 'nginx.conf');
    writeFileSync(file, configuration(folder, port, servicePort));
    nginx = spawn(NGINX, ['-c', file, '-p', folder], { stdio: ['ignore', 'ignore', 'pipe'] });
    nginx.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    await eventually(
      () => {
        if (nginx.exitCode !== null) throw new Error(`nginx has ended: ${errors}`);
        return ask('GET', '/status/ready').catch(() => 0);
      },
      (status) => status === 200,
    );
  });
  afterAll(async () => {
    if (nginx !== undefined && nginx.exitCode === null) {
      nginx.kill('SIGKILL');
      await once(nginx, 'exit');
    }
    await site.close();
  });

  /** Status of an answer through the proxy. */
  async function ask(method: string, path: string, body = ''): Promise<number> {
    const sent = request(`https://localhost:${port}${path}`, { method, ca: readFileSync(certificate), agent: false });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [{ statusCode: number; resume: () => void }];
    answer.resume();
    return answer.statusCode;
  }

  it('passes on signed requests, streams and order entry of the client library', async () => {
    const args = [CLIENT, `https://localhost:${port}`, key.apiKey, key.apiSecret, String(IDLE_MS)];
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: certificate };
    const { stdout } = await run(process.execPath, args, { env });
    expect(JSON.parse(stdout)).toEqual({ orders: 2, connections: 1 });
    const metrics = await (await fetch(`http://127.0.0.1:${servicePort}/metrics`)).text();
    expect(metrics).toContain('route="/api/v2/trading/order/create",status="2xx"} 1\n');
    expect(metrics).toContain('route="/api/v2/ws/trade order.create",status="2xx"} 1\n');
    expect(errors).not.toMatch(/\[(error|crit|alert|emerg)\]/);
  });

  it('has the body limit of the service', async () => {
    const path = '/api/v2/trading/order/create';
    // The service reads the body and finds no signature.
    expect(await ask('POST', path, ' '.repeat(BODY_BYTES_MAX))).toBe(401);
    expect(await ask('POST', path, ' '.repeat(BODY_BYTES_MAX + 1))).toBe(413);
    // The proxy refused it: the service did not.
    const metrics = await (await fetch(`http://127.0.0.1:${servicePort}/metrics`)).text();
    expect(metrics).toContain('sluice_limit_refusals_total{limit="body_bytes"} 0\n');
  });

  it('bounds the connections of one address, and its access log has no listen key', async () => {
    const listenKey = await site.client(servicePort, key).listenKey();
    const streams = await Promise.all(Array.from({ length: STREAMS_MAX + 1 }, () => streamStatus(listenKey)));
    const refused = streams.filter(({ status }) => status === 429);
    expect([refused.length, new Set(streams.map(({ status }) => status))]).toEqual([1, new Set([101, 429])]);
    for (const { socket } of streams) socket.terminate();
    const accesses = await eventually(
      () => readFileSync(join(folder, 'sluice.log'), 'utf8'),
      (text) => text.split('"GET /api/v2/ws HTTP/1.1"').length > STREAMS_MAX + 1,
    );
    expect(accesses).not.toContain(listenKey);
    expect(accesses).not.toContain(key.apiKey);
  });

  /** Status of the handshake of a stream through the proxy, which remains open. */
  async function streamStatus(listenKey: string): Promise<{ readonly status: number; readonly socket: WebSocket }> {
    const url = `wss://localhost:${port}/api/v2/ws?listenKey=${listenKey}`;
    const socket = new WebSocket(url, { ca: readFileSync(certificate) });
    const status = await new Promise<number>((resolve) => {
      socket.on('error', () => undefined);
      socket.once('open', () => resolve(101));
      socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    });
    return { status, socket };
  }

  it('waits longer than the service, so that the service ends silent connections', () => {
    const silenceS = 300;
    for (const name of ['proxy_read_timeout', 'proxy_send_timeout']) {
      expect(Number(new RegExp(`${name} +(\\d+)s;`).exec(EXAMPLE)?.[1])).toBeGreaterThan(silenceS);
    }
  });

  it('does not show the metrics to other machines', async () => {
    expect(await ask('GET', '/metrics')).toBe(404);
    expect(await ask('GET', '/console')).toBe(200);
  });
});
