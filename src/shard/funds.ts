import type { Amount } from '../model/amount.js';
import { ZERO_AMOUNT } from '../model/amount.js';
import type { Venue } from '../model/exchange.js';
import type { AccountId } from '../model/ids.js';
import { ANSWER_SILENCE_MS_MAX } from '../model/limits.js';
import type { EpochMs } from '../model/time.js';
import type { FundsReport } from '../model/venue-message.js';
import type { Actor } from './actor.js';

interface AccountFunds {
  /** Growing number of the venue's changes; -1 before the first answer. */
  version: number;
  askedAtMs: number;
  readonly free: Map<string, Amount>;
  /** Orders that wait for the first answer. */
  readonly waiting: Set<Actor>;
}

/**
 * Free balances as the venue last told them. Good enough to refuse what cannot be covered before it is worked; the
 * venue itself has the last word on every child.
 */
export class FundsView {
  readonly #accounts = new Map<string, AccountFunds>();

  /** Free balance of an asset; null while the venue has not told this account's balances yet. */
  free(account: AccountId, venue: Venue, asset: string): Amount | null {
    const funds = this.#accounts.get(keyOf(account, venue));
    if (funds === undefined || funds.version < 0) return null;
    return funds.free.get(asset) ?? ZERO_AMOUNT;
  }

  /** Lets the actor wait for its account's balances; true when the venue must be asked now, for the first time or again. */
  wait(actor: Actor, venue: Venue, nowMs: EpochMs): boolean {
    const key = keyOf(actor.state.order.account, venue);
    const funds = this.#accounts.get(key);
    if (funds === undefined) {
      this.#accounts.set(key, { version: -1, askedAtMs: nowMs, free: new Map(), waiting: new Set([actor]) });
      return true;
    }
    funds.waiting.add(actor);
    if (nowMs - funds.askedAtMs < ANSWER_SILENCE_MS_MAX) return false;
    funds.askedAtMs = nowMs;
    return true;
  }

  /** Takes a report in; returns the actors that waited for it. */
  apply(report: FundsReport): readonly Actor[] {
    const funds = this.#accounts.get(keyOf(report.account, report.venue));
    if (funds === undefined || report.version < funds.version) return [];
    // A change before the first full answer says nothing of the other assets.
    if (funds.version < 0 && !report.isSnapshot) return [];
    funds.version = report.version;
    if (report.isSnapshot) funds.free.clear();
    for (const { asset, free } of report.balances) funds.free.set(asset, free);
    const waiting = [...funds.waiting];
    funds.waiting.clear();
    return waiting;
  }

  /** A venue was lost, or all of them: what it told is forgotten, and who asked must ask again. */
  forget(venue: Venue | null): readonly Actor[] {
    const waiting: Actor[] = [];
    for (const [key, funds] of this.#accounts) {
      if (venue !== null && !key.startsWith(`${venue}/`)) continue;
      waiting.push(...funds.waiting);
      this.#accounts.delete(key);
    }
    return waiting;
  }
}

function keyOf(account: AccountId, venue: Venue): string {
  return `${venue}/${account}`;
}
