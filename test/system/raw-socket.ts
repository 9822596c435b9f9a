import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { decodeSecret, signedMessage } from '../../src/client/index.js';
import type { Key } from './site.js';

const QUIET_MS = 1000;
const RECV_WINDOW_MS = 5000;

export async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Sends bytes on a connection of their own; resolves with all that comes back until it closes or falls silent. */
export async function sendRaw(port: number, bytes: string | Uint8Array): Promise<string> {
  const socket = await openSocket(port);
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString('latin1')));
  const over = new Promise((resolve) => {
    socket.once('close', resolve);
    socket.setTimeout(QUIET_MS, () => resolve(null));
  });
  socket.write(bytes);
  await over;
  socket.destroy();
  return received;
}

/** The headers of a request signed over its body exactly as sent, even when that is no text. */
export function signedHeaders({ apiKey, apiSecret }: Key, body: Uint8Array): Record<string, string> {
  const timestampMs = Date.now();
  const message = signedMessage({ timestampMs, apiKey, recvWindowMs: RECV_WINDOW_MS, payload: '' });
  const signature = createHmac('sha256', decodeSecret(apiSecret)).update(message).update(body).digest('base64');
  return {
    'X-API-KEY': apiKey,
    'X-TIMESTAMP': String(timestampMs),
    'X-RECV-WINDOW': String(RECV_WINDOW_MS),
    'X-SIGN': signature,
    'Content-Type': 'application/json',
  };
}
