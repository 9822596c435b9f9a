import { afterEach, describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { Rejected } from '../../src/domain/rejection.js';
import type { StreamDeps } from '../../src/stream/port.js';
import { eventually } from '../system/eventually.js';
import { StreamRig } from './stream-rig.js';

const rigs: StreamRig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.close();
});

async function started(
  changes: Partial<StreamDeps> = {},
  settings: Partial<StreamDeps['settings']> = {},
): Promise<StreamRig> {
  const rig = new StreamRig(settings, changes);
  rigs.push(rig);
  return rig.listen();
}

describe('the handshake', () => {
  it('accepts the listen key in the query or in the header', async () => {
    const rig = await started();
    const byQuery = await rig.connect();
    const byHeader = new WebSocket(`ws://127.0.0.1:${rig.port}/api/v2/ws`, {
      headers: { Authorization: 'Bearer demo' },
    });
    let requestId: unknown;
    byHeader.on('upgrade', ({ headers }) => (requestId = headers['x-request-id']));
    await once(byHeader, 'open');
    expect(requestId).toBe('request-1');
    expect(rig.streams.connectionCount).toBe(2);
    expect(await byQuery.settle()).toEqual([]);
    byHeader.terminate();
  });

  it.each([
    ['without a key', '', 401, 'AUTHENTICATION_ERROR'],
    ['with a forged key', '?listenKey=forged', 401, 'AUTHENTICATION_ERROR'],
    ['when the key cannot be verified', '?listenKey=broken', 500, 'SYSTEM_ERROR'],
  ])('refuses %s with the error body', async (_, query, status, code) => {
    const rig = await started();
    const refusal = await refused(`ws://127.0.0.1:${rig.port}/api/v2/ws${query}`);
    expect(refusal).toMatchObject({ status, body: { error_code: code, request_id: 'request-1' } });
    expect(refusal.requestId).toBe('request-1');
  });

  it('is refused while the service shuts down', async () => {
    const rig = await started();
    rig.streams.drain();
    const refusal = await refused(`ws://127.0.0.1:${rig.port}/api/v2/ws?listenKey=demo`);
    const body = { error_code: 'SYSTEM_BUSY', reason: 'SHUTTING_DOWN' };
    expect(refusal).toMatchObject({ status: 503, body, retryAfter: '1' });
  });

  it('is refused with the reason when the API key of a valid listen key may no longer be used', async () => {
    const rejection = { code: 'INVALID_API_KEY', message: 'it is suspended', reason: 'KEY_SUSPENDED' } as const;
    const rig = await started({ verifyListenKey: () => new Rejected(rejection) });
    const refusal = await refused(`ws://127.0.0.1:${rig.port}/api/v2/ws?listenKey=demo`);
    const body = { error_code: 'INVALID_API_KEY', message: 'it is suspended', reason: 'KEY_SUSPENDED' };
    expect(refusal).toMatchObject({ status: 401, body: { ...body, request_id: 'request-1' } });
    expect(rig.streams.connectionCount).toBe(0);
  });

  it('is refused beyond the maximum of all connections, until one closes', async () => {
    const rig = await started({}, { connectionsMax: 2 });
    const [first] = [await rig.connect('demo'), await rig.connect('other')];
    const refusal = await refused(`ws://127.0.0.1:${rig.port}/api/v2/ws?listenKey=demo`);
    expect(refusal).toMatchObject({ status: 503, body: { error_code: 'SYSTEM_BUSY' }, retryAfter: '1' });
    expect(rig.refusals).toMatchObject({ stream_connections: 1, stream_account_connections: 0 });
    first.socket.close();
    await first.closed;
    await rig.connect('demo');
  });

  it('reports a closed connection whose descriptor may still be open', async () => {
    const kept: boolean[] = [];
    const rig = await started({ onSocketClosed: (isDescriptorKept) => void kept.push(isDescriptorKept) });
    const [lost, other] = [await rig.connect(), await rig.connect()];
    lost.socket.terminate();
    await eventually(
      () => kept.length,
      (count) => count === 1,
    );
    rig.streams.drain();
    await other.closed;
    expect(kept).toEqual([false, true]);
  });

  it('is refused beyond the maximum of one account, for this account only', async () => {
    const rig = await started({}, { accountConnectionsMax: 1 });
    await rig.connect('demo');
    const refusal = await refused(`ws://127.0.0.1:${rig.port}/api/v2/ws?listenKey=demo`);
    expect(refusal).toMatchObject({ status: 429, body: { error_code: 'RATE_LIMIT_EXCEEDED' }, retryAfter: '1' });
    expect(rig.refusals).toMatchObject({ stream_connections: 0, stream_account_connections: 1 });
    await rig.connect('other');
  });

  it('is refused for an address above its rate, before its key is checked', async () => {
    const addresses: string[] = [];
    const waitOf = (address: ArrayBuffer): number => {
      addresses.push(new Uint8Array(address).join('.'));
      return 7;
    };
    const rig = await started({ waitOf, verifyListenKey: neverChecked });
    const refusal = await refused(`ws://127.0.0.1:${rig.port}/api/v2/ws?listenKey=demo`);
    expect(refusal).toMatchObject({ status: 429, body: { error_code: 'RATE_LIMIT_EXCEEDED' }, retryAfter: '7' });
    expect(addresses).toEqual(['127.0.0.1']);
    expect(rig.faults).toEqual([]);
  });
});

function neverChecked(): never {
  throw new Error('the key was checked');
}

interface Refusal {
  readonly status: number;
  readonly body: unknown;
  readonly requestId: unknown;
  readonly retryAfter: unknown;
}

async function refused(url: string): Promise<Refusal> {
  const socket = new WebSocket(url);
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.on('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        const { statusCode = 0, headers } = response;
        resolve({
          status: statusCode,
          body: JSON.parse(text) as unknown,
          requestId: headers['x-request-id'],
          retryAfter: headers['retry-after'],
        });
      });
    });
  });
}
