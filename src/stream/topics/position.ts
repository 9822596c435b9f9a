import { formatAmount } from '../../model/amount.js';
import { assert } from '../../model/assert.js';
import type { EventEnvelope, PositionChanged } from '../../model/event.js';
import type { Venue } from '../../model/exchange.js';
import { marginRatio, positionFigures, type PositionState } from '../../model/position.js';
import type { Grid } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import { feedMembers } from './feed-members.js';
import { quoted } from './json-text.js';

type PositionTopic = 'position' | 'position_risk';

/** A position as it stands at an instant. */
interface Standing {
  readonly position: PositionState;
  /** Of its instrument, canonical. */
  readonly symbol: string;
  readonly grid: Grid;
  readonly atMs: EpochMs;
}

export interface PositionSnapshot extends Standing {
  /** The last frame of the feed before the snapshot; 0 when there was none. */
  readonly seq: number;
  readonly venue: Venue;
}

/** Frame of topic `position` or `position_risk`: one position after something other than its mark price changed it. */
export function positionFrame(topic: PositionTopic, seq: number, envelope: EventEnvelope): string {
  const { event, eventAtMs: atMs } = envelope;
  assert(event.kind === 'PositionChanged', `only a changed position makes a ${topic} frame`);
  const { position, symbol }: PositionChanged = event;
  return `{${feedMembers(topic, seq, event.venue)}${membersOf(topic, { position, symbol, grid: event, atMs })}}`;
}

/** One position as it stands. */
export function positionSnapshotFrame(topic: PositionTopic, snapshot: PositionSnapshot): string {
  return `{${feedMembers(topic, snapshot.seq, snapshot.venue)},"snapshot":true${membersOf(topic, snapshot)}}`;
}

function membersOf(topic: PositionTopic, standing: Standing): string {
  return topic === 'position' ? positionMembers(standing) : riskMembers(standing);
}

function positionMembers(standing: Standing): string {
  return `,${figureMembers(standing)},"collateral":${formatAmount(standing.position.collateral)}${momentMember(standing)}`;
}

function riskMembers(standing: Standing): string {
  const { position } = standing;
  return (
    `,"position_risk":{${figureMembers(standing)},"initial_margin":${formatAmount(position.initialMargin)}` +
    `,"maintenance_margin":${formatAmount(position.maintenanceMargin)},"margin_ratio":${marginRatio(position)}` +
    `${momentMember(standing)}}`
  );
}

function figureMembers({ position, symbol, grid }: Standing): string {
  const figures = positionFigures(position, grid);
  return (
    `"symbol":${quoted(symbol)},"side":"${figures.side}","margin_mode":"${position.marginMode}"` +
    `,"contracts":${figures.contracts},"entry_price":${figures.entryPrice},"mark_price":${figures.markPrice}` +
    `,"liquidation_price":${figures.liquidationPrice},"leverage":${position.leverage}` +
    `,"notional":${figures.notional},"unrealized_pnl":${formatAmount(position.unrealisedPnl)}`
  );
}

function momentMember({ atMs }: Standing): string {
  return `,"timestamp":${atMs}`;
}
