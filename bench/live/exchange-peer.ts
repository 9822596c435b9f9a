import { BinanceLoopback } from '../../test/loopback/binance/binance-loopback.js';

/* An exchange on loopback in a process of its own. Sends its addresses and the key of an account to its parent. */

const PARDON_EVERY_MS = 200;

const loopback = await BinanceLoopback.start({ seed: 'bench' });
// The exchange's limits are not what is measured.
setInterval(() => loopback.futures.limits.pardon(), PARDON_EVERY_MS).unref();
const { key, secret } = loopback.openAccount().keys[0]!;
process.send?.({
  rest: loopback.address('fapi.binance.com'),
  streams: loopback.address('fstream.binance.com', 'ws'),
  socketApi: loopback.address('ws-fapi.binance.com', 'ws'),
  key,
  secret,
});
process.on('disconnect', () => process.exit(0));
