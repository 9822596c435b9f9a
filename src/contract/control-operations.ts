import { AmendOrderRequest, CancelAllAfterAnswer, CancelAllAfterRequest, OrderReference } from './control-request.js';
import { CANCELLING, PLACING, type SignedOperation } from './operation.js';
import { OrderSummary } from './order-answer.js';

const success = { status: 200, description: 'Where the order stands now.', schema: OrderSummary } as const;
const REFUSALS =
  'What cannot be done leaves the order as it is: its summary says why in `error_code` and `message`. An unknown order: 404 INVALID_ORDER. Neither id, or two that name different orders: 400 INVALID_REQUEST.';

export const PAUSE_ORDER = {
  ...PLACING,
  id: 'pauseOrder',
  path: '/api/v2/trading/order/pause',
  summary: 'Pause one order',
  description: `PENDING_PAUSE while its children are withdrawn, then PAUSED: nothing of it stands at the exchange. What they fill meanwhile counts, and its end time goes on. One that is paused already is answered so again. ${REFUSALS}`,
  body: OrderReference,
  success,
} as const satisfies SignedOperation;

export const RESUME_ORDER = {
  ...PLACING,
  id: 'resumeOrder',
  path: '/api/v2/trading/order/resume',
  summary: 'Resume a paused order',
  description: `PENDING_UNPAUSE until the market is seen, then worked again: a schedule spreads what is left over the time that is left. One that is worked already is answered so. ${REFUSALS}`,
  body: OrderReference,
  success,
} as const satisfies SignedOperation;

export const AMEND_ORDER = {
  ...PLACING,
  id: 'amendOrder',
  path: '/api/v2/trading/order/amend',
  summary: 'Amend one order',
  description: `Judged as a create of the order with its new terms would be. Children that the new terms rule out are withdrawn before they hold; should those fill more than the new quantity meanwhile, what is filled is the quantity. A schedule then spreads what is left over the time that is left. Works while paused too. INSUFFICIENT_FUNDS when they need more than before and the balances, as far as they are known, do not cover it. Of a multi-leg order, quantity, price and how it is worked are those of the leading leg; what filled of it is hedged all the while. ${REFUSALS}`,
  body: AmendOrderRequest,
  success,
} as const satisfies SignedOperation;

export const CANCEL_ALL_AFTER = {
  ...CANCELLING,
  id: 'cancelAllAfter',
  path: '/api/v2/trading/order/cancelAllAfter',
  summary: "Dead man's switch",
  description:
    'Cancels every open order of the account unless it is asked for again in time. Each request replaces the one before. It outlives restarts: a time that passed while the service was down takes effect when it is back. Else INVALID_PARAM.',
  body: CancelAllAfterRequest,
  success: { status: 200, description: 'When it takes effect.', schema: CancelAllAfterAnswer },
} as const satisfies SignedOperation;
