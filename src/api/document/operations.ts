import { AMEND_ORDER, CANCEL_ALL_AFTER, PAUSE_ORDER, RESUME_ORDER } from '../order/order-control.js';
import { ENGAGE_KILL_SWITCH, GET_RISK_LIMITS } from '../account/risk-limits.js';
import { ORDER_COST, WINDOW_COST } from '../order/execution-cost.js';
import { FUNDING_RATE_HISTORY, LAST_FUNDING_RATES } from '../market/funding.js';
import {
  CANCEL_ALL_ORDERS,
  CANCEL_ALL_ORDERS_BY_POST,
  CANCEL_ORDER,
  CANCEL_ORDERS,
  CREATE_ORDER,
  CREATE_ORDERS,
  CREATE_PAIR,
  CREATE_PAIRS,
} from '../order/order-operations.js';
import { LIST_EXCHANGES, LIST_INSTRUMENTS } from '../market/instruments.js';
import { ASYNCAPI, CONSOLE, DOCS, HEALTH, METRICS, OPENAPI, PING, READY } from './service.js';
import type { OpenOperation, SignedOperation } from './operation.js';
import { PREVIEW_ORDER } from '../order/order-preview.js';
import {
  FIND_ORDERS,
  GET_LISTEN_KEY,
  GET_ORDERS,
  LIST_BALANCES,
  LIST_OPEN_ORDERS,
  LIST_POSITIONS,
  LIST_USER_TRADES,
} from '../order/query-operations.js';
import { ORDER_TIMELINE } from '../order/timeline.js';

/** All documented operations, in the order of the page. */
export const OPERATIONS: readonly (SignedOperation | OpenOperation)[] = [
  CREATE_ORDER,
  CREATE_ORDERS,
  CREATE_PAIR,
  CREATE_PAIRS,
  CANCEL_ORDER,
  CANCEL_ORDERS,
  CANCEL_ALL_ORDERS,
  CANCEL_ALL_ORDERS_BY_POST,
  PAUSE_ORDER,
  RESUME_ORDER,
  AMEND_ORDER,
  CANCEL_ALL_AFTER,
  ENGAGE_KILL_SWITCH,
  PREVIEW_ORDER,
  LIST_OPEN_ORDERS,
  FIND_ORDERS,
  GET_ORDERS,
  ORDER_TIMELINE,
  ORDER_COST,
  WINDOW_COST,
  LIST_USER_TRADES,
  LIST_POSITIONS,
  LIST_BALANCES,
  GET_RISK_LIMITS,
  GET_LISTEN_KEY,
  LIST_EXCHANGES,
  LIST_INSTRUMENTS,
  FUNDING_RATE_HISTORY,
  LAST_FUNDING_RATES,
  PING,
  HEALTH,
  READY,
  METRICS,
  OPENAPI,
  ASYNCAPI,
  DOCS,
  CONSOLE,
];
