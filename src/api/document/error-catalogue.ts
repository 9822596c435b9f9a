import { REJECTION_CODES, type RejectionCode } from '../../domain/rejection.js';
import { MEANINGS, statusLineOf } from '../field/error-code.js';

/** An error code for people: what it means, where it appears, and what a client does. Texts are Markdown. */
export interface ErrorEntry {
  readonly code: RejectionCode;
  readonly meaning: string;
  /** HTTP statuses of answers that refuse a whole request with it; empty: it refuses none. */
  readonly statuses: readonly number[];
  /** True: an order is REJECTED with it, a change of an order is refused with it, or an order ends with it. */
  readonly isOfOrders: boolean;
  readonly action: string;
}

interface Row {
  readonly of: 'requests' | 'orders' | 'both';
  /** Statuses besides that of the code. */
  readonly more?: readonly number[];
  /** Statuses instead of that of the code. */
  readonly only?: readonly number[];
  readonly action: string;
}

const CORRECT = 'Correct the field that the message names. The same request is refused again.';
const ASK_EXCHANGE = 'Read the message of the exchange. Send the order again later, or to another exchange.';
const FEE = 'Raise the fee limit at the exchange, or wait for lower fees.';

const ROWS: { readonly [Code in RejectionCode]: Row } = {
  OTHER: {
    of: 'both',
    action: 'Read the message and `reason`. With KILL_SWITCH stop sending and ask the operator.',
  },
  QUANTITY_EXCEED: {
    of: 'orders',
    action: 'Send less, or wait until open orders have ended. The message names the limit.',
  },
  AUTHENTICATION_ERROR: {
    of: 'both',
    more: [401],
    action:
      'Use a key with the permission, from an allowed network. In an order: ask the operator to check the key of the exchange (`sluice venue-keys check`).',
  },
  INSUFFICIENT_FUNDS: { of: 'orders', action: 'Read the balances of the exchange. Send less, or add funds.' },
  RATE_LIMIT_EXCEEDED: {
    of: 'both',
    action: 'Wait for `Retry-After` seconds, then send the same request again. `RateLimit-Remaining` shows the budget.',
  },
  DDOS_PROTECTION: { of: 'both', action: 'Send fewer requests to that exchange, and wait.' },
  EXCHANGE_NOT_AVAILABLE: {
    of: 'both',
    action: 'Wait until `GET /api/v2/data/exchanges` shows the exchange as UP, or use another exchange.',
  },
  NETWORK_ERROR: {
    of: 'both',
    action:
      'Send a read again. An order that has it was not placed, or its child orders are looked up: read the order.',
  },
  INVALID_ORDER: {
    of: 'both',
    only: [404],
    action:
      'Read the order: it may have ended. Correct the price, `post_only` or `reduce_only` that the message names.',
  },
  EXCHANGE_ERROR: { of: 'both', action: ASK_EXCHANGE },
  EMS_INSTANCES_DOWN: {
    of: 'both',
    action: 'Wait for `Retry-After` seconds, then send the same request again. Orders continue after the recovery.',
  },
  SLIPPAGE_EXCEEDED: { of: 'orders', action: 'Look at the market. Place the rest as a new order with another limit.' },
  EXPIRY_REACHED: { of: 'orders', action: 'None: the fills stay. Place the rest as a new order.' },
  MAX_FEE_PER_GAS_IS_TOO_LOW: { of: 'orders', action: FEE },
  PARENT_ORDER_WAS_TERMINATED: { of: 'orders', action: 'None: the report is recorded. Read the trades of the order.' },
  MAX_PRIORITY_FEE_PER_GAS_IS_TOO_LOW: { of: 'orders', action: FEE },
  INVALID_QUANTITY: {
    of: 'orders',
    action:
      'Correct the quantity: `GET /api/v2/data/instruments` has lot and minimums. With `"status": "CANCELLED"` the rest was too small to trade.',
  },
  INVALID_END_TIME: { of: 'orders', action: CORRECT },
  INVALID_TRADE_TIME: { of: 'orders', action: `${CORRECT} Compare your clock with \`GET /status/ping\`.` },
  INVALID_FEE: { of: 'orders', action: FEE },
  INVALID_SYMBOL: { of: 'both', action: 'Take a symbol from `GET /api/v2/data/instruments` of that exchange.' },
  INVALID_TRADE_STRATEGY: { of: 'both', action: CORRECT },
  INVALID_LIMIT_PRICE: {
    of: 'orders',
    action: 'Round the price to the tick of `GET /api/v2/data/instruments`, and keep it inside its bounds.',
  },
  INVALID_WOULD_PRICE: { of: 'orders', action: CORRECT },
  INVALID_TRIGGER_PRICE: { of: 'orders', action: CORRECT },
  INVALID_PARAM: { of: 'both', action: `${CORRECT} With UNKNOWN_FIELD the name of the field is wrong.` },
  INVALID_EXCHANGE: { of: 'both', action: 'Take an exchange from `GET /api/v2/data/exchanges`.' },
  INVALID_SIGNATURE: {
    of: 'requests',
    action:
      'Check the signing with the samples of `/docs`: the signed bytes must be the sent bytes. Sign each request once: a create without `client_order_id` accepts a signature once.',
  },
  INVALID_API_KEY: {
    of: 'requests',
    action: 'Check the key. With KEY_SUSPENDED ask the operator to confirm it, with KEY_EXPIRED ask for a new one.',
  },
  INVALID_TIMESTAMP: {
    of: 'requests',
    action:
      'Set the clock: the message has the time of the server, also `GET /status/ping`. Sign immediately before you send.',
  },
  BATCH_OVERSIZE: { of: 'requests', action: 'Split the batch.' },
  SYSTEM_ERROR: {
    of: 'requests',
    action: 'Report the `request_id` to the operator. The outcome is unknown: read the order before you repeat it.',
  },
  INVALID_REQUEST: {
    of: 'both',
    more: [404, 405, 413, 426],
    action: 'Correct the body, or the path (404), the method (405), the size (413). The message says what is wrong.',
  },
  SYSTEM_BUSY: {
    of: 'both',
    action:
      'Wait for `Retry-After` seconds, then send the same request again. With TRADING_HALTED wait until `/status/health` shows that trading is open.',
  },
};

/** All error codes, in the order of the contract. */
export const ERROR_CATALOGUE: readonly ErrorEntry[] = REJECTION_CODES.map((code) => {
  const { of, more = [], only, action } = ROWS[code];
  const own = Number(statusLineOf(code).slice(0, 3));
  const statuses = of === 'orders' ? [] : (only ?? [own, ...more].toSorted((one, other) => one - other));
  return { code, meaning: MEANINGS[code], statuses, isOfOrders: of !== 'requests', action };
});
