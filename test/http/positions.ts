import type { Venue } from '../../src/model/exchange.js';
import type { CorrelationId } from '../../src/model/ids.js';
import type { InstrumentIndex } from '../../src/model/instrument.js';
import type { PositionsReport } from '../../src/model/venue-message.js';
import { LONG } from '../model/sample-position.js';
import { DEMO, NOW_MS } from './orders.js';

const FUTURE = 1 as InstrumentIndex;

/** A venue's answer: a position in BTC/USDT:USDT of the catalogue, and one that has been closed. */
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
    positionMode: 'ONE_WAY',
    positions: [position, { ...position, net: 0, cost: 0n }],
  };
}
