/*
 * Letter case of names that clients and operators send. Only ASCII letters have a case here: toUpperCase of JavaScript
 * also maps letters such as `ſ` to S and `ı` to I, so that `ſell` would be read as SELL.
 */

const OTHER_THAN_ASCII = /[^\0-\x7F]/;

/** The text with the letters a to z in upper case. All other characters stay as they are. */
export function asciiUpper(text: string): string {
  return OTHER_THAN_ASCII.test(text) ? text.replace(/[a-z]+/g, (letters) => letters.toUpperCase()) : text.toUpperCase();
}

/** The text with the letters A to Z in lower case. All other characters stay as they are. */
export function asciiLower(text: string): string {
  return OTHER_THAN_ASCII.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text.toLowerCase();
}
