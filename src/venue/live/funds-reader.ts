import { FUNDS_READ_GAP_MS, LIVE_AGAIN_MS_MAX, LIVE_AGAIN_MS_MIN } from '../../domain/limits/live.js';
import { isRejected } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { VenueReport } from '../../domain/venue-report.js';
import type { AccountFunds } from './account-funds.js';
import type { LiveAccount, LiveInstruments } from './live-exchange.js';
import type { Balances, Positions } from './normal/records.js';
import { SpacedTask } from './spaced-task.js';
import { doubledMs, pause } from './waits.js';

export interface FundsReaderParts {
  readonly funds: AccountFunds;
  /** Place of the wallet in the funds of the account. */
  readonly place: number;
  readonly instruments: LiveInstruments;
  readonly nowMs: () => EpochMs;
  readonly isAccountUp: () => boolean;
  /** A change of balances or positions. */
  readonly onChange: (report: VenueReport) => void;
  /** The first reading of a subscription is taken. */
  readonly onKnown: () => void;
}

/**
 * One subscription of the private stream. A reading of an earlier one is late: it may lack changes that no stream
 * brought.
 */
interface Subscription {
  readonly account: Pick<LiveAccount, 'balances' | 'positions'>;
  /** Reads again what changes of the stream have left out. */
  readonly again: SpacedTask;
  isReading: boolean;
}

/**
 * Balances and positions of one wallet. They are read when the stream is open, and again after a change that leaves
 * figures out. A change that arrives during a reading may be newer than its answer, so it stays.
 */
export class FundsReader {
  readonly #parts: FundsReaderParts;
  #subscription: Subscription | null = null;
  #isKnown = false;

  constructor(parts: FundsReaderParts) {
    this.#parts = parts;
  }

  /** Balances and positions were read since the stream was opened. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** The stream delivers from now on. */
  begin(account: Subscription['account']): void {
    this.end();
    const again = new SpacedTask(() => this.#read(subscription), FUNDS_READ_GAP_MS, this.#parts.nowMs);
    const subscription: Subscription = { account, again, isReading: false };
    this.#subscription = subscription;
    void this.#read(subscription);
  }

  /** The stream has ended. */
  end(): void {
    this.#subscription?.again.close();
    this.#subscription = null;
    this.#isKnown = false;
  }

  onBalances(balances: Balances, nowMs: EpochMs): void {
    this.#takeBalances(balances, Infinity, nowMs);
    this.#complete();
  }

  onPositions(positions: Positions, nowMs: EpochMs): void {
    this.#takePositions(positions, Infinity, nowMs);
    this.#complete();
  }

  /** Repeats the reading until it is answered or the stream has ended. */
  async #read(subscription: Subscription): Promise<void> {
    if (subscription.isReading) return;
    subscription.isReading = true;
    const { account } = subscription;
    const { funds, nowMs, onKnown } = this.#parts;
    const isLate = (): boolean => subscription !== this.#subscription;
    for (let failures = 0; ; failures += 1) {
      const { changes } = funds;
      const [balances, positions] = await Promise.all([account.balances(), account.positions()]);
      if (isLate()) return;
      if (!isRejected(balances) && !isRejected(positions)) {
        this.#takeBalances(balances, changes, nowMs());
        this.#takePositions(positions, changes, nowMs());
        break;
      }
      await pause(doubledMs(LIVE_AGAIN_MS_MIN, failures, LIVE_AGAIN_MS_MAX));
      if (isLate()) return;
    }
    subscription.isReading = false;
    this.#complete();
    if (this.#isKnown) return;
    this.#isKnown = true;
    onKnown();
  }

  #takeBalances(balances: Balances, readAfter: number, nowMs: EpochMs): void {
    const { funds, place, isAccountUp, onChange } = this.#parts;
    const changed = funds.take(place, balances, readAfter);
    if (changed.length > 0 && isAccountUp()) onChange(funds.fundsChange(changed, nowMs));
  }

  #takePositions(positions: Positions, readAfter: number, nowMs: EpochMs): void {
    const { funds, place, instruments, isAccountUp, onChange } = this.#parts;
    const changed = funds.takePositions(place, positions, instruments, readAfter);
    if (changed.length > 0 && isAccountUp()) onChange(funds.positionsChange(changed, nowMs));
  }

  /** Asks for another reading when a change has left figures out. The end of a reading asks for it too. */
  #complete(): void {
    if (!this.#parts.funds.isWhole(this.#parts.place)) this.#subscription?.again.soon();
  }
}
