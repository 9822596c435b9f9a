import type { EventEnvelope } from '../domain/event.js';
import type { Venue } from '../domain/exchange.js';
import type { AccountId } from '../domain/ids.js';
import { RISK_LIMIT_WAITERS_MAX } from '../domain/limits/trading.js';
import type { OrRejection, Rejection } from '../domain/rejection.js';
import type { Followers } from '../journal/port.js';
import type { AccountExposure } from './account-exposure.js';
import { ExposureReading, type ExposureSources } from './exposure-reading.js';
import { PositionsWorth, type OpenPositions } from './positions-worth.js';

export interface AccountExposuresParts extends ExposureSources {
  readonly positions: (account: AccountId, venue: Venue, answer: (result: OrRejection<OpenPositions>) => void) => void;
  readonly nowRealMs: () => number;
  /** Accounts whose events `onEvent` gets. */
  readonly followed: Followers;
}

/** An account with a known exposure. */
export interface CountedAccount {
  readonly exposure: AccountExposure;
  /** null: no risk limit needs their worth. */
  readonly positions: PositionsWorth | null;
}

type Answer = (rejection: Rejection | null) => void;

const TOO_MANY: Rejection = { code: 'SYSTEM_BUSY', message: 'too many orders wait for the count of open orders' };

/**
 * The exposures of the accounts whose risk limits count open orders. An exposure starts with the first order that needs
 * it, from the stored orders and the pending commands. From then on it follows every event of the account. After a
 * possible gap in the events, all exposures are read again.
 */
export class AccountExposures {
  readonly #parts: AccountExposuresParts;
  readonly #exposures = new Map<AccountId, CountedAccount>();
  readonly #readings = new Map<AccountId, { readonly reading: ExposureReading; readonly waiters: Answer[] }>();
  /** Accounts with an exposure or a reading. */
  readonly #followed = new Set<AccountId>();
  #waiterCount = 0;

  constructor(parts: AccountExposuresParts) {
    this.#parts = parts;
  }

  /** null: call `begin` first. */
  of(account: AccountId, isValued: boolean): CountedAccount | null {
    const found = this.#exposures.get(account) ?? null;
    return found !== null && isValued && found.positions === null ? null : found;
  }

  /** Answers once the exposure is known, or with the reason why it cannot be read. */
  begin(account: AccountId, isValued: boolean, answer: Answer): void {
    if (this.#waiterCount >= RISK_LIMIT_WAITERS_MAX) return answer(TOO_MANY);
    this.#waiterCount += 1;
    const underWay = this.#readings.get(account);
    if (underWay !== undefined && (underWay.reading.isValued || !isValued)) {
      underWay.waiters.push(answer);
      return;
    }
    underWay?.reading.stop();
    this.#start(account, isValued, [...(underWay?.waiters ?? []), answer]);
  }

  /** Takes an event of any account. */
  onEvent(envelope: EventEnvelope): void {
    const { account } = envelope;
    this.#readings.get(account)?.reading.onEvent(envelope);
    if (this.#exposures.get(account)?.exposure.onEvent(envelope) === 'incomplete') this.#drop(account);
  }

  /** Drops every exposure, because events may be missing or the limits have changed. The next order reads it again. */
  forget(): void {
    for (const account of this.#exposures.keys()) this.#drop(account);
    const underWay = Array.from(this.#readings);
    for (const [account, { reading, waiters }] of underWay) {
      reading.stop();
      this.#start(account, reading.isValued, waiters);
    }
  }

  #drop(account: AccountId): void {
    this.#exposures.delete(account);
    this.#unfollow(account);
  }

  #follow(account: AccountId): void {
    if (this.#followed.has(account)) return;
    this.#followed.add(account);
    this.#parts.followed.add(account);
  }

  #unfollow(account: AccountId): void {
    if (this.#exposures.has(account) || this.#readings.has(account)) return;
    if (this.#followed.delete(account)) this.#parts.followed.remove(account);
  }

  #start(account: AccountId, isValued: boolean, waiters: Answer[]): void {
    this.#follow(account);
    const onEnd = (rejection: Rejection | null): void => {
      this.#readings.delete(account);
      if (rejection === null) this.#open(account, reading.exposure, isValued);
      else this.#unfollow(account);
      this.#waiterCount -= waiters.length;
      for (const answer of waiters) answer(rejection);
    };
    const reading = new ExposureReading({ ...this.#parts, account, isValued, onEnd });
    this.#readings.set(account, { reading, waiters });
    reading.start();
  }

  #open(account: AccountId, exposure: AccountExposure, isValued: boolean): void {
    const { positions, catalogue, nowRealMs } = this.#parts;
    const worth = new PositionsWorth({
      ask: (venue, answer) => positions(account, venue, answer),
      futuresFilled: () => exposure.futuresFilled,
      catalogue,
      nowRealMs,
    });
    this.#exposures.set(account, { exposure, positions: isValued ? worth : null });
  }
}
