import { workerData } from 'node:worker_threads';
import { FIRST_ADDED_INDEX, type InstrumentIndex } from '../../src/domain/instrument.js';
import { SharedListingWriter } from '../../src/wire/shared-listing.js';
import { plainInstrument } from '../domain/plain-instrument.js';

/* Writes one row 20,001 times, each time with another length. */

const writer = new SharedListingWriter(workerData as SharedArrayBuffer);
for (let version = 0; version <= 20_000; version += 1) {
  const base = 'B'.repeat(1 + (version % 50));
  writer.put(plainInstrument({ index: FIRST_ADDED_INDEX as InstrumentIndex, base, notionalMin: version }));
}
