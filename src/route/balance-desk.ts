import type { Venue } from '../model/exchange.js';
import type { AccountId } from '../model/ids.js';
import { isRejected, type OrRejection } from '../model/rejection.js';
import type { AssetBalance } from '../model/venue-message.js';
import type { VenueLine } from './venue-line.js';

type Answer = (result: OrRejection<readonly AssetBalance[]>) => void;

/** Asks venues for an account's balances on behalf of the main thread. */
export class BalanceDesk {
  readonly #line: VenueLine;

  constructor(line: VenueLine) {
    this.#line = line;
  }

  balances(account: AccountId, venue: Venue, answer: Answer): void {
    this.#line.ask<'QueryFunds'>({ kind: 'QueryFunds', account, venue }, (result) =>
      answer(isRejected(result) ? result : result.balances),
    );
  }
}
