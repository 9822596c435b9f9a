import type { Instrument } from '../../src/domain/instrument.js';
import type { Side } from '../../src/domain/order.js';
import type { Amount } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { AccountRequest } from '../../src/domain/venue-message.js';
import type { FundsReport, PositionsReport } from '../../src/domain/venue-report.js';
import { LONG } from '../domain/sample-position.js';

const RICH = (10n ** 30n) as Amount;
const LOTS_MANY = 1e12;

/** Answers with balances that cover every order of the side, and a position that each of them can reduce. */
export function richAnswer(
  { kind, correlationId, account, venue }: AccountRequest,
  { index, base, quote }: Instrument,
  side: Side,
  atMs: EpochMs,
): FundsReport | PositionsReport {
  const head = { correlationId, account, venue, atMs, isSnapshot: true, version: 1 };
  if (kind === 'QueryPositions') {
    const net = side === 'BUY' ? -LOTS_MANY : LOTS_MANY;
    return { kind: 'Positions', ...head, positions: [{ ...LONG, instrument: index, net, isShort: net < 0 }] };
  }
  const balances = [base, quote].map((asset) => ({ asset, total: RICH, free: RICH }));
  return { kind: 'Funds', ...head, balances, causedBy: null };
}
