import type { Rejection } from '../../model/rejection.js';

/*
 * Answers are built as JSON text: a quantity or price goes from its exact integer to a number literal and is never a
 * float on its way. A decimal text of the model (digits, one point, a minus sign) is a valid JSON number as it stands.
 */

/** A JSON string. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

/** A JSON string of RFC 3339 in UTC with milliseconds. */
export function instantText(atMs: number): string {
  return `"${new Date(atMs).toISOString()}"`;
}

/** The members that say why an order ended or was refused, with their leading comma; nothing when there is nothing. */
export function outcomeMembers(outcome: Rejection | null): string {
  return outcome === null ? '' : `,"message":${quote(outcome.message)},"error_code":"${outcome.code}"`;
}

export function arrayText(items: readonly string[]): string {
  return `[${items.join(',')}]`;
}
