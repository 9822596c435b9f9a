import type { Quarantine } from '../../model/quarantine.js';
import type { Rejection } from '../../model/rejection.js';

/*
 * Answers are built as JSON text: a quantity or price goes from its exact integer to a number literal and is never a
 * float on its way. A decimal text of the model (digits, one point, a minus sign) is a valid JSON number as it stands.
 */

/** A JSON string. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

/** The latest second that was written, for instants come in order: formatting a date costs as much as parsing an order. */
let second = { atMs: Number.NaN, text: '' };

/** A JSON string of RFC 3339 in UTC with milliseconds. */
export function instantText(atMs: number): string {
  const milliseconds = atMs % 1000;
  if (atMs - milliseconds !== second.atMs) {
    second = { atMs: atMs - milliseconds, text: new Date(atMs).toISOString().slice(0, -'000Z'.length) };
  }
  return `"${second.text}${String(milliseconds).padStart(3, '0')}Z"`;
}

/** The members that say why an order ended or was refused, with their leading comma; nothing when there is nothing. */
export function outcomeMembers(outcome: Rejection | null): string {
  if (outcome === null) return '';
  return `,"message":${quote(outcome.message)},"error_code":"${outcome.code}"`;
}

/** Why and since when the order is quarantined, with a leading comma; nothing when it never was. */
export function quarantineMember(quarantine: Quarantine | null): string {
  if (quarantine === null) return '';
  const { sinceMs, reason, detail } = quarantine;
  return `,"quarantine":{"since":${sinceMs},"reason":"${reason}","detail":${quote(detail)}}`;
}

export function arrayText(items: readonly string[]): string {
  return `[${items.join(',')}]`;
}
