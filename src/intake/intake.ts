import { KILL_SWITCH_CAUSE } from '../domain/cancel-cause.js';
import type { Venue } from '../domain/exchange.js';
import type { AccountId, OrderId } from '../domain/ids.js';
import type { InstrumentCatalogue } from '../domain/instrument.js';
import type { ReadHost } from '../domain/query.js';
import type { Rejection } from '../domain/rejection.js';
import type { Clock } from '../domain/time.js';
import type { StateReader } from '../journal/port.js';
import {
  KillSwitchEnforcer,
  type KillSwitchCaller,
  type KillSwitchDirectory,
  type KillSwitchStore,
} from '../risk/kill-switch.js';
import type { PendingOrder } from '../risk/exposure-reading.js';
import type { RiskGate } from '../risk/risk-gate.js';
import type { AccountQuery } from './account-query.js';
import { CancelAllAfter, type CancelAllAfterStore } from './cancel-all-after.js';
import { CancelOnDisconnect, type SessionRecordStore } from './cancel-on-disconnect.js';
import { CompleteReads, type CompleteReadsParts } from '../journal/complete-reads.js';
import type { CostReports } from './cost-reports.js';
import { type AfterPending, EarlierCreates } from './earlier-creates.js';
import { FundingLookup, type FundingSource } from './funding-lookup.js';
import type { MarketDataQuery } from './market-query.js';
import { OrderCancellation } from './order-cancellation.js';
import { OrderControl } from './order-control.js';
import { OrderPlacement } from './order-placement.js';
import { OrderPreviewer, type OrderReview } from './order-preview.js';
import { OrderQuery } from './order-query.js';
import { LocalReadHost } from './read-job.js';
import { ReadQueue } from './read-queue.js';
import type { OrderSender } from './trading-gate.js';

/** The components that requests reach, without any transport. */
export interface IntakeParts {
  readonly commands: OrderSender;
  readonly reviews: OrderReview;
  readonly risk: Pick<RiskGate, 'boundsOf' | 'usageOf' | 'counts'>;
  readonly accounts: Pick<AccountQuery, 'balances' | 'positions'>;
  readonly market: Pick<MarketDataQuery, 'twiceMid' | 'latest' | 'market' | 'book' | 'volume'>;
  readonly funding: FundingSource;
  readonly costs: Pick<CostReports, 'ask'>;
  readonly reader: StateReader;
  readonly latestEventOf: CompleteReadsParts['latestEventOf'];
  /** Reads larger answers. Default: this thread, page by page. */
  readonly readHost?: ReadHost;
  readonly cancelAllAfterStore: CancelAllAfterStore;
  readonly sessionRecords: SessionRecordStore;
  /** Returns a session id that cannot be guessed. */
  readonly newSessionId: () => string;
  /** Creates and amendments of the account whose outcome is not known yet. */
  readonly pendingOrders: (account: AccountId) => Iterable<PendingOrder>;
  readonly afterPending: AfterPending;
  readonly readiness: () => { readonly isReady: boolean };
  /** Returns a new order id: larger than every id so far, smaller than every later one. No order gets it. */
  readonly takeOrderId: () => OrderId;
  readonly killSwitches: KillSwitchDirectory;
  readonly killSwitchStore: KillSwitchStore;
  /** Writes a line of the audit log before an API key engages a kill switch. Does not throw. */
  readonly auditKillSwitch: (caller: KillSwitchCaller) => void;
  readonly catalogue: InstrumentCatalogue;
  readonly isVenueUp: (venue: Venue) => boolean;
  /** The refusal of every new order of an account while trading is halted; null: it may trade. */
  readonly haltOf: (account: AccountId) => Rejection | null;
  /** Service time. */
  readonly clock: Clock;
  /** Real time, epoch milliseconds. */
  readonly realNowMs: () => number;
  /** Real time without the steps of the wall clock. */
  readonly steadyRealMs: () => number;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonicMs: () => number;
  readonly log: Record<'info' | 'error', (context: object, message: string) => void>;
}

/**
 * Order entry and queries, independent of any transport. HTTP uses it today; another order entry, such as FIX, would
 * use the same object. Each request carries its authenticated caller. Answers are values with the error codes of the
 * contract.
 */
export class Intake {
  /** The creates that later requests of their accounts wait for. */
  readonly earlier: EarlierCreates;
  readonly #completeReads: CompleteReads;
  readonly placement: OrderPlacement;
  readonly cancellation: OrderCancellation;
  readonly control: OrderControl;
  readonly previewer: OrderPreviewer;
  readonly orders: OrderQuery;
  /** Lists read from the journal. */
  readonly reads: ReadQueue;
  readonly accounts: IntakeParts['accounts'];
  readonly funding: FundingLookup;
  readonly cancelAllAfter: CancelAllAfter;
  readonly cancelOnDisconnect: CancelOnDisconnect;
  readonly killSwitch: KillSwitchEnforcer;
  readonly risk: IntakeParts['risk'];

  /** Starts the stored timers, the time of stored sessions and the checks of engaged kill switches. */
  constructor(parts: IntakeParts) {
    const { reader, monotonicMs } = parts;
    const host = parts.readHost ?? new LocalReadHost(reader, (run) => void setImmediate(run));
    this.earlier = new EarlierCreates(parts);
    this.#completeReads = new CompleteReads({
      reader,
      latestEventOf: parts.latestEventOf,
      monotonicMs,
      onFault: (err) => parts.log.error({ err }, 'a read of the stored orders failed'),
    });
    const { when: whenComplete } = this.#completeReads;
    const entry = { ...parts, whenComplete, earlier: this.earlier };
    this.placement = new OrderPlacement(entry);
    this.cancellation = new OrderCancellation(entry);
    this.control = new OrderControl(entry);
    this.previewer = new OrderPreviewer(entry);
    this.orders = new OrderQuery(entry);
    this.reads = new ReadQueue({ reader, whenComplete, host, monotonicMs });
    this.accounts = parts.accounts;
    this.funding = new FundingLookup(parts);
    this.cancelAllAfter = new CancelAllAfter({
      ...parts,
      cancellation: this.cancellation,
      store: parts.cancelAllAfterStore,
    });
    this.cancelOnDisconnect = new CancelOnDisconnect({
      ...parts,
      cancellation: this.cancellation,
      store: parts.sessionRecords,
      isReady: () => parts.readiness().isReady,
    });
    this.killSwitch = new KillSwitchEnforcer({
      store: parts.killSwitchStore,
      directory: parts.killSwitches,
      cancelAll: (account, answer) => this.cancellation.cancelAll(account, KILL_SWITCH_CAUSE, answer),
      reader,
      whenComplete,
      realNowMs: parts.realNowMs,
      audit: parts.auditKillSwitch,
      log: parts.log,
    });
    this.risk = parts.risk;
  }

  /** Refuses every later create; cancels and queries still work. A session that ends now ends by the next start. */
  stopAccepting(): void {
    this.placement.stopAccepting();
    this.cancelOnDisconnect.close();
  }

  /** Ends the timers. */
  close(): void {
    this.cancelAllAfter.close();
    this.cancelOnDisconnect.close();
    this.killSwitch.close();
    this.earlier.close();
    this.#completeReads.close();
  }
}
