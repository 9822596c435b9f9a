import type { InstrumentCatalogue } from '../domain/instrument.js';
import type { OrderId } from '../domain/ids.js';
import type { NumberMap } from '../domain/number-map.js';
import type { ParentState } from '../domain/order-state.js';
import { isRejected } from '../domain/rejection.js';
import type {
  CandlesReport,
  ExecutionReport,
  FundsReport,
  ThrottledReport,
  LinkReport,
  PositionsReport,
  VenueReport,
} from '../domain/venue-report.js';
import type { EpochMs } from '../domain/time.js';
import type { VenueRequest } from '../domain/venue-message.js';
import type { TurnJournal } from '../journal/port.js';
import { decide } from '../order/decide.js';
import { isChildNumber, isUsableFill } from '../order/quarantine.js';
import type { AccountRecord, FundsView } from './accounts.js';
import type { AdmissionPositions } from './admission-positions.js';
import type { Actor } from './actor.js';
import { eventAtMs, type OrderGuard } from './order-guard.js';
import { requestOf, sendAtMs } from './order-lifecycle.js';
import type { ShardWatch } from './port.js';
import type { TurnBatch } from './turn-batch.js';
import type { AckTimeoutWatchdog } from './venue-watch.js';
import type { VolumeProfiles } from './volume-profiles.js';

export interface ReportIntakeParts {
  readonly catalogue: InstrumentCatalogue;
  readonly journal: Pick<TurnJournal, 'hasTrade' | 'state'>;
  readonly actors: Pick<NumberMap<OrderId, Actor>, 'get'>;
  readonly batch: TurnBatch;
  readonly guard: OrderGuard;
  readonly watch: ShardWatch;
  readonly funds: FundsView;
  readonly positions: AdmissionPositions;
  readonly accounts: AccountRecord;
  readonly profiles: VolumeProfiles;
  readonly ackTimeouts: AckTimeoutWatchdog;
  /** Called before a report is applied to its order. */
  readonly beforeReport: (actor: Actor) => void;
  /** Adds the order to this turn's work list. */
  readonly markDue: (actor: Actor) => void;
  /** Sends a request to the venue when the turn is durable, not before the time. */
  readonly send: (request: VenueRequest, atMs: EpochMs) => void;
}

/** Applies the reports of exchanges to orders, accounts and volume profiles. Drops a repeated fill. */
export class ReportIntake {
  readonly #parts: ReportIntakeParts;

  constructor(parts: ReportIntakeParts) {
    this.#parts = parts;
  }

  take(report: Exclude<VenueReport, LinkReport>): void {
    if (report.kind === 'Throttled') return this.#onThrottled(report);
    if (report.kind === 'Funds' || report.kind === 'Positions' || report.kind === 'Candles') {
      this.#parts.guard.runShared(() => this.#onAccountReport(report));
      return;
    }
    if (!isExecution(report)) return;
    if (report.kind === 'Filled' && this.#isRepeated(report)) return;
    const actor = this.#parts.actors.get(report.orderId);
    if (actor === undefined) return this.#onLateReport(report);
    this.#parts.beforeReport(actor);
    this.#parts.guard.takeReport(actor, this.#parts.batch.nowMs, report);
    this.#parts.markDue(actor);
  }

  #onAccountReport(report: FundsReport | PositionsReport | CandlesReport): void {
    if (report.kind === 'Funds') this.#onFunds(report);
    else if (report.kind === 'Positions') this.#onPositions(report);
    else this.#onCandles(report);
  }

  #onThrottled({ orderId, child }: ThrottledReport): void {
    const actor = this.#parts.actors.get(orderId);
    if (actor !== undefined) this.#parts.ackTimeouts.excuse(actor, child);
  }

  #isRepeated(report: Extract<ExecutionReport, { kind: 'Filled' }>): boolean {
    const { orderId, child, fill } = report;
    // An unusable fill cannot be a repeated one.
    if (!isUsableFill(fill) || !isChildNumber(child)) return false;
    return (
      this.#parts.batch.noteTrade(orderId, child, fill.tradeId) ||
      this.#parts.journal.hasTrade(orderId, child, fill.tradeId)
    );
  }

  /** Applies a report on an ended order. A late fill is recorded: without it a position would be missing. */
  #onLateReport(report: ExecutionReport): void {
    if (this.#parts.guard.isSetAside(report.orderId)) return this.#parts.watch.onReportLost(report);
    this.#parts.guard.runShared(() => this.#takeLate(report));
  }

  #takeLate(report: ExecutionReport): void {
    const state: ParentState | null =
      this.#parts.batch.lateState(report.orderId) ?? this.#parts.journal.state(report.orderId);
    if (state === null) return this.#parts.watch.onContradiction('UNKNOWN_CHILD');
    const { nowMs } = this.#parts.batch;
    const happenedAtMs = eventAtMs(report, nowMs);
    const decision = decide(state, { kind: 'Report', report }, { nowMs, eventAtMs: happenedAtMs });
    if (isRejected(decision)) return;
    this.#parts.batch.addLate(decision, happenedAtMs);
    for (const effect of decision.effects) this.#parts.send(requestOf(effect), sendAtMs(effect, nowMs));
  }

  #onFunds(report: FundsReport): void {
    for (const actor of this.#parts.funds.apply(report)) this.#parts.markDue(actor);
    this.#parts.accounts.onFunds(report);
  }

  #onPositions(report: PositionsReport): void {
    for (const actor of this.#parts.positions.apply(report)) this.#parts.markDue(actor);
    this.#parts.accounts.onPositions(report);
  }

  #onCandles(report: CandlesReport): void {
    for (const { owner } of this.#parts.profiles.apply(report, this.#parts.batch.nowMs)) this.#parts.markDue(owner);
  }
}

function isExecution(report: Exclude<VenueReport, ThrottledReport>): report is ExecutionReport {
  return 'child' in report;
}
