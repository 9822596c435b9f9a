import type { EventEnvelope } from '../../src/domain/event.js';
import type { AccountId, CorrelationId } from '../../src/domain/ids.js';
import type { PositionState } from '../../src/domain/position.js';
import type { Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { PositionsReport } from '../../src/domain/venue-report.js';
import { LONG } from '../domain/sample-position.js';
import { BTC_PERPETUAL } from './catalogue.js';
import { ACCOUNT, envelopeOf } from './sample-events.js';

export const POSITION: PositionState = { ...LONG, instrument: BTC_PERPETUAL };
export const CLOSED: PositionState = { ...POSITION, net: 0, cost: 0n, liquidationPrice: null };

export function positionChanged(position: PositionState = POSITION): EventEnvelope {
  const head = { symbol: 'BTC/USDT:USDT', quantityPrecision: 5, pricePrecision: 2, quantityStep: 1, priceStep: 1 };
  return envelopeOf(
    { kind: 'PositionChanged', venue: 'BINANCE', ...head, position, version: 1 },
    { orderId: null, parent: null },
  );
}

/** The same position at another mark price. */
export function markedAt(markPrice: number): PositionState {
  return { ...POSITION, markPrice: markPrice as Ticks };
}

/** The answer of an exchange with all open positions. */
export function openPositions(positions: readonly PositionState[], account: AccountId = ACCOUNT): PositionsReport {
  return {
    kind: 'Positions',
    correlationId: 0 as CorrelationId,
    account,
    venue: 'BINANCE',
    atMs: 4_000 as EpochMs,
    isSnapshot: true,
    version: 1,
    positions,
  };
}
