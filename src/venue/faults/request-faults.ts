import type { Rejection } from '../../model/rejection.js';
import type { EpochMs } from '../../model/time.js';
import type { VenueRequest } from '../../model/venue-message.js';
import type { Subject } from './armed-rule.js';
import type { MessageFaultRule, RequestFault } from './fault-rule.js';
import type { MessageFaults } from './message-faults.js';
import type { Outages } from './outages.js';

type RequestRule = MessageFaultRule & RequestFault;

export interface RequestFaultsParts {
  readonly outages: Outages;
  readonly faults: MessageFaults;
}

/** What becomes of a request: it passes, it is refused, or it is lost on its way. */
export type Fate = 'passes' | 'unsent' | Rejection;

/** The way of requests. An outage goes before the rules that hit single ones, and the worse outage before the other. */
export class RequestFaults {
  readonly #parts: RequestFaultsParts;

  constructor(parts: RequestFaultsParts) {
    this.#parts = parts;
  }

  fateOf(request: VenueRequest, subject: Subject, nowMs: EpochMs): Fate {
    return this.#outageRefusal(subject, nowMs) ?? this.#hit(request, subject, nowMs);
  }

  #outageRefusal(subject: Subject, nowMs: EpochMs): Rejection | null {
    const { venue } = subject;
    const { outages } = this.#parts;
    if (outages.isOn(['restart'], subject, nowMs)) {
      return { code: 'EXCHANGE_NOT_AVAILABLE', message: `${venue} restarts` };
    }
    if (outages.isOn(['disconnect'], subject, nowMs)) {
      return { code: 'NETWORK_ERROR', message: `${venue} is not connected` };
    }
    const closedMs = outages.remainingMs(['maintenance'], subject, nowMs);
    if (closedMs !== null) {
      const message = `${venue} is under maintenance`;
      return { code: 'EXCHANGE_NOT_AVAILABLE', message, retryAfterMs: closedMs };
    }
    const bannedMs = outages.remainingMs(['ban'], subject, nowMs);
    if (bannedMs === null) return null;
    return { code: 'DDOS_PROTECTION', message: `${venue} has banned this client for a while`, retryAfterMs: bannedMs };
  }

  #hit(request: VenueRequest, subject: Subject, nowMs: EpochMs): Fate {
    const isMeant = (rule: MessageFaultRule): rule is RequestRule => 'request' in rule && concerns(rule, request);
    const rule = this.#parts.faults.hit(isMeant, subject, nowMs);
    if (rule === null) return 'passes';
    if (rule.fault === 'unsent') return 'unsent';
    const { code, message, retryAfterMs } = rule;
    return retryAfterMs === null ? { code, message } : { code, message, retryAfterMs };
  }
}

function concerns({ request: kind }: RequestRule, request: VenueRequest): boolean {
  if (request.kind === 'Submit') return kind !== 'cancel';
  return request.kind === 'Cancel' && kind !== 'submit';
}
