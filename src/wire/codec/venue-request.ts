import type { AccountId, ChildNumber, VenueOrderId } from '../../domain/ids.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import type {
  ChildRef,
  ChildSubmission,
  ChildTarget,
  PlacementClass,
  StatusRequestClass,
  RequestClass,
  VenueRequest,
} from '../../domain/venue-message.js';
import { sluice } from '../generated/messages.js';
import { accountRefOf, toWireAccountRequest } from './account.js';
import { bytesOf, integer, integerOrNull, modelOf, unknownKind } from './message.js';
import { fromWireQueryCandles, fromWireQueryFundingRates, toWireMarketQuery } from './market-history.js';
import { fromWireQueryOrders, toWireQueryOrders } from './orders-listing.js';
import { CHILD_TYPE, REQUEST_CLASS, SELF_TRADE_PREVENTION, SIDE, TIME_IN_FORCE, VENUE } from './enums.js';

const wire = sluice.v1;
type RequestMessage = ReturnType<typeof wire.VenueRequest.decode>;

export function encodeVenueRequest(request: VenueRequest): Uint8Array {
  return bytesOf(wire.VenueRequest, toWireRequest(request));
}

export function decodeVenueRequest(bytes: Uint8Array): VenueRequest {
  return modelOf('VenueRequest', wire.VenueRequest, fromWireRequest, bytes);
}

function toWireRequest(request: VenueRequest): sluice.v1.VenueRequest.$Properties {
  const message: sluice.v1.VenueRequest.$Properties = {
    account: request.account,
    venue: VENUE.number(request.venue),
  };
  if ('limit' in request) return { ...message, ...toWireMarketQuery(request) };
  if (request.kind === 'QueryOrders') return { ...message, ...toWireQueryOrders(request) };
  if (!('orderId' in request)) return { ...message, ...toWireAccountRequest(request) };
  message.orderId = request.orderId;
  message.child = request.child;
  switch (request.kind) {
    case 'Submit':
      message.submit = toWireSubmission(request);
      return message;
    case 'Cancel':
      message.cancel = placedOf(request);
      return message;
    case 'QueryStatus':
      message.queryStatus = { ...placedOf(request), ...wireClassOf(request) };
      return message;
  }
}

function toWireSubmission(submission: ChildSubmission): sluice.v1.SubmitChild.$Properties {
  return {
    instrument: submission.instrument,
    side: SIDE.number(submission.side),
    quantity: submission.quantity,
    type: CHILD_TYPE.number(submission.type),
    timeInForce: TIME_IN_FORCE.number(submission.timeInForce),
    limitPrice: submission.limitPrice,
    postOnly: submission.postOnly,
    reduceOnly: submission.reduceOnly,
    selfTradePrevention: SELF_TRADE_PREVENTION.number(submission.selfTradePrevention),
    ...wireClassOf(submission),
  };
}

/** Where and when the child was placed. */
function placedOf({ instrument, submittedAtMs, venueOrderId }: ChildTarget): sluice.v1.CancelChild.$Properties {
  return { instrument, submittedAtMs, venueOrderId: venueOrderId ?? '' };
}

const UNCLASSED = {};

/** A request without a class has no class field on the wire. */
function wireClassOf({ requestClass }: { readonly requestClass?: RequestClass }) {
  return requestClass === undefined ? UNCLASSED : { requestClass: REQUEST_CLASS.number(requestClass) };
}

function fromWireRequest(message: RequestMessage): VenueRequest {
  switch (message.kind) {
    case 'submit':
      return fromWireSubmission(message, message.submit);
    case 'cancel':
      return { kind: 'Cancel', ...targetOf(message, message.cancel, 'CancelChild') };
    case 'queryStatus':
      return {
        kind: 'QueryStatus',
        ...targetOf(message, message.queryStatus, 'QueryStatus'),
        ...classOf<StatusRequestClass>(message.queryStatus, 'QueryStatus'),
      };
    case 'queryCandles':
      return fromWireQueryCandles(message, message.queryCandles);
    case 'queryFundingRates':
      return fromWireQueryFundingRates(message, message.queryFundingRates);
    case 'queryFunds':
      return { kind: 'QueryFunds', ...accountRefOf(message, message.queryFunds) };
    case 'queryOrders':
      return fromWireQueryOrders(message, message.queryOrders);
    case 'queryPositions':
      return { kind: 'QueryPositions', ...accountRefOf(message, message.queryPositions) };
    case undefined:
      break;
  }
  return unknownKind('VenueRequest');
}

function fromWireSubmission(message: RequestMessage, submit: sluice.v1.SubmitChild): VenueRequest {
  return {
    kind: 'Submit',
    ...childRefOf(message),
    instrument: submit.instrument as InstrumentIndex,
    side: SIDE.name(submit.side, 'SubmitChild.side'),
    quantity: integer(submit.quantity, 'SubmitChild.quantity'),
    type: CHILD_TYPE.name(submit.type, 'SubmitChild.type'),
    timeInForce: TIME_IN_FORCE.name(submit.timeInForce, 'SubmitChild.time_in_force'),
    limitPrice: integerOrNull(submit.limitPrice, 'SubmitChild.limit_price'),
    postOnly: submit.postOnly,
    reduceOnly: submit.reduceOnly,
    selfTradePrevention: SELF_TRADE_PREVENTION.nameOr(
      'NONE',
      submit.selfTradePrevention,
      'SubmitChild.self_trade_prevention',
    ),
    ...classOf<PlacementClass>(submit, 'SubmitChild'),
  };
}

function classOf<Class extends RequestClass>({ requestClass }: { readonly requestClass: number }, message: string) {
  if (requestClass === 0) return UNCLASSED;
  return { requestClass: REQUEST_CLASS.name(requestClass, `${message}.request_class`) as Class };
}

function childRefOf(message: RequestMessage): ChildRef {
  return {
    account: message.account as AccountId,
    venue: VENUE.name(message.venue, 'VenueRequest.venue'),
    orderId: integer(message.orderId, 'VenueRequest.order_id'),
    child: message.child as ChildNumber,
  };
}

function targetOf(
  message: RequestMessage,
  placed: sluice.v1.CancelChild | sluice.v1.QueryStatus,
  name: string,
): ChildTarget {
  return {
    ...childRefOf(message),
    instrument: placed.instrument as InstrumentIndex,
    submittedAtMs: integer(placed.submittedAtMs, `${name}.submitted_at_ms`),
    venueOrderId: placed.venueOrderId === '' ? null : (placed.venueOrderId as VenueOrderId),
  };
}
