const POLYNOMIAL = 0x82f6_3b78; // Castagnoli, bit-reversed

/**
 * Builds eight tables, so that one step takes eight bytes. TABLES[k][b] is the checksum of byte b followed by k zero
 * bytes.
 */
function buildTables(): Uint32Array[] {
  const first = Uint32Array.from({ length: 256 }, (_, byte) => {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? POLYNOMIAL : 0);
    return remainder >>> 0;
  });
  const tables = [first];
  for (let table = 1; table < 8; table++) {
    const previous = tables[table - 1]!;
    tables.push(previous.map((checksum) => (checksum >>> 8) ^ first[checksum & 0xff]!));
  }
  return tables;
}

const [T0, T1, T2, T3, T4, T5, T6, T7] = buildTables() as [
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
  Uint32Array,
];

/** CRC-32C of bytes[start, end), continued from `seed`: the checksum of earlier bytes, or any number to include. */
export function crc32c(bytes: Uint8Array, start: number, end: number, seed = 0): number {
  let crc = ~seed;
  let at = start;
  for (; at + 8 <= end; at += 8) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    crc =
      T7[crc & 0xff]! ^
      T6[(crc >>> 8) & 0xff]! ^
      T5[(crc >>> 16) & 0xff]! ^
      T4[crc >>> 24]! ^
      T3[bytes[at + 4]!]! ^
      T2[bytes[at + 5]!]! ^
      T1[bytes[at + 6]!]! ^
      T0[bytes[at + 7]!]!;
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ T0[(crc ^ bytes[at]!) & 0xff]!;
  return ~crc >>> 0;
}
