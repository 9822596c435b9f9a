import type { WhenComplete } from '../journal/complete-reads.js';
import type { StateReader, StateSnapshot } from '../journal/port.js';
import type { EngagedKillSwitch, KillSwitchScope } from '../domain/risk-limit.js';
import type { AccountId, ApiKeyId, OrderId } from '../domain/ids.js';
import { CANCEL_INDEX_KEYS, KILL_ORDERS_PER_TURN_MAX } from '../domain/limits/clients.js';
import { RISK_LIMIT_READ_MS, KILL_SWEEP_MS_MAX, KILL_SWEEP_MS_MIN } from '../domain/limits/trading.js';
import type { ParentState } from '../domain/order-state.js';
import { isTerminal } from '../domain/order.js';

/** The engaged kill switches. */
export interface KillSwitchDirectory {
  onChange(listener: () => void): void;
  /** Reads changes. `isUrgent`: also when the last read was less than IDENTITY_READ_MS ago. */
  refresh(isUrgent?: boolean): void;
  /** The kill switch that stops the account; null: none. */
  killSwitchOf(account: AccountId): EngagedKillSwitch | null;
  readonly stoppedAccounts: readonly AccountId[];
  /** The engaged kill switch of the whole service; null: it is not engaged. */
  readonly serviceSwitch: EngagedKillSwitch | null;
}

export interface KillSwitchStore {
  /** Calls back once the switch is on disk. */
  engage(scope: KillSwitchScope, engaged: Omit<EngagedKillSwitch, 'scope'>, onDisk: () => void): void;
}

/** The API key that engages the kill switch of its account, and the peer of its connection. */
export interface KillSwitchCaller {
  readonly account: AccountId;
  readonly apiKey: ApiKeyId;
  /** IPv4 or IPv6 as text. */
  readonly address: string;
}

type OpenOrders = Pick<StateSnapshot, 'order' | 'openOrderIds' | 'accountsWithOpenOrders'>;

export interface KillSwitchEnforcerParts {
  readonly store: KillSwitchStore;
  readonly directory: KillSwitchDirectory;
  /** Cancels every open order of an account; answers with their ids. */
  readonly cancelAll: (account: AccountId, answer: (result: { readonly orderIds: readonly OrderId[] }) => void) => void;
  readonly reader: StateReader<OpenOrders>;
  readonly whenComplete: WhenComplete<OpenOrders>;
  /** Real time, epoch milliseconds. */
  readonly realNowMs: () => number;
  /** Writes the audit log, before the change. Must not throw: a switch is engaged without its line, rather than not. */
  readonly audit: (caller: KillSwitchCaller) => void;
  readonly log: { info(context: object, message: string): void };
}

/**
 * Cancels the open orders of every account whose kill switch is engaged, by an API key or by an operator. It repeats
 * this while the switch is engaged: a create may have been pending, or a shard down. The risk gate refuses new orders.
 */
export class KillSwitchEnforcer {
  readonly #parts: KillSwitchEnforcerParts;
  readonly #timer: NodeJS.Timeout;
  #sweep: NodeJS.Timeout | undefined;
  #waitMs = KILL_SWEEP_MS_MIN;
  #isSearching = false;
  /** A switch changed during the search. */
  #mustSearchAgain = false;
  #isClosed = false;

