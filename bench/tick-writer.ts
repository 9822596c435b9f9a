import { workerData } from 'node:worker_threads';
import { monotonicUs } from '../src/clock.js';
import type { InstrumentIndex } from '../src/model/instrument.js';
import { BellRinger } from '../src/wire/doorbell.js';
import { SlateWriter } from '../src/wire/slate.js';
import { stampedMarket } from './tick-market.js';

/** A thread that stands for the venue worker: writes the markets that are followed into the slate, again and again. */
export interface TickWriterData {
  readonly slate: SharedArrayBuffer;
  readonly mainBell: SharedArrayBuffer;
  readonly instruments: readonly InstrumentIndex[];
  readonly pauseMs: number;
}

/** How often it looks whether somebody follows a market by now. */
const UNWANTED_PAUSE_MS = 5;

const { slate, mainBell, instruments, pauseMs } = workerData as TickWriterData;
const writer = new SlateWriter(slate, [new BellRinger(mainBell)]);
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
