import type { CancelCause } from '../../domain/cancel-cause.js';
import { type InstrumentIndex, realModeOf } from '../../domain/instrument.js';
import { formatLots, type Grid, type Lots } from '../../domain/quantity.js';
import type { Quarantine } from '../../domain/quarantine.js';
import type { Rejection } from '../../domain/rejection.js';

/*
 * Answers and frames are written as JSON text. A quantity or price is an exact integer and becomes a number literal
 * without a float in between. A decimal text of the domain (digits, one point, a minus sign) is a valid JSON number.
 */

/** A JSON string. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

/**
 * The last second that was formatted. Formatting a date costs as much as parsing an order, and instants mostly
 * increase.
 */
let second = { atMs: Number.NaN, text: '' };

/** A JSON string with the instant in RFC 3339, UTC, with milliseconds. */
export function instantText(atMs: number): string {
  const milliseconds = atMs % 1000;
  if (atMs - milliseconds !== second.atMs) {
    second = { atMs: atMs - milliseconds, text: new Date(atMs).toISOString().slice(0, -'000Z'.length) };
  }
  return `"${second.text}${String(milliseconds).padStart(3, '0')}Z"`;
}

/** Members of an end or a refusal, with a leading comma; empty when the outcome is null. */
export function outcomeMembers(outcome: Rejection | null): string {
  if (outcome === null) return '';
  return `,"message":${quote(outcome.message)},"error_code":"${outcome.code}"${reasonMember(outcome)}`;
}

/** Member `reason` of a refusal, with a leading comma; empty when it has none. */
export function reasonMember({ reason }: Rejection): string {
  return reason === undefined ? '' : `,"reason":"${reason}"`;
}

/** Member `quarantine` with a leading comma; empty when the order was never quarantined. */
export function quarantineMember(quarantine: Quarantine | null): string {
  if (quarantine === null) return '';
  const { sinceMs, reason, detail } = quarantine;
  return `,"quarantine":{"since":${sinceMs},"reason":"${reason}","detail":${quote(detail)}}`;
}

/**
 * Member `cause` with a leading comma: who cancelled the order; empty when it is not cancelled or that is not recorded.
 */
export function cancelCauseMember(cause: CancelCause | null): string {
  if (cause === null) return '';
  const { by, apiKey, code } = cause;
  const key = optionalQuoted('api_key', apiKey);
  return `,"cause":{"by":"${by}"${key}${code === null ? '' : `,"error_code":"${code}"`}}`;
}

export function arrayText(items: readonly string[]): string {
  return `[${items.join(',')}]`;
}

/** `,"name":text`; empty for null, because answers leave out absent fields. */
export function optional(name: string, text: string | null): string {
  return text === null ? '' : `,"${name}":${text}`;
}

/** `,"name":"value"` with the value as a JSON string; empty for null. */
export function optionalQuoted(name: string, value: string | null): string {
  return value === null ? '' : `,"${name}":${quote(value)}`;
}

/** Member `over_filled_quantity` with its comma; empty while the fills do not exceed the quantity. */
export function overFilledMember(quantity: Lots, filled: Lots, grid: Grid): string {
  return filled > quantity ? `,"over_filled_quantity":${formatLots((filled - quantity) as Lots, grid)}` : '';
}

/** Members of an echo with a comma first. The echo is an object of clip_size_type, clip_size_val and params. */
export function echoedMembers(requestEcho: string): string {
  const members = requestEcho.slice(1, -1);
  return members === '' ? '' : `,${members}`;
}

/** Member `live_mode` of an order, a leg or a child; empty at a simulated exchange. */
export function liveModeMember(instrument: InstrumentIndex): string {
  const mode = realModeOf(instrument);
  return mode === null ? '' : `,"live_mode":"${mode}"`;
}
