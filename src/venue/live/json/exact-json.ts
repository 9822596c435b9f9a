/** A string, closed or cut off at the end, or a number. */
const TOKEN = /"(?:[^"\\]|\\.)*(?:"|$)|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
/** Integers with fewer digits are below 2^53 and stay exact as numbers. */
const LONG_INTEGER = /^-?\d{16,}$/;

/**
 * Parses JSON with long integers as texts. Order and trade ids of some exchanges exceed 2^53 and would lose digits as
 * numbers. Throws a SyntaxError for a text that is no JSON, as JSON.parse does.
 */
export function parseExactJson(text: string): unknown {
  const exact = text.replace(TOKEN, (token) => (LONG_INTEGER.test(token) ? `"${token}"` : token));
  return JSON.parse(exact) as unknown;
}
