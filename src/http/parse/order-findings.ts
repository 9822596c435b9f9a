import type { InstrumentCatalogue } from '../../model/instrument.js';
import { isRejected, type OrRejection, type Rejection } from '../../model/rejection.js';
import { parseClip } from './clip.js';
import { isJsonObject, type JsonObject } from './json-field.js';
import { misfitsOf } from './order-misfit.js';
import { paramsFindings, parseParams } from './order-params.js';
import { parseOrderRequest, type OrderRequest } from './order-request.js';
import { parseSubject } from './order-subject.js';
import { parseTerms, termsFindings } from './order-terms.js';
import { parseClientOrderId, parseSubaccount } from './order-text.js';
import { disorderOf, parseEnd, parseStart } from './trade-times.js';

/** A request and everything that is wrong with its form. */
export interface OrderFindings {
  /** null when anything is wrong with it. */
  readonly request: OrderRequest | null;
  /** In the order in which a create looks: it answers the first of them. */
  readonly rejections: readonly Rejection[];
}

/**
 * Reads a create request as `parseOrderRequest` does and by the same rules, but goes on behind what is wrong, as far as
 * what comes next can be judged without it: without an instrument there are no prices and quantities.
 */
export function findingsOf(body: unknown, catalogue: InstrumentCatalogue): OrderFindings {
  const request = parseOrderRequest(body, catalogue);
  if (!isRejected(request)) return { request, rejections: [] };
  return { request: null, rejections: isJsonObject(body) ? rejectionsOf(body, catalogue) : [request.rejection] };
}

function rejectionsOf(body: JsonObject, catalogue: InstrumentCatalogue): Rejection[] {
  const subject = parseSubject(body, catalogue);
  const times = [parseStart(body['start_time']), parseEnd(body['end_time'])] as const;
  const id = parseClientOrderId(body['client_order_id']);
  if (isRejected(subject)) return found([id, subject, subaccountBehind(subject, body), ...times]);
  const { instrument } = subject;
  const clip = parseClip(body['clip_size_type'], body['clip_size_val'], instrument);
  const wrong = [
    ...found([id]),
    ...termsFindings(body, instrument),
    ...found([...times, clip]),
    ...paramsFindings(body['params'], instrument),
  ];
  const terms = parseTerms(body, instrument);
  const params = parseParams(body['params'], instrument);
  const [startAtMs, endAtMs] = times;
  if (isRejected(startAtMs) || isRejected(endAtMs)) return wrong;
  const disorder = disorderOf({ startAtMs, endAtMs, durationMs: null });
  if (disorder !== null) wrong.push(disorder);
  if (isRejected(terms) || isRejected(clip) || isRejected(params)) return wrong;
  const requested = { startAtMs, endAtMs, durationMs: params.durationMs };
  return [...wrong, ...misfitsOf({ subject, terms, times: requested, clip, params })];
}

/** A subaccount is looked at before the symbol, and is not to be told twice. */
function subaccountBehind(subject: OrRejection<unknown>, body: JsonObject): OrRejection<unknown> {
  const subaccount = parseSubaccount(body['subaccount']);
  const isTold =
    isRejected(subject) && isRejected(subaccount) && subject.rejection.message === subaccount.rejection.message;
  return isTold ? null : subaccount;
}

function found(parts: readonly OrRejection<unknown>[]): Rejection[] {
  return parts.flatMap((part) => (isRejected(part) ? [part.rejection] : []));
}
