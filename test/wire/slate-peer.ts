import { parentPort, workerData } from 'node:worker_threads';
import type { InstrumentIndex } from '../../src/model/instrument.js';
import { BellRinger, createBell } from '../../src/wire/doorbell.js';
import { SlateWriter } from '../../src/wire/slate.js';
import { marketOf } from './market-of.js';

/** Writes the rows in turn, as fast as it can, until word 0 of `stop` is 1. */
export interface SlatePeerData {
  readonly slate: SharedArrayBuffer;
  readonly rowCount: number;
  readonly stop: SharedArrayBuffer;
}

const { slate, rowCount, stop } = workerData as SlatePeerData;
const stopWord = new Int32Array(stop);
const writer = new SlateWriter(slate, [new BellRinger(createBell())]);

parentPort!.postMessage('ready');
for (let number = 1; Atomics.load(stopWord, 0) === 0; number += 1) {
  for (let row = 0; row < rowCount; row += 1) writer.write(row as InstrumentIndex, marketOf(number), number);
}
