import { afterEach, describe, expect, it } from 'vitest';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { StreamDeps } from '../../src/stream/port.js';
import { StreamRig } from './stream-rig.js';

const rigs: StreamRig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.close();
});

async function started(changes: Partial<StreamDeps> = {}): Promise<StreamRig> {
  const rig = new StreamRig({}, changes);
  rigs.push(rig);
  return rig.listen();
}

describe('the handshake', () => {
  it('takes the listen key from the query or from the header', async () => {
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
  ])('%s is refused with the error body', async (_, query, status, code) => {
    const rig = await started();
    const refusal = await refused(`ws://127.0.0.1:${rig.port}/api/v2/ws${query}`);
    expect(refusal).toMatchObject({ status, body: { error_code: code, request_id: 'request-1' } });
    expect(refusal.requestId).toBe('request-1');
  });

  it('is refused while the service shuts down', async () => {
    const rig = await started();
    rig.streams.drain();
    const refusal = await refused(`ws://127.0.0.1:${rig.port}/api/v2/ws?listenKey=demo`);
    expect(refusal).toMatchObject({ status: 503, body: { error_code: 'SYSTEM_BUSY' } });
  });
});

async function refused(url: string): Promise<{ status: number; body: unknown; requestId: unknown }> {
  const socket = new WebSocket(url);
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.on('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        const { statusCode = 0, headers } = response;
        resolve({ status: statusCode, body: JSON.parse(text) as unknown, requestId: headers['x-request-id'] });
      });
    });
  });
}
