import type { CancelCause } from '../../domain/cancel-cause.js';
import type { ApiKeyId } from '../../domain/ids.js';
import type { Quarantine } from '../../domain/quarantine.js';
import type { Rejection } from '../../domain/rejection.js';
import type { DurationMs } from '../../domain/time.js';
import { exchangeReason } from '../../domain/venue-report.js';
import type { sluice } from '../generated/messages.js';
import { orNull, required, time, timeOrNull } from './message.js';
import { CANCELLER, QUARANTINE_REASON, REJECTION_CODE } from './enums.js';

export function toWireRejection(rejection: Rejection): sluice.v1.Rejection.$Properties {
  const { code, message, retryAfterMs } = rejection;
  return { code: REJECTION_CODE.number(code), message, retryAfterMs: retryAfterMs ?? null };
}

/** Encodes an exchange's rejection, which may have any code and text. */
export function toWireReason(rejection: Rejection): sluice.v1.Rejection.$Properties {
  return toWireRejection(exchangeReason(rejection));
}

export function fromWireRejection(message: sluice.v1.Rejection): Rejection {
  const rejection = { code: REJECTION_CODE.name(message.code, 'Rejection.code'), message: message.message };
  const retryAfterMs = timeOrNull<DurationMs>(message.retryAfterMs, 'Rejection.retry_after_ms');
  return retryAfterMs === null ? rejection : { ...rejection, retryAfterMs };
}

/** Returns the rejection of a message. Throws CodecError when the field is missing. */
export function rejectionOf(message: { rejection: sluice.v1.Rejection | null }, field: string): Rejection {
  return fromWireRejection(required(message.rejection, field));
}

export function toWireQuarantine({
  sinceMs,
  reason,
  detail,
  isReleased,
}: Quarantine): sluice.v1.Quarantine.$Properties {
  return { sinceMs, reason: QUARANTINE_REASON.number(reason), detail, isReleased };
}

export function fromWireQuarantine({ sinceMs, reason, detail, isReleased }: sluice.v1.Quarantine): Quarantine {
  return {
    sinceMs: time(sinceMs, 'Quarantine.since_ms'),
    reason: QUARANTINE_REASON.name(reason, 'Quarantine.reason'),
    detail,
    isReleased,
  };
}

export function toWireCancelCause({ by, apiKey, code }: CancelCause): sluice.v1.CancelCause.$Properties {
  return { by: CANCELLER.number(by), apiKey, code: code === null ? null : REJECTION_CODE.number(code) };
}

export function fromWireCancelCause({ by, apiKey, code }: sluice.v1.CancelCause): CancelCause {
  return {
    by: CANCELLER.name(by, 'CancelCause.by'),
    apiKey: apiKey as ApiKeyId | null,
    code: orNull(code, (number) => REJECTION_CODE.name(number, 'CancelCause.code')),
  };
}
