import type { ClientOrderId } from '../../model/ids.js';
import { CLIENT_ORDER_ID_CHARACTERS_MAX, SUBACCOUNT_CHARACTERS_MAX } from '../../model/limits.js';
import { reject, type OrRejection } from '../../model/rejection.js';
import { isAbsent, shown } from './json-field.js';

/** Nearly every text is plain ASCII; the class of all printable characters is only asked for the rest. */
const PLAIN = /^[ -+\--~]+$/;
const PRINTABLE = /^[^\p{C}\p{Zl}\p{Zp},]+$/u;

/** Any text that names something for the caller: printable, no comma. */
function isName(value: unknown, charactersMax: number): value is string {
  if (typeof value !== 'string' || value.length > 2 * charactersMax) return false;
  if (PLAIN.test(value)) return value.length <= charactersMax;
  return PRINTABLE.test(value) && [...value].length <= charactersMax;
}

export function isClientOrderId(value: unknown): value is ClientOrderId {
  return isName(value, CLIENT_ORDER_ID_CHARACTERS_MAX);
}

export function parseClientOrderId(value: unknown): OrRejection<ClientOrderId | null> {
  if (isAbsent(value)) return null;
  if (isClientOrderId(value)) return value;
  const rule = `1 to ${CLIENT_ORDER_ID_CHARACTERS_MAX} printable characters without a comma`;
  return reject('INVALID_PARAM', `client_order_id ${shown(value)} is not ${rule}`);
}

export function parseSubaccount(value: unknown): OrRejection<string | null> {
  if (isAbsent(value)) return null;
  if (isName(value, SUBACCOUNT_CHARACTERS_MAX)) return value;
  const rule = `1 to ${SUBACCOUNT_CHARACTERS_MAX} printable characters without a comma`;
  return reject('INVALID_PARAM', `subaccount ${shown(value)} is not ${rule}`);
}