  /** Starts with the switches that are already engaged, in the next turn of the event loop. */
  constructor(parts: KillSwitchEnforcerParts) {
    this.#parts = parts;
    parts.directory.onChange(() => this.#sweepAfter(0));
    this.#timer = setInterval(() => parts.directory.refresh(), RISK_LIMIT_READ_MS);
    this.#sweepAfter(0);
  }

  /**
   * Engages the kill switch of the account by one of its API keys. Answers once it is on disk, with the switch that
   * stops the account.
   */
  engage(caller: KillSwitchCaller, answer: (killSwitch: EngagedKillSwitch | null) => void): void {
    const { store, directory, realNowMs, audit } = this.#parts;
    const { account, apiKey } = caller;
    // A repetition changes nothing. No client may fill the audit log with it.
    directory.refresh(true);
    if (!directory.stoppedAccounts.includes(account)) audit(caller);
    store.engage({ kind: 'account', account }, { engagedAtMs: realNowMs(), by: 'API_KEY', who: apiKey }, () => {
      directory.refresh(true);
      answer(directory.killSwitchOf(account));
    });
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#sweep);
  }

  #sweepAfter(waitMs: number): void {
    clearTimeout(this.#sweep);
    if (this.#isClosed) return;
    if (waitMs === 0) this.#waitMs = KILL_SWEEP_MS_MIN;
    this.#sweep = setTimeout(() => this.#cancelOpen(), waitMs);
  }

  /** Checks less and less often while there is nothing to cancel: each check reads every open order. */
  #cancelOpen(): void {
    const { directory, reader, whenComplete } = this.#parts;
    const isServiceStopped = directory.serviceSwitch !== null;
    if (!isServiceStopped && directory.stoppedAccounts.length === 0) return;
    this.#mustSearchAgain = this.#isSearching;
    if (this.#isSearching) return;
    this.#isSearching = true;
    whenComplete(
      (snapshot) => {
        if (this.#isClosed) return;
        const state = snapshot ?? reader.recent();
        const accounts = isServiceStopped ? state.accountsWithOpenOrders() : directory.stoppedAccounts;
        this.#findUncancelled(accounts, (uncancelled) => this.#cancelAll(uncancelled));
      },
      { account: null },
    );
  }

  #cancelAll(uncancelled: readonly AccountId[]): void {
    const { cancelAll, log } = this.#parts;
    this.#isSearching = false;
    if (this.#isClosed) return;
    if (uncancelled.length === 0 && this.#mustSearchAgain) return this.#sweepAfter(0);
    if (uncancelled.length === 0) {
      this.#waitMs = Math.min(2 * this.#waitMs, KILL_SWEEP_MS_MAX);
      return this.#sweepAfter(this.#waitMs);
    }
    this.#waitMs = KILL_SWEEP_MS_MIN;
    let missingCount = uncancelled.length;
    for (const account of uncancelled) {
      cancelAll(account, ({ orderIds }) => {
        log.info({ account, orders: orderIds.length }, 'the kill switch is engaged; cancelling every open order');
        missingCount -= 1;
        if (missingCount === 0) this.#sweepAfter(this.#waitMs);
      });
    }
  }

  /** Finds the accounts that have an open order without a cancel. */
  #findUncancelled(accounts: readonly AccountId[], done: (uncancelled: readonly AccountId[]) => void): void {
    const uncancelled: AccountId[] = [];
    const search = this.#search(accounts, uncancelled);
    const step = (): void => {
      if (search.next().done === true) done(uncancelled);
      else if (this.#isClosed) search.return();
      else setImmediate(step);
    };
    step();
  }

  /** Yields after every KILL_ORDERS_PER_TURN_MAX orders and every CANCEL_INDEX_KEYS ids. */
  *#search(accounts: readonly AccountId[], uncancelled: AccountId[]): Generator<void, void> {
    const { reader } = this.#parts;
    let count = 0;
    for (const account of accounts) {
      const orderIds: OrderId[] = [];
      for (const part of reader.recent().openOrderIds(account, CANCEL_INDEX_KEYS)) {
        for (const orderId of part) orderIds.push(orderId);
        if (part.length === CANCEL_INDEX_KEYS) yield;
      }
      for (const orderId of orderIds) {
        count += 1;
        if (count % KILL_ORDERS_PER_TURN_MAX === 0) yield;
        if (!isToCancel(reader.recent().order(orderId))) continue;
        uncancelled.push(account);
        break;
      }
    }
  }
}

/** True for an open order without a cancel. null: the order has ended and is no longer stored. */
function isToCancel(state: ParentState | null): boolean {
  return state !== null && !isTerminal(state.status) && state.status !== 'PENDING_CANCEL';
}
