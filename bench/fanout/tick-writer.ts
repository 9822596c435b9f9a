import { workerData } from 'node:worker_threads';
import { monotonicUs } from '../../src/runtime/clock.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import { BellRinger } from '../../src/wire/bell.js';
import { MarketCacheWriter } from '../../src/marketdata/market-cache.js';
import { stampedMarket } from './tickers.js';

/** A thread in place of the venue worker: repeatedly writes the followed markets into the last-value cache. */
export interface TickWriterData {
  readonly marketCache: SharedArrayBuffer;
  readonly mainBell: SharedArrayBuffer;
  readonly instruments: readonly InstrumentIndex[];
  readonly pauseMs: number;
}

/** Pause while no market is followed. */
const UNWANTED_PAUSE_MS = 5;

const { marketCache, mainBell, instruments, pauseMs } = workerData as TickWriterData;
const writer = new MarketCacheWriter(marketCache, [new BellRinger(mainBell)]);
const sleeper = new Int32Array(new SharedArrayBuffer(4));

for (;;) {
  let isWanted = false;
  for (const instrument of instruments) {
    if (!writer.isWanted(instrument)) continue;
    isWanted = true;
    const stampUs = monotonicUs();
    writer.write(instrument, stampedMarket(stampUs), stampUs);
  }
  Atomics.wait(sleeper, 0, 0, isWanted ? pauseMs : UNWANTED_PAUSE_MS);
}
