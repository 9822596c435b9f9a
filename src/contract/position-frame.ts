import { Type } from '@sinclair/typebox';
import { described } from './field.js';
import { figure, MarginMode, PositionSide } from './position-figure.js';
import { feedFrame, snapshotMark } from './stream-frame.js';

const figures = {
  symbol: figure.symbol,
  side: PositionSide,
  margin_mode: MarginMode,
  contracts: described(figure.contracts, `${figure.contracts.description} 0: it has been closed.`),
  entry_price: described(figure.entryPrice, `${figure.entryPrice.description}; 0 when closed.`),
  mark_price: figure.markPrice,
  liquidation_price: figure.liquidationPrice,
  leverage: figure.leverage,
  notional: figure.notional,
  unrealized_pnl: figure.unrealisedPnl,
};

export const PositionFrame = feedFrame(
  'position',
  'PositionFrame',
  'One position: all that are open on subscribing, then each that changes by more than its mark price.',
  {
    snapshot: snapshotMark,
    ...figures,
    collateral: figure.collateral,
    timestamp: figure.timestamp,
  },
);

const RiskPart = Type.Object(
  {
    ...figures,
    initial_margin: figure.initialMargin,
    maintenance_margin: figure.maintenanceMargin,
    margin_ratio: figure.marginRatio,
    timestamp: figure.timestamp,
  },
  { title: 'PositionRiskPart' },
);

export const PositionRiskFrame = feedFrame(
  'position_risk',
  'PositionRiskFrame',
  'How near a position is to liquidation: at every frame of topic position, and as a snapshot while its mark price moves, at most once a second.',
  {
    snapshot: snapshotMark,
    subaccount: Type.Optional(Type.String({ description: 'Absent: the account itself.' })),
    position_risk: RiskPart,
  },
);
