import { once } from 'node:events';
import { createHmac } from 'node:crypto';
import WebSocket from 'ws';
import { decodeSecret } from '../../src/client/index.js';
import { type Frame, StreamClient } from '../stream/stream-rig.js';
import type { Key } from './site.js';

/** A session of a running service, and the data of its `auth` answer. */
export interface SystemSession {
  readonly client: StreamClient;
  readonly data: Frame;
}

/** Starts a session. `wishes`: more args of `auth`. */
export async function sessionAt(port: number, key: Key, wishes: object = {}): Promise<SystemSession> {
  const { apiKey, apiSecret } = key;
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/v2/ws/trade`);
  const client = new StreamClient(socket);
  await once(socket, 'open');
  // A signature starts one session: no two of them have the same time stamp.
  const timestamp = Math.max(Date.now(), lastTimestamp + 1);
  lastTimestamp = timestamp;
  const sign = createHmac('sha256', decodeSecret(apiSecret)).update(`${timestamp}${apiKey}5000`).digest('base64');
  client.send({ id: 'start', op: 'auth', args: { api_key: apiKey, timestamp, sign, ...wishes } });
  const answer = await client.next();
  if (answer['status'] !== 200) throw new Error(JSON.stringify(answer));
  return { client, data: answer['data'] as Frame };
}

let lastTimestamp = 0;
