import type { AccountId } from '../../model/ids.js';
import type { InstrumentIndex } from '../../model/instrument.js';
import type { AccountRequest } from '../../model/venue-message.js';
import type { sluice } from '../generated/messages.js';
import { unknownKind } from './codec-error.js';
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

/** Reads a request that is about no child. */
export function fromWireAccountRequest(message: RequestMessage): AccountRequest {
  switch (message.kind) {
    case 'queryFunds':
      return { kind: 'QueryFunds', ...headOf(message, message.queryFunds) };
    case 'queryPositions':
      return { kind: 'QueryPositions', ...headOf(message, message.queryPositions) };
    case 'setLeverage': {
      const { instrument, leverage } = message.setLeverage;
      const head = headOf(message, message.setLeverage);
      return { kind: 'SetLeverage', ...head, instrument: instrument as InstrumentIndex, leverage };
    }
    case 'setMarginMode': {
      const { instrument } = message.setMarginMode;
      const marginMode = MARGIN_MODE.name(message.setMarginMode.marginMode, 'SetMarginMode.margin_mode');
      const head = headOf(message, message.setMarginMode);
      return { kind: 'SetMarginMode', ...head, instrument: instrument as InstrumentIndex, marginMode };
    }
    case 'setPositionMode': {
      const positionMode = POSITION_MODE.name(message.setPositionMode.positionMode, 'SetPositionMode.position_mode');
      return { kind: 'SetPositionMode', ...headOf(message, message.setPositionMode), positionMode };
    }
    case 'transfer':
      return fromWireTransfer(message, message.transfer);
    default:
      return unknownKind('VenueRequest');
  }
}

function fromWireTransfer(message: RequestMessage, transfer: sluice.v1.Transfer): AccountRequest {
  return {
    kind: 'Transfer',
    ...headOf(message, transfer),
    to: transfer.to as AccountId,
    asset: transfer.asset,
    amount: bigInteger(transfer.amount, 'Transfer.amount'),
    transferId: transfer.transferId,
  };
}

/** Who is asked about, where, and whose question it is. */
function headOf(message: RequestMessage, { correlationId }: { readonly correlationId: number }) {
  return {
    correlationId: integer<AccountRequest['correlationId']>(correlationId, 'VenueRequest.correlation_id'),
    account: message.account as AccountId,
    venue: VENUE.name(message.venue, 'VenueRequest.venue'),
  };
}
