import { Type } from '@sinclair/typebox';
import { quote } from '../field/json-text.js';
import { described } from '../field/schema.js';
import { feedMembers } from '../order/order-frame.js';
import { feedFrame, snapshotMark } from '../stream/frame-schema.js';
import { formatAmount, type Grid } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import type { EventEnvelope, PositionChanged } from '../../domain/event.js';
import type { Venue } from '../../domain/exchange.js';
import { marginRatio, positionFigures, type PositionState } from '../../domain/position.js';
import type { EpochMs } from '../../domain/time.js';
import type { AssetBalance } from '../../domain/venue-report.js';
import { figure, MarginMode, PositionSide } from './account-answer.js';

type PositionTopic = 'position' | 'position_risk';

/** A position at one instant. */
interface PositionFacts {
  readonly position: PositionState;
  /** Canonical symbol of its instrument. */
  readonly symbol: string;
  readonly grid: Grid;
  readonly atMs: EpochMs;
}

export interface PositionSnapshot extends PositionFacts {
  /** Number of the last frame of the feed before the snapshot; 0: there was none. */
  readonly seq: number;
  readonly venue: Venue;
}

/** Frame of topic `position` or `position_risk`: one position after a change other than its mark price. */
export function positionFrame(topic: PositionTopic, seq: number, envelope: EventEnvelope): string {
  const { event, eventAtMs: atMs } = envelope;
  assert(event.kind === 'PositionChanged', `only PositionChanged makes a ${topic} frame`);
  const { position, symbol }: PositionChanged = event;
  return `{${feedMembers(topic, seq, event.venue)}${membersOf(topic, { position, symbol, grid: event, atMs })}}`;
}

/** Snapshot frame of one position. */
export function positionSnapshotFrame(topic: PositionTopic, snapshot: PositionSnapshot): string {
  return `{${feedMembers(topic, snapshot.seq, snapshot.venue)},"snapshot":true${membersOf(topic, snapshot)}}`;
}

function membersOf(topic: PositionTopic, facts: PositionFacts): string {
  return topic === 'position' ? positionMembers(facts) : riskMembers(facts);
}

function positionMembers(facts: PositionFacts): string {
  return `,${figureMembers(facts)},"collateral":${formatAmount(facts.position.collateral)}${momentMember(facts)}`;
}

function riskMembers(facts: PositionFacts): string {
  const { position } = facts;
  return (
    `,"position_risk":{${figureMembers(facts)},"initial_margin":${formatAmount(position.initialMargin)}` +
    `,"maintenance_margin":${formatAmount(position.maintenanceMargin)},"margin_ratio":${marginRatio(position)}` +
    `${momentMember(facts)}}`
  );
}

function figureMembers({ position, symbol, grid }: PositionFacts): string {
  const figures = positionFigures(position, grid);
  return (
    `"symbol":${quote(symbol)},"side":"${figures.side}","margin_mode":"${position.marginMode}"` +
    `,"contracts":${figures.contracts},"entry_price":${figures.entryPrice},"mark_price":${figures.markPrice}` +
    `,"liquidation_price":${figures.liquidationPrice},"leverage":${position.leverage}` +
    `,"notional":${figures.notional},"unrealized_pnl":${formatAmount(position.unrealisedPnl)}`
  );
}

function momentMember({ atMs }: PositionFacts): string {
  return `,"timestamp":${atMs}`;
}

const figures = {
  symbol: figure.symbol,
  side: PositionSide,
  margin_mode: MarginMode,
  contracts: described(figure.contracts, `${figure.contracts.description} 0: the position is closed.`),
  entry_price: described(figure.entryPrice, `${figure.entryPrice.description}; 0 for a closed position.`),
  mark_price: figure.markPrice,
  liquidation_price: figure.liquidationPrice,
  leverage: figure.leverage,
  notional: figure.notional,
  unrealized_pnl: figure.unrealisedPnl,
};

export const PositionFrame = feedFrame(
  'position',
  'PositionFrame',
  'One position: after a subscription all open ones, then each one that changes in more than its mark price.',
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
  'Liquidation risk of a position: with every frame of topic position, and as a snapshot at most once a second while only its mark price changes.',
  {
    snapshot: snapshotMark,
    subaccount: Type.Optional(Type.String({ description: 'Absent: the account itself.' })),
    position_risk: RiskPart,
  },
);

/** Frame of topic `balance`: one asset after a change. */
export function balanceFrame(seq: number, envelope: EventEnvelope): string {
  const { event } = envelope;
  assert(event.kind === 'BalanceChanged', 'only BalanceChanged makes a balance frame');
  return `{${feedMembers('balance', seq, event.venue)}${balanceMembers(event, envelope.eventAtMs)}}`;
}

export interface BalanceSnapshot {
  /** Number of the last frame of the feed before the snapshot; 0: there was none. */
  readonly seq: number;
  readonly venue: Venue;
  readonly balance: AssetBalance;
  readonly atMs: EpochMs;
}

/** Snapshot frame of one asset at the time of a subscription. */
export function balanceSnapshotFrame({ seq, venue, balance, atMs }: BalanceSnapshot): string {
  return `{${feedMembers('balance', seq, venue)},"snapshot":true${balanceMembers(balance, atMs)}}`;
}

function balanceMembers({ asset, total, free }: AssetBalance, atMs: EpochMs): string {
  const amounts = `"balance":${formatAmount(total)},"free":${formatAmount(free)}`;
  return `,"symbol":${quote(asset)},${amounts},"timestamp":${atMs}`;
}
