/**
 * Places as many resting orders as its argument says, at the service on port 8080, and prints the number of open
 * orders. The key is in SLUICE_API_KEY and SLUICE_API_SECRET.
 */
import { SluiceClient } from '../../src/client/index.js';
import { restingOrder } from '../system/sample-orders.js';

const { SLUICE_API_KEY: apiKey = '', SLUICE_API_SECRET: apiSecret = '' } = process.env;
const client = new SluiceClient({ url: 'http://127.0.0.1:8080', apiKey, apiSecret });
const count = Number(process.argv[2] ?? 0);
if (count > 0) await client.createMany(Array.from({ length: count }, () => restingOrder()));
console.log((await client.open()).length);
client.close();
