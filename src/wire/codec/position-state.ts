import type { InstrumentIndex } from '../../model/instrument.js';
import type { PositionState } from '../../model/position.js';
import type { sluice } from '../generated/messages.js';
import { bigInteger, integer, integerOrNull, integerText } from './exact.js';
import { MARGIN_MODE, POSITION_SIDE } from './vocabulary.js';

export function toWirePosition(position: PositionState): sluice.v1.PositionState.$Properties {
  return {
    instrument: position.instrument,
    positionSide: POSITION_SIDE.number(position.positionSide),
    net: position.net,
    isShort: position.isShort,
    cost: integerText(position.cost),
    marginMode: MARGIN_MODE.number(position.marginMode),
    leverage: position.leverage,
    markPrice: position.markPrice,
    unrealisedPnl: integerText(position.unrealisedPnl),
    initialMargin: integerText(position.initialMargin),
    maintenanceMargin: integerText(position.maintenanceMargin),
    collateral: integerText(position.collateral),
    liquidationPrice: position.liquidationPrice,
  };
}

export function fromWirePosition(message: sluice.v1.PositionState): PositionState {
  return {
    instrument: message.instrument as InstrumentIndex,
    positionSide: POSITION_SIDE.name(message.positionSide, 'PositionState.position_side'),
    net: integer(message.net, 'PositionState.net'),
    isShort: message.isShort,
    cost: bigInteger(message.cost, 'PositionState.cost'),
    marginMode: MARGIN_MODE.name(message.marginMode, 'PositionState.margin_mode'),
    leverage: message.leverage,
    markPrice: integer(message.markPrice, 'PositionState.mark_price'),
    unrealisedPnl: bigInteger(message.unrealisedPnl, 'PositionState.unrealised_pnl'),
    initialMargin: bigInteger(message.initialMargin, 'PositionState.initial_margin'),
    maintenanceMargin: bigInteger(message.maintenanceMargin, 'PositionState.maintenance_margin'),
    collateral: bigInteger(message.collateral, 'PositionState.collateral'),
    liquidationPrice: integerOrNull(message.liquidationPrice, 'PositionState.liquidation_price'),
  };
}
