import type { Venue } from '../../src/domain/exchange.js';
import type { CorrelationId } from '../../src/domain/ids.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { PositionsReport } from '../../src/domain/venue-report.js';
import { LONG } from '../domain/sample-position.js';
import { DEMO, NOW_MS } from './orders.js';

const FUTURE = 1 as InstrumentIndex;

/** The answer of an exchange: an open position in BTC/USDT:USDT and a closed one. */
export function positionsAt(venue: Venue, leverage = LONG.leverage): PositionsReport {
  const position = { ...LONG, leverage, instrument: FUTURE };
  return {
    kind: 'Positions',
    correlationId: 0 as CorrelationId,
    account: DEMO,
    venue,
    atMs: NOW_MS,
    isSnapshot: true,
    version: 1,
    positions: [position, { ...position, net: 0, cost: 0n }],
  };
}
