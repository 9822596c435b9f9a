import { CLIENT_ORDER_ID_FORM, SUBACCOUNT_FORM } from '../../contract/text-form.js';
import type { ClientOrderId } from '../../model/ids.js';
import { CLIENT_ORDER_ID_CHARACTERS_MAX, SUBACCOUNT_CHARACTERS_MAX } from '../../model/limits.js';
import { reject, type OrRejection } from '../../model/rejection.js';
import { isAbsent, shown } from './json-field.js';

const CLIENT_ORDER_ID = new RegExp(CLIENT_ORDER_ID_FORM, 'u');
const SUBACCOUNT = new RegExp(SUBACCOUNT_FORM, 'u');

export function isClientOrderId(value: unknown): value is ClientOrderId {
  return typeof value === 'string' && CLIENT_ORDER_ID.test(value);
}

export function parseClientOrderId(value: unknown): OrRejection<ClientOrderId | null> {
  if (isAbsent(value)) return null;
  if (isClientOrderId(value)) return value;
  const rule = `1 to ${CLIENT_ORDER_ID_CHARACTERS_MAX} printable characters without a comma`;
  return reject('INVALID_PARAM', `client_order_id ${shown(value)} is not ${rule}`);
}

export function parseSubaccount(value: unknown): OrRejection<string | null> {
  if (isAbsent(value)) return null;
  if (typeof value === 'string' && SUBACCOUNT.test(value)) return value;
  const rule = `1 to ${SUBACCOUNT_CHARACTERS_MAX} printable characters without a comma`;
  return reject('INVALID_PARAM', `subaccount ${shown(value)} is not ${rule}`);
}
