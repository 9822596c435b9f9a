import type { Rejection } from '../../model/rejection.js';
import { exchangeReason } from '../../model/report-text.js';
import type { DurationMs } from '../../model/time.js';
import type { sluice } from '../generated/messages.js';
import { timeOrNull } from './exact.js';
import { REJECTION_CODE } from './vocabulary.js';

export function toWireRejection(rejection: Rejection): sluice.v1.Rejection.$Properties {
  const { code, message, retryAfterMs } = rejection;
  return { code: REJECTION_CODE.number(code), message, retryAfterMs: retryAfterMs ?? null };
}

/** The reason of an exchange, which may have any code and text. */
export function toWireReason(rejection: Rejection): sluice.v1.Rejection.$Properties {
  return toWireRejection(exchangeReason(rejection));
}

export function fromWireRejection(message: sluice.v1.Rejection): Rejection {
  const rejection = { code: REJECTION_CODE.name(message.code, 'Rejection.code'), message: message.message };
  const retryAfterMs = timeOrNull<DurationMs>(message.retryAfterMs, 'Rejection.retry_after_ms');
  return retryAfterMs === null ? rejection : { ...rejection, retryAfterMs };
}
