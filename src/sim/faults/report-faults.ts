import { REORDERED_REPORT_MS } from '../../domain/limits/trading.js';
import type { EpochMs } from '../../domain/time.js';
import type { ChildRef } from '../../domain/venue-message.js';
import { Timeline } from '../latency/latency-model.js';
import type { MessageFaultRule, ReportFault, ReportKind } from './fault-rule.js';
import type { MessageFaults } from './active-faults.js';
import { type ChildReport, forged, type PlacedChildren } from './report-forgery.js';

interface AddressedReport {
  readonly report: ChildReport;
  readonly destination: number;
}

type ReportRule = MessageFaultRule & ReportFault;

export interface ReportFaultsParts {
  readonly faults: MessageFaults;
  readonly children: PlacedChildren;
  readonly pass: (report: ChildReport, destination: number) => void;
}

/** Drops, duplicates, delays or reorders execution reports that match a rule. */
export class ReportFaults {
  readonly #parts: ReportFaultsParts;
  /** Pending status requests by child. Their answers repeat all fills and are never changed. */
  readonly #queried = new Map<string, number>();
  readonly #delayed = new Timeline<() => void>();
  /** Reports that wait for the next report on their child. */
  readonly #overtaken = new Map<string, AddressedReport[]>();

  constructor(parts: ReportFaultsParts) {
    this.#parts = parts;
  }

  noteQueried(child: ChildRef): void {
    const name = nameOf(child);
    this.#queried.set(name, (this.#queried.get(name) ?? 0) + 1);
  }

  /** Requests from before a restart get no answer. */
  clearQueried(): void {
    this.#queried.clear();
  }

  send(report: ChildReport, destination: number, nowMs: EpochMs): void {
    const addressed = { report, destination };
    if (this.#isAnswer(report)) return this.#pass(addressed);
    const kind = kindOf(report);
    const isMeant = (rule: MessageFaultRule): rule is ReportRule =>
      'report' in rule && (rule.report === kind || rule.report === 'any');
    const rule = this.#parts.faults.hit(isMeant, this.#parts.children.subjectOf(report), nowMs);
    if (rule === null) this.#pass(addressed);
    else this.#apply(rule, addressed, nowMs);
  }

  /** Delivers delayed reports that are due. */
  release(nowMs: EpochMs): void {
    for (const deliver of this.#delayed.takeUpTo(nowMs)) deliver();
  }

  get nextReleaseMs(): number {
    return this.#delayed.earliest;
  }

  #apply(rule: ReportRule, addressed: AddressedReport, nowMs: EpochMs): void {
    switch (rule.fault) {
      case 'lost':
        return undefined;
      case 'duplicated':
        this.#pass(addressed);
        this.#delayed.add(nowMs + rule.byMs, () => this.#deliver(addressed));
        return undefined;
      case 'late':
        this.#delayed.add(nowMs + rule.byMs, () => this.#deliver(addressed));
        return undefined;
      case 'reordered': {
        const name = nameOf(addressed.report);
        this.#overtaken.set(name, [...(this.#overtaken.get(name) ?? []), addressed]);
        this.#delayed.add(nowMs + REORDERED_REPORT_MS, () => this.#deliverOvertaken(addressed.report));
        return undefined;
      }
      case 'overfill':
      case 'wrong-price':
      case 'wrong-side':
      case 'garbled':
      case 'unknown-child':
      case 'contradict': {
        const { report, destination } = addressed;
        for (const one of forged(rule, report, this.#parts.children.find(report))) {
          this.#pass({ report: one, destination });
        }
        return undefined;
      }
      default:
        return rule satisfies never;
    }
  }

  #isAnswer(report: ChildReport): boolean {
    const name = nameOf(report);
    const count = this.#queried.get(name) ?? 0;
    if (report.kind === 'StatusAnswered') {
      if (count > 1) this.#queried.set(name, count - 1);
      else this.#queried.delete(name);
    }
    return count > 0;
  }

  #pass(addressed: AddressedReport): void {
    this.#deliver(addressed);
    this.#deliverOvertaken(addressed.report);
  }

  #deliverOvertaken(child: ChildRef): void {
    const name = nameOf(child);
    const reports = this.#overtaken.get(name) ?? [];
    this.#overtaken.delete(name);
    for (const addressed of reports) this.#deliver(addressed);
  }

  #deliver({ report, destination }: AddressedReport): void {
    this.#parts.pass(report, destination);
  }
}

function kindOf(report: ChildReport): ReportKind {
  switch (report.kind) {
    case 'Filled':
      return 'fill';
    case 'Cancelled':
    case 'CancelRejected':
      return 'end';
    case 'Accepted':
    case 'Rejected':
    case 'StatusAnswered':
    case 'Throttled':
    case 'Unreadable':
      return 'acknowledgement';
    default:
      return report satisfies never;
  }
}

function nameOf({ orderId, child }: ChildRef): string {
  return `${orderId}-${child}`;
}
