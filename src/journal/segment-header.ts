import { crc32c } from './crc32c.js';

/*
 *  A segment begins with (little-endian):
 *
 *    0         8          12       16              24              32                40        64
 *    ├─────────┼──────────┼────────┼───────────────┼───────────────┼─────────────────┼─────────┤
 *    │ magic   │ version  │ crc32c │ number (f64)  │ firstSeq (f64)│ bytes (f64)     │ zeros   │
 *    └─────────┴──────────┴────────┴───────────────┴───────────────┴─────────────────┴─────────┘
 *
 *  It is written together with the segment's first turn: a prepared segment is all zeros.
 */
export const SEGMENT_HEADER_BYTES = 64;
const MAGIC = 'SLUICEJ\n';
export const SEGMENT_VERSION = 1;
const CHECKED_FROM = 16;
const CHECKED_TO = 40;

export interface SegmentHeader {
  readonly number: number;
  readonly firstSeq: number;
  readonly segmentBytes: number;
}

export function writeSegmentHeader(target: Buffer, header: SegmentHeader): void {
  target.fill(0, 0, SEGMENT_HEADER_BYTES);
  target.write(MAGIC, 0, 'latin1');
  target.writeUInt32LE(SEGMENT_VERSION, 8);
  target.writeDoubleLE(header.number, 16);
  target.writeDoubleLE(header.firstSeq, 24);
  target.writeDoubleLE(header.segmentBytes, 32);
  target.writeUInt32LE(crc32c(target, CHECKED_FROM, CHECKED_TO, SEGMENT_VERSION), 12);
}

/** null when the bytes are no undamaged header: the segment is unused, or its first turn never was whole. */
export function readSegmentHeader(source: Buffer): SegmentHeader | null {
  if (source.length < SEGMENT_HEADER_BYTES || source.toString('latin1', 0, 8) !== MAGIC) return null;
  if (source.readUInt32LE(8) !== SEGMENT_VERSION) return null;
  if (crc32c(source, CHECKED_FROM, CHECKED_TO, SEGMENT_VERSION) !== source.readUInt32LE(12)) return null;
  return {
    number: source.readDoubleLE(16),
    firstSeq: source.readDoubleLE(24),
    segmentBytes: source.readDoubleLE(32),
  };
}

/** Format of a segment whose first bytes these are; null when they are not those of a used segment. */
export function segmentVersion(source: Buffer): number | null {
  return source.toString('latin1', 0, 8) === MAGIC ? source.readUInt32LE(8) : null;
}
