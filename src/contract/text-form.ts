import { CLIENT_ORDER_ID_CHARACTERS_MAX, SUBACCOUNT_CHARACTERS_MAX } from '../model/limits.js';
import { DECIMAL } from '../model/quantity.js';

/*
 * Forms of texts, as the sources of regular expressions with the flag `u`: the parser reads by them and the documents
 * publish them.
 */

/** A text that names something for the caller: printable characters of any script, no comma. */
function nameForm(charactersMax: number): string {
  return String.raw`^[^\p{C}\p{Zl}\p{Zp},]{1,${charactersMax}}$`;
}

export const CLIENT_ORDER_ID_FORM = nameForm(CLIENT_ORDER_ID_CHARACTERS_MAX);
export const SUBACCOUNT_FORM = nameForm(SUBACCOUNT_CHARACTERS_MAX);
export const DECIMAL_FORM = DECIMAL.source;
/** The same with a digit other than 0 somewhere. */
export const POSITIVE_DECIMAL_FORM = DECIMAL_FORM.replace('^', '^(?=.*[1-9])');
/** ISO 8601 in UTC. */
export const INSTANT_FORM = String.raw`^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d(\.\d{1,9})?Z$`;
