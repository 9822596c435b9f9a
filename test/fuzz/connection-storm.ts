import { once } from 'node:events';
import WebSocket from 'ws';

const AT_ONCE = 100;
const SUBSCRIPTION = JSON.stringify({ topic: 'ticker', exchange: 'BINANCE', symbol: 'BTC/USDT', method: 'subscribe' });

/**
 * Opens `count` streams, subscribes on every second one, and drops all of them without a close frame. Drops every third
 * one during its handshake. Resolves with the problems.
 */
export async function stormConnections(url: string, count: number, waitMs: number): Promise<string[]> {
  const problems: string[] = [];
  for (let from = 0; from < count; from += AT_ONCE) {
    const visits = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => visit(url, index, waitMs));
    for (const problem of await Promise.all(visits)) if (problem !== null) problems.push(problem);
  }
  return problems;
}

async function visit(url: string, index: number, waitMs: number): Promise<string | null> {
  const socket = new WebSocket(url, { handshakeTimeout: waitMs });
  const problem = new Promise<string | null>((resolve) => {
    socket.on('error', (error) => resolve(index % 3 === 0 ? null : `a stream did not open: ${error.message}`));
    socket.once('open', () => {
      if (index % 2 === 0) socket.send(SUBSCRIPTION);
      resolve(null);
    });
  });
  if (index % 3 === 0) {
    await new Promise(setImmediate);
    socket.terminate();
  }
  const found = await problem;
  if (socket.readyState !== WebSocket.CLOSED) {
    const closed = once(socket, 'close');
    socket.terminate();
    await closed;
  }
  return found;
}
