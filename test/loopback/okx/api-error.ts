import type { Suspension } from '../exchange.js';
import type { ProtocolFault } from '../request-service.js';

/**
 * Codes with their texts and HTTP statuses. They are those of the published list of error codes; `{0}` stands for a
 * word of the request. Refusals of one order stand in its `sCode` with HTTP status 200.
 */
const CODES = {
  '50001': [503, 'Service temporarily unavailable. Please try again later.'],
  '50004': [
    400,
    'API endpoint request timeout. (does not mean that the request was successful or failed, please check the request result).',
  ],
  '50011': [429, 'Too Many Requests'],
  '50014': [400, 'Parameter {0} can not be empty.'],
  '50026': [500, 'System error. Try again later'],
  '50036': [200, "The expTime can't be earlier than the current system time. Please adjust the expTime and try again."],
  '50061': [200, "You've reached the maximum order rate limit for this account."],
  '50101': [401, 'APIKey does not match current environment.'],
  '50102': [401, 'Timestamp request expired.'],
  '50103': [401, 'Request header "OK-ACCESS-KEY" cannot be empty.'],
  '50104': [401, 'Request header "OK-ACCESS-PASSPHRASE" cannot be empty.'],
  '50105': [401, 'Request header "OK-ACCESS-PASSPHRASE" incorrect.'],
  '50106': [401, 'Request header "OK-ACCESS-SIGN" cannot be empty.'],
  '50107': [401, 'Request header "OK-ACCESS-TIMESTAMP" cannot be empty.'],
  '50110': [401, "Your IP {0} is not included in your API key's IP whitelist."],
  '50111': [401, 'Invalid OK-ACCESS-KEY.'],
  '50112': [401, 'Invalid OK-ACCESS-TIMESTAMP.'],
  '50113': [401, 'Invalid signature.'],
  '50115': [405, 'Invalid request method.'],
  '50002': [400, 'JSON syntax error'],
  '50120': [200, "This API key doesn't have permission to use this function"],
  '51000': [400, 'Parameter {0} error'],
  '51001': [200, "Instrument ID, Instrument ID code or Spread ID doesn't exist."],
  '51003': [200, 'Either client order ID or order ID is required.'],
  '51005': [200, 'Your order amount exceeds the max order amount.'],
  '51008': [200, 'Order failed. Insufficient {0} balance in account.'],
  '51010': [200, 'Request unsupported under current account mode'],
  '51016': [200, 'Client order ID already exists.'],
  '51020': [200, 'Your order should meet or exceed the minimum order amount.'],
  '51021': [200, 'Contract to be listed.'],
  '51022': [200, 'Contract suspended.'],
  '51027': [200, 'Contract expired.'],
  '51028': [200, 'Contract under delivery.'],
  '51054': [500, 'Request timed out. Please try again.'],
  '51101': [200, "Order failed, the sz of the current order can't be more than {0} (contracts)."],
  '51102': [200, "Order failed, the number of pending orders for this instId can't be more than {0} (orders)"],
  '51109': [200, 'No available offers.'],
  '51111': [200, 'Maximum {0} orders can be placed in bulk.'],
  '51121': [200, 'Order quantity must be a multiple of the lot size.'],
  '51137': [200, 'The highest price limit for buy orders is {0}.'],
  '51138': [200, 'The lowest price limit for sell orders is {0}.'],
  '51139': [200, 'Reduce-only feature is unavailable for the spot transactions by spot mode.'],
  '51169': [
    200,
    "Order failed because you don't have any positions in this direction for this contract to reduce or close.",
  ],
  '51204': [200, 'The price of a limit order cannot be empty.'],
  '51400': [200, 'Order cancellation failed as the order has been filled, canceled or does not exist.'],
  '51500': [200, 'You must enter a price, quantity, or TP/SL'],
  '51503': [200, 'Your order has already been filled or canceled.'],
  '51603': [200, 'Order does not exist.'],
  '59000': [200, 'Your settings failed as you have positions or open orders.'],
  '60005': [200, 'Invalid apiKey'],
  '60006': [200, 'Timestamp request expired'],
  '60007': [200, 'Invalid sign'],
  '60011': [200, 'Please log in'],
  '60012': [200, 'Invalid request: {0}'],
  '60014': [200, 'Requests too frequent'],
  '60018': [
    200,
    "Wrong URL or {0} doesn't exist. Please use the correct URL, channel and parameters referring to API document.",
  ],
  '60024': [200, 'Wrong passphrase'],
} as const satisfies Readonly<Record<string, readonly [number, string]>>;

export type ErrorCode = keyof typeof CODES;

/**
 * An error of the whole request, or of one order in it. Handlers throw it; each interface writes it in its own form.
 */
export class OkxError extends Error {
  readonly code: ErrorCode;
  readonly status: number;

  constructor(code: ErrorCode, word = '') {
    const [status, text] = CODES[code];
    super(text.replace('{0}', word));
    this.code = code;
    this.status = status;
  }
}

/**
 * The market takes no new orders. The published list has the codes. That a spot pair is refused with the codes of
 * contracts, and a perpetual that is gone as expired, rests on memory.
 */
export function suspended(instType: 'SPOT' | 'SWAP', suspension: Suspension): OkxError {
  switch (suspension) {
    case 'PRELAUNCH':
      return new OkxError('51021');
    case 'HALTED':
      return new OkxError('51022');
    case 'DELIVERING':
      return new OkxError('51028');
    case 'DELISTED':
      return new OkxError(instType === 'SPOT' ? '51001' : '51027');
    default:
      suspension satisfies never;
      throw new RangeError('no such suspension');
  }
}

/** The answer for a fault of the script. A maintenance page is no JSON and is written by the host. */
export function faultError(fault: Exclude<ProtocolFault, { kind: 'maintenance' }>): OkxError {
  if (fault.kind === 'limit') return new OkxError(fault.status === 429 ? '50011' : '50061');
  switch (fault.failure) {
    case 'unknown':
      return new OkxError('50026');
    case 'unexpected':
      return new OkxError('51054');
    case 'timeout':
      return new OkxError('50004');
    case 'overloaded':
      return new OkxError('50001');
    default:
      fault.failure satisfies never;
      throw new RangeError('no such failure');
  }
}
