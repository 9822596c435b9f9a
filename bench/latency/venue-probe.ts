import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { SimulatedVenues } from '../../src/sim/simulated-venues.js';
import { VENUE_RECORD, type VenueRecordKind, VENUE_RECORD_NUMBERS } from './venue-records.js';

/**
 * Loaded before a service with separate modules (`node --import`). It notes when a placement arrives at the exchanges
 * and when an execution report leaves them, and writes the notes to the file BENCH_VENUE_FILE when the venue worker
 * ends. A service without the probe has no code for it.
 */
const RECORDS_MAX = 1_000_000;
const file = process.env['BENCH_VENUE_FILE'];

if (!isMainThread && file !== undefined) {
  const numbers = new Float64Array(RECORDS_MAX * VENUE_RECORD_NUMBERS);
  let count = 0;
  const note = (kind: VenueRecordKind, orderId: number, child: number): void => {
    if (count === RECORDS_MAX) return;
    const at = count * VENUE_RECORD_NUMBERS;
    numbers[at] = kind;
    numbers[at + 1] = orderId;
    numbers[at + 2] = child;
    numbers[at + 3] = Number(process.hrtime.bigint()) / 1000;
    count += 1;
  };
  const { handle, advance } = SimulatedVenues.prototype;
  SimulatedVenues.prototype.handle = function handleNoted(request, origin, nowMs) {
    if (request.kind === 'Submit') note(VENUE_RECORD.submit, request.orderId, request.child);
    handle.call(this, request, origin, nowMs);
  };
  SimulatedVenues.prototype.advance = function advanceNoted(nowMs, sink) {
    advance.call(this, nowMs, {
      ...sink,
      report: (report, destination) => {
        if ('child' in report) note(VENUE_RECORD.report, report.orderId, report.child);
        sink.report(report, destination);
      },
    });
  };
  process.on('exit', () => {
    // Other workers have no exchanges.
    if (count > 0) writeFileSync(file, numbers.subarray(0, count * VENUE_RECORD_NUMBERS));
  });
}
