import { reject, type OrRejection } from '../../model/rejection.js';
import { choiceOf, isAbsent, shown, type JsonObject } from './json-field.js';

/** Reads a required enumeration that has no error code of its own, in any case. */
export function parseRequired<Name extends string>(
  body: JsonObject,
  field: string,
  names: readonly Name[],
): OrRejection<Name> {
  const value = body[field];
  if (isAbsent(value)) return reject('INVALID_REQUEST', `${field} is missing`);
  return choiceOf(names, value) ?? reject('INVALID_PARAM', `${field} ${shown(value)} is not ${names.join(' or ')}`);
}
