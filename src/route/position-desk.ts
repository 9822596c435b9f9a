import type { Venue } from '../model/exchange.js';
import type { AccountId } from '../model/ids.js';
import type { OrRejection } from '../model/rejection.js';
import type { PositionsReport } from '../model/venue-message.js';
import type { VenueLine } from './venue-line.js';

/** Asks venues for an account's open positions on behalf of the main thread. */
export class PositionDesk {
  readonly #line: VenueLine;

  constructor(line: VenueLine) {
    this.#line = line;
  }

  positions(account: AccountId, venue: Venue, answer: (result: OrRejection<PositionsReport>) => void): void {
    this.#line.ask<'QueryPositions'>({ kind: 'QueryPositions', account, venue }, answer);
  }
}
