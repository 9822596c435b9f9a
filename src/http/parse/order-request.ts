import type { ClientOrderId } from '../../model/ids.js';
import type { InstrumentCatalogue } from '../../model/instrument.js';
import type { Clip } from '../../model/order.js';
import { isRejected, reject, type OrRejection } from '../../model/rejection.js';
import { parseClip } from './clip.js';
import { isJsonObject, shown } from './json-field.js';
import { parseParams, type OrderParams } from './order-params.js';
import { parseSubject, type OrderSubject } from './order-subject.js';
import { misfitOf } from './order-misfit.js';
import { parseTerms, type OrderTerms } from './order-terms.js';
import { parseClientOrderId } from './order-text.js';
import { disorderOf, parseEnd, parseStart, type RequestedTimes } from './trade-times.js';

/** A CreateParentOrderRequest whose form is right, by its meaning. The clock has not been asked yet. */
export interface OrderRequest {
  readonly clientOrderId: ClientOrderId | null;
  readonly subject: OrderSubject;
  readonly terms: OrderTerms;
  readonly times: RequestedTimes;
  readonly clip: Clip;
  readonly params: OrderParams;
}

/**
 * The request, or the first rule that it breaks, in the order of the contract's table: client_order_id, exchange,
 * subaccount, symbol, asset_category, side, quantity, strategy, limit_price, start_time, end_time, clip_size_type and
 * clip_size_val, params; last, what the parts mean for each other. Unknown fields are ignored.
 */
export function parseOrderRequest(body: unknown, catalogue: InstrumentCatalogue): OrRejection<OrderRequest> {
  if (!isJsonObject(body)) return reject('INVALID_REQUEST', `the order is ${shown(body)}, not an object`);
  const clientOrderId = parseClientOrderId(body['client_order_id']);
  if (isRejected(clientOrderId)) return clientOrderId;
  const subject = parseSubject(body, catalogue);
  if (isRejected(subject)) return subject;
  const terms = parseTerms(body, subject.instrument);
  if (isRejected(terms)) return terms;
  const startAtMs = parseStart(body['start_time']);
  if (isRejected(startAtMs)) return startAtMs;
  const endAtMs = parseEnd(body['end_time']);
  if (isRejected(endAtMs)) return endAtMs;
  const clip = parseClip(body['clip_size_type'], body['clip_size_val'], subject.instrument);
  if (isRejected(clip)) return clip;
  const params = parseParams(body['params'], subject.instrument);
  if (isRejected(params)) return params;
  const times = { startAtMs, endAtMs, durationMs: params.durationMs };
  const misfit = disorderOf(times) ?? misfitOf({ subject, terms, times, clip, params });
  return misfit === null ? { clientOrderId, subject, terms, times, clip, params } : { rejection: misfit };
}
