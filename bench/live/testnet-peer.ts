import { TestnetSite } from '../../test/loopback/testnet-site.js';

/* A loopback Binance under the host names of its test environment, in a process of its own. Sends the environment of a
 * service and the keys of its accounts to its parent. Its quotes stand still: only the orders are measured. */

const ACCOUNTS = Number(process.argv[2]);

const testnet = await TestnetSite.open('bench', { isMoving: false });
const keys = Array.from({ length: ACCOUNTS }, () => {
  const { key, secret } = testnet.loopback.openAccount().keys[0]!;
  return { key, secret };
});
process.send?.({ environment: testnet.environment, keys });
process.on('message', () => process.send?.({ refusals: testnet.loopback.spot.limits.refusals }));
process.on('disconnect', () => process.exit(0));
