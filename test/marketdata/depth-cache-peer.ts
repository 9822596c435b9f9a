import { parentPort, workerData } from 'node:worker_threads';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import { BellRinger, createBell } from '../../src/wire/bell.js';
import { DepthCacheWriter } from '../../src/marketdata/depth-cache.js';
import { depthOf } from './depth-of.js';
import type { CachePeerData } from './market-cache-peer.js';

const { marketCache, rowCount, stop } = workerData as CachePeerData;
const stopWord = new Int32Array(stop);
const writer = new DepthCacheWriter(marketCache, [new BellRinger(createBell())]);

parentPort!.postMessage('ready');
for (let number = 1; Atomics.load(stopWord, 0) === 0; number += 1) {
  const depth = depthOf(number);
  for (let row = 0; row < rowCount; row += 1) writer.write(row as InstrumentIndex, depth, number);
}
