import { CREATED, isUnavailability, OK, SERVICE_UNAVAILABLE } from '../api/field/error-code.js';
import {
  CANCEL_ALL_ORDERS,
  CANCEL_ALL_ORDERS_BY_POST,
  CANCEL_ORDER,
  CANCEL_ORDERS,
  CREATE_ORDER,
  CREATE_ORDERS,
  CREATE_PAIR,
  CREATE_PAIRS,
} from '../api/order/order-operations.js';
import { batchSize, refusalOfParameters } from '../api/order/order-control.js';
import { isJsonObject } from '../api/field/json-value.js';
import { arrayText } from '../api/field/json-text.js';
import { type OrderSummary, summaryText } from '../api/order/order-details.js';
import { previewText, PREVIEW_ORDER } from '../api/order/order-preview.js';
import { requestedBy } from '../domain/cancel-cause.js';
import { isRejected, type OrRejection, type Rejection } from '../domain/rejection.js';
import type { Intake } from '../intake/intake.js';
import type { CancelAllResult } from '../intake/cancel-all.js';
import { type OrderCancellation, reportedCancels } from '../intake/order-cancellation.js';
import type { OrderPlacement } from '../intake/order-placement.js';
import type { OrderPreview, OrderPreviewer } from '../intake/order-preview.js';
import type { ReadQueue } from '../intake/read-queue.js';
import { recipientOf, type SignedEndpoint, type SignedRequest } from './endpoint.js';

export interface OrderEndpointParts {
  readonly intake: Pick<Intake, 'placement' | 'cancellation' | 'previewer' | 'reads'>;
}

/** The endpoints that create and cancel orders, and the preview. */
export function orderEndpoints({ intake }: OrderEndpointParts): readonly SignedEndpoint[] {
  const { placement, cancellation, previewer, reads } = intake;
  const one: Place = (sender, body, answer) => placement.place(sender, body, answer);
  const pair: Place = (sender, body, answer) => placement.placePair(sender, body, answer);
  const ones: PlaceMany = (sender, body, answer) => placement.placeMany(sender, body, answer);
  const pairs: PlaceMany = (sender, body, answer) => placement.placePairs(sender, body, answer);
  return [
    { ...CREATE_ORDER, ...CREATE, handle: (request) => create(placement, one, request) },
    { ...CREATE_ORDERS, ...CREATE, weigh: batchSize, handle: (request) => createMany(ones, request) },
    { ...CREATE_PAIR, ...CREATE, handle: (request) => create(placement, pair, request) },
    { ...CREATE_PAIRS, ...CREATE, weigh: batchSize, handle: (request) => createMany(pairs, request) },
    { ...CANCEL_ORDER, admitsLater: true, handle: (request) => cancel(cancellation, request) },
    {
      ...CANCEL_ORDERS,
      weigh: batchSize,
      admitsLater: true,
      handle: (request) => cancelMany(cancellation, request),
    },
    { ...CANCEL_ALL_ORDERS, handle: (request) => cancelAll(cancellation, reads, request) },
    {
      ...CANCEL_ALL_ORDERS_BY_POST,
      handle: (request) => {
        const refused = refusalOfParameters(request.body);
        if (refused === null) cancelAll(cancellation, reads, request);
        else request.call.refuse(refused.rejection);
      },
    },
    // A preview places nothing, so it also works while trading is halted.
    { ...PREVIEW_ORDER, reuse: 'remembered', handle: (request) => preview(previewer, request) },
  ];
}

const CREATE = { reuse: 'named', admitsLater: true } as const;

type Place = OrderPlacement['place'];
type PlaceMany = OrderPlacement['placeMany'];

function create(placement: OrderPlacement, place: Place, request: SignedRequest): void {
  const { call, body } = request;
  if (placement.isAccepting && !isJsonObject(body)) return call.refuse(NO_OBJECT);
  place(request, body, (summary) => {
    const unavailability = summary.orderId === null ? unavailabilityOf(summary) : null;
    if (unavailability !== null) call.refuse(unavailability);
    else call.answer(CREATED, summaryText(summary));
  });
}

function createMany(place: PlaceMany, request: SignedRequest): void {
  const { call, body } = request;
  place(request, body, (result) => {
    if (isRejected(result)) call.refuse(result.rejection);
    else call.answer(CREATED, `{"orders":${arrayText(result.map(summaryText))}}`);
  });
}

function cancel(cancellation: OrderCancellation, request: SignedRequest): void {
  const { call, body } = request;
  cancellation.cancel(request, body, (result) => {
    if (isRejected(result)) return call.refuse(result.rejection);
    const unavailability = unavailabilityOf(result);
    if (unavailability !== null) call.refuse(unavailability);
    else call.answer(OK, summaryText(result));
  });
}

function cancelMany(cancellation: OrderCancellation, request: SignedRequest): void {
  const { call, body, onAdmitted } = request;
  const answer = (result: OrRejection<readonly OrderSummary[]>): void => {
    if (isRejected(result)) call.refuse(result.rejection);
    else call.answer(OK, arrayText(result.map(summaryText)));
  };
  cancellation.cancelMany(request, body, answer, onAdmitted);
}

function cancelAll(cancellation: OrderCancellation, reads: ReadQueue, request: SignedRequest): void {
  const { call, account, apiKey } = request;
  const answer = call.guarded((result: CancelAllResult) => {
    const reported = reportedCancels(result);
    if (isRejected(reported)) return call.refuse(reported.rejection, SERVICE_UNAVAILABLE);
    const { orderIds, refusals } = reported;
    // The read budget must not slow down cancels.
    const recipient = recipientOf({ ...request, charge: () => undefined });
    reads.answer(recipient, { kind: 'listed', orderIds: Float64Array.from(orderIds), refusals });
  });
  cancellation.cancelAll(account, requestedBy('CANCEL_ALL', apiKey), answer);
}

function preview(previewer: OrderPreviewer, request: SignedRequest): void {
  const { call, body } = request;
  if (!isJsonObject(body)) return call.refuse(NO_OBJECT);
  previewer.preview(
    request,
    body,
    call.guarded((result: OrRejection<OrderPreview>) => {
      if (isRejected(result)) call.refuse(result.rejection);
      else call.answer(OK, previewText(result));
    }),
  );
}

const NO_OBJECT: Rejection = { code: 'INVALID_REQUEST', message: 'the body is not an object' };

/** The reason why the service could not accept the command; null when the summary is about the order. */
function unavailabilityOf({ outcome }: OrderSummary): Rejection | null {
  return outcome !== null && isUnavailability(outcome.code) ? outcome : null;
}
