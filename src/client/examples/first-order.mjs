/** Places one order: the shortest program. Its environment is that of place-and-follow.mjs. */
import { SluiceClient } from 'sluice-client';

const { SLUICE_URL: url = 'http://127.0.0.1:8080', SLUICE_API_KEY = '', SLUICE_API_SECRET = '' } = process.env;
const client = new SluiceClient({ url, apiKey: SLUICE_API_KEY, apiSecret: SLUICE_API_SECRET });
const market = { exchange: 'BINANCE', symbol: 'BTC/USDT', asset_category: 'SPOT' };
const order = await client.create({ ...market, side: 'BUY', quantity: '0.05', strategy: 'MARKET' });
console.log(`order ${order.order_id} is ${order.status}`);
