import type { VenueOrderId } from '../../model/ids.js';
import type { QueriedState } from '../../model/venue-message.js';
import type { sluice } from '../generated/messages.js';
import { orNull, required } from './presence.js';
import { fromWireRejection, toWireReason } from './rejection.js';
import { QUERIED_STATE } from './vocabulary.js';

export function toWireAnswer(answer: QueriedState): sluice.v1.QueryAnsweredReport.$Properties {
  const state = QUERIED_STATE.number(answer.state);
  switch (answer.state) {
    case 'UNKNOWN':
      return { state };
    case 'OPEN':
    case 'FILLED':
      return { state, venueOrderId: answer.venueOrderId };
    case 'CANCELLED':
      return { state, venueOrderId: answer.venueOrderId, rejection: orNull(answer.cause, toWireReason) };
    case 'REJECTED':
      return { state, rejection: toWireReason(answer.rejection) };
  }
}

export function fromWireAnswer(message: sluice.v1.QueryAnsweredReport): QueriedState {
  const state = QUERIED_STATE.name(message.state, 'QueryAnsweredReport.state');
  const venueOrderId = message.venueOrderId as VenueOrderId;
  switch (state) {
    case 'UNKNOWN':
      return { state };
    case 'OPEN':
    case 'FILLED':
      return { state, venueOrderId };
    case 'CANCELLED':
      return { state, venueOrderId, cause: orNull(message.rejection, fromWireRejection) };
    case 'REJECTED':
      return { state, rejection: fromWireRejection(required(message.rejection, 'QueryAnsweredReport.rejection')) };
  }
}
