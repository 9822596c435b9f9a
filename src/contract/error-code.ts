import { REJECTION_CODES, type RejectionCode } from '../model/rejection.js';
import { BATCH_ORDERS_MAX, START_AHEAD_MS_MAX, START_BEHIND_MS_MAX } from '../model/limits.js';
import { choice } from './field.js';

const PASSED_THROUGH = 'The exchange said so; the message is its own.';
const GAS = 'Passed through from an on-chain exchange.';

/** When each code is given. */
const MEANINGS: { readonly [Code in RejectionCode]: string } = {
  OTHER: 'Nothing else fits.',
  QUANTITY_EXCEED: "`quantity` is above the instrument's or the account's maximum.",
  AUTHENTICATION_ERROR:
    'The key may not do this, or not from here (403), the listen key is not valid, or the exchange refused our key.',
  INSUFFICIENT_FUNDS: 'The account cannot cover the order.',
  RATE_LIMIT_EXCEEDED: 'A budget of the key or of the address is used up (429), or the exchange said so.',
  DDOS_PROTECTION: PASSED_THROUGH,
  EXCHANGE_NOT_AVAILABLE: 'The exchange cannot be reached, or did not answer in time.',
  NETWORK_ERROR: 'The connection to the exchange failed.',
  INVALID_ORDER: 'There is no such order, or it is over already.',
  EXCHANGE_ERROR: PASSED_THROUGH,
  EMS_INSTANCES_DOWN: 'The part of the service that owns the order is down and not yet recovered.',
  SLIPPAGE_EXCEEDED: 'A price guard stopped the order.',
  EXPIRY_REACHED: 'Its time ran out; what was filled stays.',
  MAX_FEE_PER_GAS_IS_TOO_LOW: GAS,
  PARENT_ORDER_WAS_TERMINATED: 'A child order was told of after its parent had ended.',
  MAX_PRIORITY_FEE_PER_GAS_IS_TOO_LOW: GAS,
  INVALID_QUANTITY: '`quantity` is missing, not a decimal above 0, off the lot grid, or under the minimum.',
  INVALID_END_TIME: '`end_time` cannot be read, is not after the start or over 30 days after it, or is past.',
  INVALID_TRADE_TIME: `\`start_time\` cannot be read, is over ${START_BEHIND_MS_MAX / 1000} s past, or over ${START_AHEAD_MS_MAX / 86_400_000} days ahead.`,
  INVALID_FEE: GAS,
  INVALID_SYMBOL: '`symbol` is missing, or is no such instrument of the exchange.',
  INVALID_TRADE_STRATEGY: '`strategy` is missing, unknown or not supported.',
  INVALID_LIMIT_PRICE:
    '`limit_price` is not a decimal above 0, is off the tick grid or out of bounds, or LIMIT lacks it.',
  INVALID_WOULD_PRICE: 'The would price is not a decimal above 0, off the tick grid, or worse than the limit.',
  INVALID_TRIGGER_PRICE: 'The trigger price is not a decimal above 0, or off the tick grid.',
  INVALID_PARAM: 'Any other field or query parameter has a wrong value; the message names it and its rule.',
  INVALID_EXCHANGE: '`exchange` is missing, unknown, or takes no orders.',
  INVALID_SIGNATURE: '`X-SIGN` is missing or does not fit (401).',
  INVALID_API_KEY: '`X-API-KEY` is missing, unknown, revoked or expired (401).',
  INVALID_TIMESTAMP: '`X-TIMESTAMP` or `X-RECV-WINDOW` is missing, unreadable, or not around server time (401).',
  BATCH_OVERSIZE: `A batch holds more than ${BATCH_ORDERS_MAX} orders; nothing was placed (400).`,
  SYSTEM_ERROR: 'A bug of the service; its log names the `request_id` (500).',
  INVALID_REQUEST:
    'The request cannot be used: no JSON, a required field without a code of its own is missing, ids that disagree.',
  SYSTEM_BUSY: 'Overload or shutdown; nothing was placed, try again after `Retry-After` (503).',
};

export const ApiErrorCode = choice(
  'ApiErrorCode',
  REJECTION_CODES,
  REJECTION_CODES.map((code) => `- \`${code}\`: ${MEANINGS[code]}`).join('\n'),
);
