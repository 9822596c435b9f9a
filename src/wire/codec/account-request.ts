import type { AccountId } from '../../model/ids.js';
import type { InstrumentIndex } from '../../model/instrument.js';
import type { AccountRequest } from '../../model/venue-message.js';
import type { sluice } from '../generated/messages.js';
import { bigInteger, integer, integerText } from './exact.js';
import { MARGIN_MODE, POSITION_MODE, VENUE } from './vocabulary.js';

type RequestMessage = ReturnType<typeof sluice.v1.VenueRequest.decode>;
/** What of a message an account request adds to account and venue. */
export function toWireAccountRequest(request: AccountRequest): sluice.v1.VenueRequest.$Properties {
  const { correlationId } = request;
  switch (request.kind) {
    case 'QueryFunds':
      return { queryFunds: { correlationId } };
    case 'QueryPositions':
      return { queryPositions: { correlationId } };
    case 'SetLeverage':
      return { setLeverage: { correlationId, instrument: request.instrument, leverage: request.leverage } };
    case 'SetMarginMode': {
      const marginMode = MARGIN_MODE.number(request.marginMode);
      return { setMarginMode: { correlationId, instrument: request.instrument, marginMode } };
    }
    case 'SetPositionMode':
      return { setPositionMode: { correlationId, positionMode: POSITION_MODE.number(request.positionMode) } };
    case 'Transfer': {
      const { to, asset, transferId } = request;
      return { transfer: { correlationId, to, asset, amount: integerText(request.amount), transferId } };
    }
  }
}

export function fromWireSetLeverage(message: RequestMessage, part: sluice.v1.SetLeverage): AccountRequest {
  const instrument = part.instrument as InstrumentIndex;
  return { kind: 'SetLeverage', ...accountRefOf(message, part), instrument, leverage: part.leverage };
}

export function fromWireSetMarginMode(message: RequestMessage, part: sluice.v1.SetMarginMode): AccountRequest {
  const instrument = part.instrument as InstrumentIndex;
  const marginMode = MARGIN_MODE.name(part.marginMode, 'SetMarginMode.margin_mode');
  return { kind: 'SetMarginMode', ...accountRefOf(message, part), instrument, marginMode };
}

export function fromWireSetPositionMode(message: RequestMessage, part: sluice.v1.SetPositionMode): AccountRequest {
  const positionMode = POSITION_MODE.name(part.positionMode, 'SetPositionMode.position_mode');
  return { kind: 'SetPositionMode', ...accountRefOf(message, part), positionMode };
}

export function fromWireTransfer(message: RequestMessage, part: sluice.v1.Transfer): AccountRequest {
  return {
    kind: 'Transfer',
    ...accountRefOf(message, part),
    to: part.to as AccountId,
    asset: part.asset,
    amount: bigInteger(part.amount, 'Transfer.amount'),
    transferId: part.transferId,
  };
}

/** Who is asked about, where, and whose question it is. */
export function accountRefOf(message: RequestMessage, { correlationId }: { readonly correlationId: number }) {
  return {
    correlationId: integer<AccountRequest['correlationId']>(correlationId, 'VenueRequest.correlation_id'),
    account: message.account as AccountId,
    venue: VENUE.name(message.venue, 'VenueRequest.venue'),
  };
}
