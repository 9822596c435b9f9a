// @ts-check
/**
 * Places an order, follows it until it ends, and prints its cost.
 *
 *     SLUICE_URL=http://127.0.0.1:8080 SLUICE_API_KEY=… SLUICE_API_SECRET=… node place-and-follow.mjs
 */
import { SluiceClient, StreamClient, TERMINAL_STATUSES } from 'sluice-client';

const { SLUICE_URL: url = 'http://127.0.0.1:8080', SLUICE_API_KEY = '', SLUICE_API_SECRET = '' } = process.env;
const client = new SluiceClient({ url, apiKey: SLUICE_API_KEY, apiSecret: SLUICE_API_SECRET });
const stream = new StreamClient({ url, listenKey: () => client.listenKey() });

// Your id of the order. A create that is repeated with it returns the first order.
const clientOrderId = `follow-${Date.now()}`;

// Subscribe before the create: then no frame of the order is missed, also not across a lost connection.
await stream.connect();
let end = () => {};
const ended = new Promise((resolve) => (end = () => resolve(undefined)));
await stream.subscribe(
  { topic: 'order', exchange: 'BINANCE' },
  ({ order_status: status, order_progress: progress }) => {
    if (status.client_order_id !== clientOrderId) return;
    console.log(`${status.status} ${(progress * 100).toFixed(0)} % at ${status.average_price}`);
    if (TERMINAL_STATUSES.includes(status.status)) end();
  },
);

const order = await client.create({
  client_order_id: clientOrderId,
  exchange: 'BINANCE',
  symbol: 'BTC/USDT',
  asset_category: 'SPOT',
  side: 'BUY',
  quantity: '0.05',
  strategy: 'TWAP',
  params: { duration_seconds: '10', trading_style: 'AGGRESSIVE' },
});
// A rejected order is an answer, not an error.
if (order.status === 'REJECTED') throw new Error(`${order.error_code}: ${order.message}`);
console.log(`order ${order.order_id} is ${order.status}`);

await ended;
const cost = await client.orderCost({ clientOrderId });
console.log(`arrival slippage ${cost.legs[0]?.cost?.arrival_slippage_bps} bps`);
stream.close();
client.close();
