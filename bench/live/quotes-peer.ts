import { type AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

/* Best bid and ask of the subscribed streams at a fixed rate, as Binance's combined streams send them. */

const TURN_MS = 10;
/** Turns between two quotes of one stream: 10 quotes a second. */
const TURNS_PER_ROUND = 10;

const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
await new Promise((resolve) => {
  server.once('listening', resolve);
});
let updateId = 400_900_217;
server.on('connection', (socket) => {
  const names: string[] = [];
  let turn = 0;
  socket.on('message', (data) => {
    const { id, method, params } = JSON.parse((data as Buffer).toString()) as {
      readonly id: number;
      readonly method: string;
      readonly params: readonly string[];
    };
    if (method === 'SUBSCRIBE') names.push(...params);
    socket.send(JSON.stringify({ result: null, id }));
  });
  const startedAtMs = performance.now();
  const timer = setInterval(() => {
    // A late timer sends what it has missed.
    for (const due = (performance.now() - startedAtMs) / TURN_MS; turn < due; turn += 1) send(turn);
  }, TURN_MS);
  const send = (at: number): void => {
    for (let place = at % TURNS_PER_ROUND; place < names.length; place += TURNS_PER_ROUND) {
      const stream = names[place]!;
      if (!stream.endsWith('@bookTicker')) continue;
      updateId += 1;
      const cents = String(updateId % 100).padStart(2, '0');
      const s = stream.slice(0, stream.indexOf('@')).toUpperCase();
      const quote = { b: `25000.${cents}000000`, B: '31.21000000', a: `25001.${cents}000000`, A: '40.66000000' };
      socket.send(JSON.stringify({ stream, data: { u: updateId, s, ...quote } }));
    }
  };
  socket.on('close', () => clearInterval(timer));
});
process.send?.({ port: (server.address() as AddressInfo).port });
process.on('disconnect', () => process.exit(0));
