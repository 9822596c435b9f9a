import { CANCEL_AFTER_MS_MAX, CANCEL_AFTER_MS_MIN } from '../../model/limits.js';
import { reject, type OrRejection } from '../../model/rejection.js';
import type { DurationMs } from '../../model/time.js';
import { isAbsent, isJsonObject, shown } from './json-field.js';

/** Reads CancelAllAfterRequest: real time, 0 for off. */
export function parseCancelAfter(body: unknown): OrRejection<DurationMs> {
  if (!isJsonObject(body)) return reject('INVALID_REQUEST', `the request is ${shown(body)}, not an object`);
  const value = body['timeout_ms'];
  if (isAbsent(value)) return reject('INVALID_REQUEST', 'timeout_ms is missing');
  if (value === 0) return 0 as DurationMs;
  const isRight = typeof value === 'number' && Number.isSafeInteger(value);
  if (isRight && value >= CANCEL_AFTER_MS_MIN && value <= CANCEL_AFTER_MS_MAX) return value as DurationMs;
  const rule = `0 or an integer from ${CANCEL_AFTER_MS_MIN} to ${CANCEL_AFTER_MS_MAX}`;
  return reject('INVALID_PARAM', `timeout_ms ${shown(value)} is not ${rule}`);
}
