import type { Venue } from '../domain/exchange.js';
import type { AccountId } from '../domain/ids.js';
import { isRejected, type OrRejection } from '../domain/rejection.js';
import type { AssetBalance, PositionsReport } from '../domain/venue-report.js';
import type { VenueRouter } from '../venue/venue-router.js';

/** Requests an account's balances and positions from an exchange. An exchange that does not answer is a rejection. */
export class AccountQuery {
  readonly #venues: Pick<VenueRouter, 'ask'>;

  constructor(venues: Pick<VenueRouter, 'ask'>) {
    this.#venues = venues;
  }

  balances(account: AccountId, venue: Venue, answer: (result: OrRejection<readonly AssetBalance[]>) => void): void {
    this.#venues.ask<'QueryFunds'>({ kind: 'QueryFunds', account, venue }, (result) =>
      answer(isRejected(result) ? result : result.balances),
    );
  }

  positions(account: AccountId, venue: Venue, answer: (result: OrRejection<PositionsReport>) => void): void {
    this.#venues.ask<'QueryPositions'>({ kind: 'QueryPositions', account, venue }, answer);
  }
}
