import { REORDERED_REPORT_MS } from '../../model/limits.js';
import type { EpochMs } from '../../model/time.js';
import type { ChildRef } from '../../model/venue-message.js';
import { Timeline } from '../latency/index.js';
import type { MessageFaultRule, ReportFault, ReportKind } from './fault-rule.js';
import type { MessageFaults } from './message-faults.js';
import type { PlacedChildren } from './placed-children.js';
import { forged, type ChildReport } from './report-forgery.js';

/** A report with whom it is for. */
interface Letter {
  readonly report: ChildReport;
  readonly destination: number;
}

type ReportRule = MessageFaultRule & ReportFault;

export interface ReportFaultsParts {
  readonly faults: MessageFaults;
  readonly children: PlacedChildren;
  readonly pass: (report: ChildReport, destination: number) => void;
}

/** The way of reports on orders: what a rule hits is lost, comes twice, late, or behind the next one. */
export class ReportFaults {
  readonly #parts: ReportFaultsParts;
  /** Children that were asked for: the answer repeats their fills, and comes whole. */
  readonly #asked = new Map<string, number>();
  readonly #delayed = new Timeline<() => void>();
  /** What waits for the next report on its child. */
  readonly #overtaken = new Map<string, Letter[]>();

  constructor(parts: ReportFaultsParts) {
    this.#parts = parts;
  }

  noteAsked(child: ChildRef): void {
    const name = nameOf(child);
    this.#asked.set(name, (this.#asked.get(name) ?? 0) + 1);
  }

  /** Nobody will answer what was asked before a restart. */
  forgetAsked(): void {
    this.#asked.clear();
  }

  send(report: ChildReport, destination: number, nowMs: EpochMs): void {
    const letter = { report, destination };
    if (this.#isAnswer(report)) return this.#pass(letter);
    const kind = kindOf(report);
    const isMeant = (rule: MessageFaultRule): rule is ReportRule =>
      'report' in rule && (rule.report === kind || rule.report === 'any');
    const rule = this.#parts.faults.hit(isMeant, this.#parts.children.subjectOf(report), nowMs);
    if (rule === null) this.#pass(letter);
    else this.#suffer(rule, letter, nowMs);
  }

  /** Brings what was held back and is due. */
  release(nowMs: EpochMs): void {
    for (const bring of this.#delayed.takeUpTo(nowMs)) bring();
  }

  get nextReleaseMs(): number {
    return this.#delayed.earliest;
  }

  #suffer(rule: ReportRule, letter: Letter, nowMs: EpochMs): void {
    switch (rule.fault) {
      case 'lost':
        return undefined;
      case 'duplicated':
        this.#pass(letter);
        this.#delayed.add(nowMs + rule.byMs, () => this.#bring(letter));
        return undefined;
      case 'late':
        this.#delayed.add(nowMs + rule.byMs, () => this.#bring(letter));
        return undefined;
      case 'reordered': {
        const name = nameOf(letter.report);
        this.#overtaken.set(name, [...(this.#overtaken.get(name) ?? []), letter]);
        this.#delayed.add(nowMs + REORDERED_REPORT_MS, () => this.#bringOvertaken(letter.report));
        return undefined;
      }
      case 'overfill':
      case 'wrong-price':
      case 'wrong-side':
      case 'garbled':
      case 'unknown-child':
      case 'contradict': {
        const { report, destination } = letter;
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
    const count = this.#asked.get(name) ?? 0;
    if (report.kind === 'QueryAnswered') {
      if (count > 1) this.#asked.set(name, count - 1);
      else this.#asked.delete(name);
    }
    return count > 0;
  }

  #pass(letter: Letter): void {
    this.#bring(letter);
    this.#bringOvertaken(letter.report);
  }

  #bringOvertaken(child: ChildRef): void {
    const name = nameOf(child);
    const letters = this.#overtaken.get(name) ?? [];
    this.#overtaken.delete(name);
    for (const letter of letters) this.#bring(letter);
  }

  #bring({ report, destination }: Letter): void {
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
    case 'Amended':
    case 'AmendRejected':
    case 'QueryAnswered':
    case 'Held':
    case 'Unreadable':
      return 'acknowledgement';
    default:
      return report satisfies never;
  }
}

function nameOf({ orderId, child }: ChildRef): string {
  return `${orderId}-${child}`;
}
