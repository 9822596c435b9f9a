import { readFileSync } from 'node:fs';

/** Kinds of the notes that the probe of the venue worker writes. */
export const VENUE_RECORD = { submit: 0, report: 1 } as const;
export type VenueRecordKind = (typeof VENUE_RECORD)[keyof typeof VENUE_RECORD];
/** Kind, order id, child number and time of a note. */
export const VENUE_RECORD_NUMBERS = 4;

export interface VenueRecord {
  readonly kind: VenueRecordKind;
  readonly orderId: number;
  readonly child: number;
  /** Microseconds of the monotonic clock, which all processes share. */
  readonly atUs: number;
}

/** Reads the notes in the order of time. */
export function venueRecordsIn(file: string): VenueRecord[] {
  const bytes = readFileSync(file);
  const numbers = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  return Array.from({ length: numbers.length / VENUE_RECORD_NUMBERS }, (_, record) => {
    const [kind, orderId, child, atUs] = numbers.subarray(record * VENUE_RECORD_NUMBERS);
    return { kind: kind as VenueRecordKind, orderId: orderId!, child: child!, atUs: atUs! };
  });
}

/** Arrival of the first child of each order. */
export function firstChildren(records: readonly VenueRecord[]): ReadonlyMap<number, number> {
  const first = new Map<number, number>();
  for (const { kind, orderId, atUs } of records) {
    if (kind === VENUE_RECORD.submit && !first.has(orderId)) first.set(orderId, atUs);
  }
  return first;
}

/** Times from the last report on an order to the arrival of its next child, in microseconds. */
export function timesToNextChild(records: readonly VenueRecord[]): number[] {
  const lastReport = new Map<number, number>();
  const times: number[] = [];
  for (const { kind, orderId, atUs } of records) {
    if (kind === VENUE_RECORD.report) {
      lastReport.set(orderId, atUs);
      continue;
    }
    const reportedUs = lastReport.get(orderId);
    // Children of one decision share their report: only the first one counts.
    if (reportedUs !== undefined) times.push(atUs - reportedUs);
    lastReport.delete(orderId);
  }
  return times;
}
