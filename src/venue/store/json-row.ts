const decoder = new TextDecoder();

/** Rows are JSON: short, and legible when something must be looked into. */
export function encodeRow(content: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(content));
}

export function decodeRow(bytes: Uint8Array): unknown {
  return JSON.parse(decoder.decode(bytes));
}
