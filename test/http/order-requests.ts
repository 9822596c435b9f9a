import { parseOrderRequest, type OrderRequest } from '../../src/http/parse/order-request.js';
import { untimelinessOf } from '../../src/http/parse/trade-times.js';
import type { Instrument, InstrumentIndex } from '../../src/model/instrument.js';
import { isRejected } from '../../src/model/rejection.js';
import { CATALOGUE, createBody, NOW_MS } from './orders.js';

/** Spot BTC/USDT on BINANCE. */
export const BITCOIN: Instrument = CATALOGUE.at(0 as InstrumentIndex);

export function parsed(fields: Record<string, unknown>): OrderRequest {
  const request = parseOrderRequest(createBody(fields), CATALOGUE);
  if (isRejected(request)) throw new Error(request.rejection.message);
  return request;
}

/** A right request of which some parts are others, whatever they mean for the rest. */
export function requestWith(parts: Partial<OrderRequest>): OrderRequest {
  const request = { ...parsed({}), ...parts };
  return { ...request, times: { ...request.times, durationMs: request.params.durationMs } };
}

/** What is said of a create with these fields at NOW_MS: `CODE: message`, or `placed`. */
export function verdictOn(fields: Record<string, unknown>): string {
  const request = parseOrderRequest(createBody(fields), CATALOGUE);
  const rejection = isRejected(request) ? request.rejection : untimelinessOf(request.times, NOW_MS);
  return rejection === null ? 'placed' : `${rejection.code}: ${rejection.message}`;
}
