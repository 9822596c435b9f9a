/**
 * Starts a session of order entry without the client library, to show what its `auth` signs.
 *
 *     SLUICE_URL=http://127.0.0.1:8080 SLUICE_API_KEY=… SLUICE_API_SECRET=… node session-auth.mjs
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { WebSocket } from 'ws';

const { SLUICE_URL = 'http://127.0.0.1:8080', SLUICE_API_KEY = '', SLUICE_API_SECRET = '' } = process.env;
const PATH = '/api/v2/ws/trade';
const RECV_WINDOW_MS = 5000;

/** The signature of a POST to the path of the session with an empty body. A signature starts one session. */
function credentials() {
  const timestamp = Date.now();
  const nonce = randomBytes(16).toString('hex');
  const hashOfEmptyBody = createHash('sha256').update('').digest('hex');
  const text = [
    '2', // sign_version
    'POST',
    PATH,
    '', // query
    timestamp,
    SLUICE_API_KEY,
    RECV_WINDOW_MS,
    nonce,
    hashOfEmptyBody,
  ].join('\n');
  const sign = createHmac('sha256', Buffer.from(SLUICE_API_SECRET, 'base64')).update(text).digest('base64');
  return { api_key: SLUICE_API_KEY, timestamp, recv_window: RECV_WINDOW_MS, sign_version: '2', nonce, sign };
}

/** The first request of a session. `resume` is the session that the lost connection had; its orders then stay open. */
function auth(resume) {
  return { id: 'auth', op: 'auth', args: { ...credentials(), cancel_on_disconnect: true, resume } };
}

/** A connection: sends a request and resolves with the answer of the same id. */
async function connection() {
  const socket = new WebSocket(SLUICE_URL.replace(/^http/, 'ws') + PATH);
  const waiting = new Map();
  socket.on('message', (data) => {
    const message = JSON.parse(Buffer.from(data).toString());
    if (message.topic === 'ping') return socket.send('{"topic":"pong"}');
    waiting.get(message.id)?.(message);
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const ask = (request) =>
    new Promise((resolve) => {
      waiting.set(request.id, resolve);
      socket.send(JSON.stringify(request));
    });
  return { ask, lose: () => socket.terminate(), close: () => socket.close(1000) };
}

const first = await connection();
const granted = await first.ask(auth());
if (granted.status !== 200) throw new Error(`${granted.error.error_code}: ${granted.error.message}`);
console.log(`session of account ${granted.data.account}`);
const order = {
  exchange: 'BINANCE',
  symbol: 'BTC/USDT',
  asset_category: 'SPOT',
  side: 'BUY',
  quantity: '0.01',
  strategy: 'LIMIT',
  limit_price: '50000',
  client_order_id: `session-${Date.now()}`,
};
const placed = await first.ask({ id: 'place', op: 'order.create', args: order });
console.log(`order is ${placed.data.status}`);

// The connection is lost. The session goes on when the same key resumes it within 2 s.
first.lose();
const second = await connection();
const resumed = await second.ask(auth(granted.data.session));
console.log(`resumed: ${resumed.data.resumed}`);
const cancelled = await second.ask({ id: 'cancel', op: 'order.cancel', args: { order_id: placed.data.order_id } });
console.log(`cancel answers ${cancelled.data.status}`);
second.close();
