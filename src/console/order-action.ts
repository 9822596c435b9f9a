import type { OrderRow } from './order-row.js';

/** What an operator may do to an order. */
export type OrderAction = 'pause' | 'resume' | 'cancel';

const ACTIONS: Readonly<Record<string, readonly OrderAction[]>> = {
  PENDING_NEW: ['cancel'],
  ACCEPTED: ['pause', 'cancel'],
  PARTIALLY_FILLED: ['pause', 'cancel'],
  PENDING_PAUSE: ['cancel'],
  PAUSED: ['resume', 'cancel'],
  PENDING_UNPAUSE: ['cancel'],
};

/** What makes sense in a status; the service has the last word. */
export function actionsIn(status: string): readonly OrderAction[] {
  return ACTIONS[status] ?? [];
}

export interface Confirmation {
  readonly question: string;
  readonly consequence: string;
  /** What the button says that does it. */
  readonly verb: string;
}

export function confirmationOf(action: OrderAction, row: OrderRow): Confirmation {
  const name = `${row.side} ${row.symbol} on ${row.venues.join(' and ')} (${row.strategy}, ${nameOf(row)})`;
  switch (action) {
    case 'cancel':
      return {
        question: 'Cancel this order?',
        consequence: `${name}: its resting children are withdrawn, what is filled stays filled, and it cannot be taken up again.`,
        verb: 'Cancel the order',
      };
    case 'pause':
      return {
        question: 'Pause this order?',
        consequence: `${name}: its resting children are withdrawn and nothing is placed until it is resumed. Its end time stays.`,
        verb: 'Pause',
      };
    case 'resume':
      return {
        question: 'Resume this order?',
        consequence: `${name}: what is left is spread over the time that is left.`,
        verb: 'Resume',
      };
  }
}

export function confirmationOfAll(openCount: number): Confirmation {
  const orders = openCount === 1 ? 'the one open order' : `all ${openCount} open orders`;
  return {
    question: `Cancel ${orders}?`,
    consequence: `Cancels ${orders} of this account, at every venue and from every client, those that this page does not list too. What is filled stays filled.`,
    verb: `Cancel ${orders}`,
  };
}

function nameOf({ orderId, clientOrderId }: OrderRow): string {
  return clientOrderId === null ? `order ${orderId}` : `order ${orderId}, ${clientOrderId}`;
}
