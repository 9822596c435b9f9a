import { reject, type OrRejection } from '../../model/rejection.js';
import { isAbsent, isJsonObject, shown } from './json-field.js';

/** Reads KillSwitchRequest, which can only engage. */
export function parseKillSwitch(body: unknown): OrRejection<true> {
  if (!isJsonObject(body)) return reject('INVALID_REQUEST', `the request is ${shown(body)}, not an object`);
  const value = body['engaged'];
  if (isAbsent(value)) return reject('INVALID_REQUEST', 'engaged is missing');
  if (value === true) return true;
  return reject('INVALID_PARAM', `engaged ${shown(value)} is not true: the operator alone releases a kill switch`);
}
