import { parentPort, workerData } from 'node:worker_threads';
import type { InstrumentIndex } from '../../src/model/instrument.js';
import { BellRinger, createBell } from '../../src/wire/doorbell.js';
import { DepthSlateWriter } from '../../src/wire/depth-slate.js';
import { depthOf } from './depth-of.js';
import type { SlatePeerData } from './slate-peer.js';

const { slate, rowCount, stop } = workerData as SlatePeerData;
const stopWord = new Int32Array(stop);
const writer = new DepthSlateWriter(slate, [new BellRinger(createBell())]);

parentPort!.postMessage('ready');
for (let number = 1; Atomics.load(stopWord, 0) === 0; number += 1) {
  const depth = depthOf(number);
  for (let row = 0; row < rowCount; row += 1) writer.write(row as InstrumentIndex, depth, number);
}
