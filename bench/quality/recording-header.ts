import { readFileSync } from 'node:fs';
import { parseJsonFile } from '../../src/api/field/json-file.js';
import type { AssetCategory } from '../../src/domain/exchange.js';
import { isRejected } from '../../src/domain/rejection.js';

/**
 * Describes the instrument of a recording: the file `<recording>.header.json` beside it, or an entry of the file of
 * --instruments, which also names its `recording`. A coin-margined contract has `quantity_step` 1: one contract is one
 * unit, and its costs in basis points are those of a linear contract, right to the first order of the price's move in a
 * window.
 */
export interface RecordingHeader {
  /** Start of the names of its recordings; only in the file of --instruments. */
  readonly recording?: string;
  readonly exchange: string;
  readonly asset_category: AssetCategory;
  readonly base: string;
  readonly quote: string;
  /** Currency of the margin; only for a coin-margined contract. */
  readonly settle?: string;
  /** Powers of ten, as decimal text. */
  readonly price_step: string;
  readonly quantity_step: string;
  /** Smallest and largest quantity of an order, in units; a step and unlimited when absent. */
  readonly quantity_min?: number;
  readonly quantity_max?: number;
  /** Smallest quantity × price, in quote units; 0 when absent. */
  readonly notional_min?: number;
  /** In basis points of the notional; those of the exchange's other instruments when absent. */
  readonly maker_fee_bps?: number;
  readonly taker_fee_bps?: number;
}

/** How the value of a field is checked. */
interface HeaderField {
  readonly isNeeded: boolean;
  readonly is: (value: unknown) => boolean;
  /** What the value is, for messages. */
  readonly what: string;
}

const TEXT = { is: (value: unknown) => typeof value === 'string' && value !== '', what: 'a text' };
const AMOUNT = {
  is: (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
  what: 'a number from 0',
};
/** Fees of makers may be negative. */
const BPS = {
  is: (value: unknown) => typeof value === 'number' && Math.abs(value) <= 1_000,
  what: 'a number from -1000 to 1000',
};
const CATEGORY = { is: (value: unknown) => value === 'SPOT' || value === 'FUTURE', what: 'SPOT or FUTURE' };

const FIELDS: { readonly [Name in keyof Required<RecordingHeader>]: HeaderField } = {
  recording: { ...TEXT, isNeeded: false },
  exchange: { ...TEXT, isNeeded: true },
  asset_category: { ...CATEGORY, isNeeded: true },
  base: { ...TEXT, isNeeded: true },
  quote: { ...TEXT, isNeeded: true },
  settle: { ...TEXT, isNeeded: false },
  price_step: { ...TEXT, isNeeded: true },
  quantity_step: { ...TEXT, isNeeded: true },
  quantity_min: { ...AMOUNT, isNeeded: false },
  quantity_max: { ...AMOUNT, isNeeded: false },
  notional_min: { ...AMOUNT, isNeeded: false },
  maker_fee_bps: { ...BPS, isNeeded: false },
  taker_fee_bps: { ...BPS, isNeeded: false },
};

/** Reads a file with a header, or with a list of them. Returns the reason when one has an unknown or a wrong field. */
export function headersIn(path: string): readonly RecordingHeader[] | string {
  const parsed = parseJsonFile(readFileSync(path), path);
  if (isRejected(parsed)) return parsed.rejection.message;
  const headers: readonly unknown[] = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
  for (const [index, header] of headers.entries()) {
    const fault = faultOf(header);
    if (fault !== null) return `${path}, header ${index + 1}: ${fault}`;
  }
  return headers as readonly RecordingHeader[];
}

/** Reads the file of --instruments. Throws an error with the reason when it cannot be used. */
export function readHeaders(path: string): readonly RecordingHeader[] {
  const headers = headersIn(path);
  if (typeof headers === 'string') throw new Error(headers);
  return headers;
}

function faultOf(header: unknown): string | null {
  if (typeof header !== 'object' || header === null || Array.isArray(header)) return 'a header is an object';
  const values = new Map<string, unknown>(Object.entries(header));
  for (const name of values.keys()) {
    if (!Object.hasOwn(FIELDS, name))
      return `${name} is no field of a header; it has ${Object.keys(FIELDS).join(', ')}`;
  }
  for (const [name, { isNeeded, is, what }] of Object.entries(FIELDS)) {
    const value = values.get(name);
    if (value === undefined ? isNeeded : !is(value)) return `${name}=${JSON.stringify(value) ?? ''} is not ${what}`;
  }
  return null;
}
