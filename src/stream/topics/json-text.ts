/** JSON is written as text: decimals go out as exact number literals, which a JavaScript number could not carry. */

export function quoted(text: string): string {
  return JSON.stringify(text);
}

/** `,"name":text`, or nothing when there is no value: absent fields are left out. */
export function optional(name: string, text: string | null): string {
  return text === null ? '' : `,"${name}":${text}`;
}

/** `,"name":"value"` with the value as a JSON string, or nothing. */
export function optionalQuoted(name: string, value: string | null): string {
  return value === null ? '' : `,"${name}":${quoted(value)}`;
}
