/**
 * Uses a service at an https address with the client library: REST, a stream, and order entry in a session. A process
 * of its own, because Node reads NODE_EXTRA_CA_CERTS only at its start. Prints one JSON line.
 */
import { SluiceClient, StreamClient, type OrderFrame } from '../../src/client/index.js';
import { restingOrder } from '../system/sample-orders.js';

const [url = '', apiKey = '', apiSecret = '', idleMs = '0'] = process.argv.slice(2);
const rest = new SluiceClient({ url, apiKey, apiSecret });
const session = new SluiceClient({ url, apiKey, apiSecret, transport: 'ws' });
const stream = new StreamClient({ url, listenKey: () => rest.listenKey() });
const statuses = new Map<number, string[]>();
let connections = 0;
const counted = new StreamClient({
  url,
  listenKey: () => rest.listenKey(),
  onConnection: (state) => void (connections += Number(state === 'UP')),
});

await Promise.all([stream.connect(), counted.connect()]);
await stream.subscribe({ topic: 'order', exchange: 'BINANCE' }, ({ order_status: order }: OrderFrame) => {
  const id = Number(order.order_id);
  statuses.set(id, [...(statuses.get(id) ?? []), order.status]);
});
const { order_id: overRest = 0 } = await rest.create(restingOrder());
// Streams and sessions are silent meanwhile, except for pings of the service.
await new Promise((resolve) => setTimeout(resolve, Number(idleMs)));
const { order_id: inSession = 0 } = await session.create(restingOrder());
await Promise.all([rest.cancel({ order_id: overRest }), session.cancel({ order_id: inSession })]);
while (![overRest, inSession].every((id) => statuses.get(id)?.includes('CANCELLED') === true))
  await new Promise((resolve) => setTimeout(resolve, 20));
console.log(JSON.stringify({ orders: statuses.size, connections }));
stream.close();
counted.close();
session.close();
rest.close();
