import type { AccountView } from './service-view.js';

/** Statuses that a stored order may have, and those that it may change into. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  PENDING_NEW: [
    'ACCEPTED',
    'PARTIALLY_FILLED',
    'REJECTED',
    'PENDING_CANCEL',
    'PENDING_PAUSE',
    'PAUSED',
    'FILLED',
    'CANCELLED',
    'EXPIRED',
  ],
  ACCEPTED: [
    'PARTIALLY_FILLED',
    'FILLED',
    'REJECTED',
    'PENDING_CANCEL',
    'CANCELLED',
    'PENDING_PAUSE',
    'PAUSED',
    'EXPIRED',
  ],
  PARTIALLY_FILLED: ['FILLED', 'PENDING_CANCEL', 'CANCELLED', 'PENDING_PAUSE', 'PAUSED', 'EXPIRED'],
  PENDING_PAUSE: [
    'PAUSED',
    'PENDING_CANCEL',
    'CANCELLED',
    'FILLED',
    'EXPIRED',
    'ACCEPTED',
    'PARTIALLY_FILLED',
    'PENDING_UNPAUSE',
  ],
  PAUSED: ['PENDING_UNPAUSE', 'ACCEPTED', 'PARTIALLY_FILLED', 'PENDING_CANCEL', 'CANCELLED', 'FILLED', 'EXPIRED'],
  PENDING_UNPAUSE: [
    'ACCEPTED',
    'PARTIALLY_FILLED',
    'PENDING_PAUSE',
    'PAUSED',
    'PENDING_CANCEL',
    'CANCELLED',
    'FILLED',
    'EXPIRED',
  ],
  PENDING_CANCEL: ['CANCELLED', 'FILLED', 'EXPIRED'],
  REJECTED: [],
  FILLED: [],
  CANCELLED: [],
  EXPIRED: [],
};

/**
 * Orders in a status that does not exist, whose statuses changed in a way that is not allowed, or that are quarantined.
 */
export function illegalOrders({ parents }: AccountView): string[] {
  return parents.flatMap(({ orderId, status, statuses, quarantine }) => {
    const problems = quarantine === null ? [] : [`order ${orderId} is quarantined: ${quarantine}`];
    if (NEXT[status] === undefined) problems.push(`order ${orderId} has the status ${status}`);
    statuses?.forEach((later, index) => {
      const earlier = statuses[index - 1];
      if (earlier !== undefined && earlier !== later && NEXT[earlier]?.includes(later) !== true)
        problems.push(`order ${orderId} went from ${earlier} to ${later}`);
    });
    return problems;
  });
}
