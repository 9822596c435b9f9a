const decoder = new TextDecoder();

/** Rows are JSON: short, and legible when something must be looked into. */
export function encodeRow(content: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(content));
}

export function decodeRow(bytes: Uint8Array): unknown {
  return JSON.parse(decoder.decode(bytes));
}

/** A row to be written; null removes it. */
export interface Row {
  readonly key: string;
  readonly value: Uint8Array | null;
}
