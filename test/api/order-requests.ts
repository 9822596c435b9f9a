import { DEFAULT_VALUES, ORDER_SLOTS, type OrderRequest, parseOrderRequest } from '../../src/api/order/order-parser.js';
import type { OrderValues } from '../../src/api/order/order-checks.js';
import { OrderReader } from '../../src/api/order/order-reader.js';
import { checkClock } from '../../src/api/order/trade-times.js';
import type { Instrument, InstrumentIndex } from '../../src/domain/instrument.js';
import type { Clip, ParentOrder, WorkingTerms, Leg } from '../../src/domain/order.js';
import { isRejected } from '../../src/domain/rejection.js';
import { CATALOGUE, createBody, NOW_MS } from '../http/orders.js';

/** Spot BTC/USDT on BINANCE. */
export const BITCOIN: Instrument = CATALOGUE.at(0 as InstrumentIndex);

export type OrderParams = WorkingTerms &
  Pick<Leg, 'ladder'> &
  Pick<ParentOrder, 'reduceOnly' | 'imbalanceThresholdPpm' | 'priceLockBps' | 'postOnly'>;

export function parsed(fields: Record<string, unknown>): OrderRequest {
  const request = parseOrderRequest(createBody(fields), CATALOGUE);
  if (isRejected(request)) throw new Error(request.rejection.message);
  return request;
}

/** A valid request with some other values, whatever they mean for the rest. */
export function requestWith(values: Partial<OrderValues>): OrderRequest {
  const { values: valid, instrument } = parsed({});
  return { values: { ...valid, ...values }, instrument };
}

/** The values of fields alone, without the rules between fields. */
function valuesOf(body: Record<string, unknown>): OrderValues {
  const reader = new OrderReader({ ...DEFAULT_VALUES }, BITCOIN, CATALOGUE, false);
  const names = Object.keys(body);
  reader.readFields(
    ORDER_SLOTS.filter(({ name }) => names.includes(name)),
    body,
  );
  const [violation] = reader.violations;
  if (violation !== undefined) throw new Error(violation.message);
  return reader.values;
}

/** The typed values of `params`. */
export function paramsOf(params: unknown): OrderParams {
  const { durationMs, style, urgency, randomizeQuantity, would, trigger, placement, ...others } = valuesOf({ params });
  const { reduceOnly, ladder, imbalanceThresholdPpm, priceLockBps, postOnly } = others;
  const working = { durationMs, style, urgency, randomizeQuantity, would, trigger, placement };
  return { ...working, reduceOnly, ladder, imbalanceThresholdPpm, priceLockBps, postOnly };
}

export function clipOf(clip_size_type: unknown, clip_size_val: unknown): Clip {
  return valuesOf({ clip_size_type, clip_size_val }).clip;
}

/** The result of a create with these fields at NOW_MS: `CODE: message`, or `placed`. */
export function verdictOn(fields: Record<string, unknown>): string {
  const request = parseOrderRequest(createBody(fields), CATALOGUE);
  const rejection = isRejected(request) ? request.rejection : checkClock(request.values, NOW_MS);
  return rejection === null ? 'placed' : `${rejection.code}: ${rejection.message}`;
}
