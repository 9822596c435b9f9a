import { Worker } from 'node:worker_threads';
import uWS from 'uWebSockets.js';
import { ServiceClock, startClock } from '../../src/runtime/clock.js';
import type { AccountId, ApiKeyId } from '../../src/domain/ids.js';
import { noRefusals } from '../../src/domain/rejection.js';
import { attachStream } from '../../src/stream/server.js';
import { SYSTEM_TIMERS } from '../../src/stream/port.js';
import { createBell, EventLoopBell } from '../../src/wire/bell.js';
import { createMarketCache, MarketCacheReader } from '../../src/marketdata/market-cache.js';
import { MemoryReader } from '../../test/stream/memory-reader.js';
import { STREAM_SETTINGS } from '../../test/stream/stream-settings.js';
import { CATALOGUE, tickers, type TickPlan } from './tickers.js';
import type { TickWriterData } from './tick-writer.js';

/**
 * Only the service's path from a tick to a frame. A thread writes the last-value cache and rings; the main thread
 * renders and publishes. Its argument is a TickPlan. Prints its port on standard output.
 */
const { tickerCount, pauseMs } = JSON.parse(process.argv[2] ?? '') as TickPlan;
const READER = 0;

const mainBell = createBell();
const marketCache = createMarketCache(CATALOGUE.instruments.length, READER + 1);
const reader = new MarketCacheReader(marketCache, READER);
const app = uWS.App();
const stream = attachStream(app, {
  settings: { ...STREAM_SETTINGS, marketDataCap: tickerCount },
  catalogue: CATALOGUE,
  reader: new MemoryReader(),
  latestEventOf: () => 0,
  followed: { add: () => undefined, remove: () => undefined },
  clock: new ServiceClock(startClock({ serviceMs: Date.now(), leadMs: 0, speed: 1 })),
  timers: SYSTEM_TIMERS,
  refusals: noRefusals(),
  waitOf: () => 0,
  verifyListenKey: (token) => ({ account: token as AccountId, apiKey: 'bench' as ApiKeyId, address: '127.0.0.1' }),
  keyFailure: () => null,
  onSocketClosed: () => undefined,
  balances: (_account, _venue, answer) => answer([]),
  positions: () => undefined,
  market: (instrument) => reader.read(instrument),
  watchMarket: (instrument, isWatched) => reader.watch(instrument, isWatched),
  followFeed: () => () => {},
  nextRequestId: () => 'bench',
  onFault: (error) => {
    throw error;
  },
});
const bell = new EventLoopBell(mainBell, () => reader.takeDirty((instrument) => stream.onMarket(instrument)));

const instruments = tickers(tickerCount).map(({ index }) => index);
const writerData: TickWriterData = { marketCache, mainBell, instruments, pauseMs };
const writer = new Worker(new URL('./tick-writer.js', import.meta.url), { workerData: writerData });

app.listen('127.0.0.1', 0, (socket) => {
  if (socket === false) process.exit(1);
  console.log(JSON.stringify({ port: uWS.us_socket_local_port(socket) }));
});
process.once('SIGTERM', () => {
  bell.close();
  void writer.terminate().then(() => process.exit(0));
});
