import { parentPort, workerData } from 'node:worker_threads';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import { BellRinger, createBell } from '../../src/wire/bell.js';
import { MarketCacheWriter } from '../../src/marketdata/market-cache.js';
import { marketOf } from './market-of.js';

/** Writes the rows in turn without a pause until word 0 of `stop` is 1. */
export interface CachePeerData {
  readonly marketCache: SharedArrayBuffer;
  readonly rowCount: number;
  readonly stop: SharedArrayBuffer;
}

const { marketCache, rowCount, stop } = workerData as CachePeerData;
const stopWord = new Int32Array(stop);
const writer = new MarketCacheWriter(marketCache, [new BellRinger(createBell())]);

parentPort!.postMessage('ready');
for (let number = 1; Atomics.load(stopWord, 0) === 0; number += 1) {
  for (let row = 0; row < rowCount; row += 1) writer.write(row as InstrumentIndex, marketOf(number), number);
}
