import type { Quarantine } from '../../model/quarantine.js';
import type { sluice } from '../generated/messages.js';
import { time } from './exact.js';
import { QUARANTINE_REASON } from './vocabulary.js';

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
