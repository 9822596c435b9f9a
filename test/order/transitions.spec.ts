import { describe, expect, test } from 'vitest';
import { isTerminal, ORDER_STATUSES, type SettledStatus } from '../../src/domain/order.js';
import {
  type ChildInput,
  type ChildPhase,
  nextPhase,
  nextStatus,
  type ParentInput,
} from '../../src/order/transitions.js';

const STATUSES = ORDER_STATUSES.filter((status): status is SettledStatus => status !== 'CANCEL_REJECTED');

const CHILD_NEWS = [
  'ChildAccepted',
  'ChildRejected',
  'ChildFilled',
  'ChildCancelRequested',
  'ChildCancelRefused',
  'ChildCancelled',
  'ChildUnknown',
  'ChildNeverPlaced',
  'ChildSettled',
] as const satisfies readonly ParentInput[];

/** Legal in every status that is not an end, which they keep. */
const RESTORED = ['ParentRestored', 'ParentReconciled', 'ChildAdopted'] as const satisfies readonly ParentInput[];

const PARENT_INPUTS = [
  'ParentCreated',
  'ParentAccepted',
  'ParentRejected',
  'ParentStarted',
  'ParentCancelRequested',
  'ParentCancelled',
  'ParentExpired',
  'ParentPauseRequested',
  'ParentPaused',
  'ParentResumeRequested',
  'ParentResumed',
  'ResumedWithFills',
  'ParentPlanned',
  'ParentAmendRequested',
  'ParentAmended',
  'ParentQuarantined',
  'ParentReleased',
  'ReportContradicted',
  'FactNoted',
  'StrategyNoted',
  'ChildSubmitted',
  ...CHILD_NEWS,
  ...RESTORED,
  'OrderCompleted',
] as const satisfies readonly ParentInput[];

/** The contract's life cycle, written out step by step and not by the table's own shortcuts. */
const LEGAL = `
  PENDING_NEW      ParentQuarantined PENDING_NEW, ParentReleased PENDING_CANCEL, ReportContradicted PENDING_NEW, FactNoted PENDING_NEW,
                   ParentAmended PENDING_NEW, ParentAccepted ACCEPTED, ParentRejected REJECTED, ParentCancelRequested PENDING_CANCEL,
                   ParentExpired EXPIRED
  ACCEPTED         ParentQuarantined ACCEPTED, ParentReleased PENDING_CANCEL, ReportContradicted ACCEPTED,
                   ParentPlanned ACCEPTED, ParentAmendRequested ACCEPTED, ParentAmended ACCEPTED,
                   ParentStarted ACCEPTED, ParentRejected REJECTED, ParentCancelRequested PENDING_CANCEL,
                   ParentCancelled CANCELLED, ParentExpired EXPIRED, ParentPauseRequested PENDING_PAUSE,
                   StrategyNoted ACCEPTED, ChildSubmitted ACCEPTED, ChildAccepted ACCEPTED, ChildRejected ACCEPTED,
                   ChildFilled PARTIALLY_FILLED, ChildCancelRequested ACCEPTED, ChildCancelRefused ACCEPTED,
                   ChildCancelled ACCEPTED, ChildUnknown ACCEPTED, ChildNeverPlaced ACCEPTED, ChildSettled ACCEPTED,
                   OrderCompleted FILLED
  PARTIALLY_FILLED ParentQuarantined PARTIALLY_FILLED, ParentReleased PENDING_CANCEL, ReportContradicted PARTIALLY_FILLED,
                   ParentPlanned PARTIALLY_FILLED, ParentAmendRequested PARTIALLY_FILLED,
                   ParentAmended PARTIALLY_FILLED, ParentStarted PARTIALLY_FILLED, ParentCancelRequested PENDING_CANCEL, ParentCancelled CANCELLED,
                   ParentExpired EXPIRED, ParentPauseRequested PENDING_PAUSE, StrategyNoted PARTIALLY_FILLED,
                   ChildSubmitted PARTIALLY_FILLED, ChildAccepted PARTIALLY_FILLED, ChildRejected PARTIALLY_FILLED,
                   ChildFilled PARTIALLY_FILLED, ChildCancelRequested PARTIALLY_FILLED,
                   ChildCancelRefused PARTIALLY_FILLED, ChildCancelled PARTIALLY_FILLED,
                   ChildUnknown PARTIALLY_FILLED, ChildNeverPlaced PARTIALLY_FILLED,
                   ChildSettled PARTIALLY_FILLED, OrderCompleted FILLED
  PENDING_PAUSE    ParentQuarantined PENDING_PAUSE, ParentReleased PENDING_CANCEL, ReportContradicted PENDING_PAUSE,
                   ParentAmendRequested PENDING_PAUSE, ParentAmended PENDING_PAUSE, ParentPaused PAUSED, ParentCancelRequested PENDING_CANCEL, ParentExpired EXPIRED,
                   news PENDING_PAUSE, OrderCompleted FILLED
  PAUSED           ParentQuarantined PAUSED, ParentReleased PENDING_CANCEL, ReportContradicted PAUSED,
                   ParentAmendRequested PAUSED, ParentAmended PAUSED, ParentResumeRequested PENDING_UNPAUSE, ParentCancelRequested PENDING_CANCEL,
                   ParentExpired EXPIRED, news PAUSED, OrderCompleted FILLED
  PENDING_UNPAUSE  ParentQuarantined PENDING_UNPAUSE, ParentReleased PENDING_CANCEL, ReportContradicted PENDING_UNPAUSE,
                   ParentAmendRequested PENDING_UNPAUSE, ParentAmended PENDING_UNPAUSE, ParentResumed ACCEPTED, ResumedWithFills PARTIALLY_FILLED, ParentCancelRequested PENDING_CANCEL,
                   ParentExpired EXPIRED, news PENDING_UNPAUSE, OrderCompleted FILLED
  PENDING_CANCEL   ParentQuarantined PENDING_CANCEL, ParentReleased PENDING_CANCEL, ReportContradicted PENDING_CANCEL,
                   ParentCancelled CANCELLED, news PENDING_CANCEL, OrderCompleted FILLED
  FILLED           ChildFilled FILLED, OrderCompleted FILLED, ReportContradicted FILLED
  CANCELLED        ChildFilled CANCELLED, OrderCompleted CANCELLED, ReportContradicted CANCELLED
  REJECTED         ChildFilled REJECTED, OrderCompleted REJECTED, ReportContradicted REJECTED
  EXPIRED          ChildFilled EXPIRED, OrderCompleted EXPIRED, ReportContradicted EXPIRED`;

const LEGAL_OF_CHILD = `
  IN_FLIGHT        ChildAccepted OPEN, ChildRejected ENDED, ChildFilled OPEN, ChildFilledWhole ENDED,
                   ChildCancelRequested CANCEL_IN_FLIGHT, ChildCancelled ENDED, ChildUnknown UNKNOWN
  OPEN             ChildRejected ENDED, ChildFilled OPEN, ChildFilledWhole ENDED,
                   ChildCancelRequested CANCEL_IN_FLIGHT, ChildCancelled ENDED, ChildUnknown UNKNOWN
  CANCEL_IN_FLIGHT ChildAccepted CANCEL_IN_FLIGHT, ChildRejected ENDED, ChildFilled CANCEL_IN_FLIGHT,
                   ChildFilledWhole ENDED, ChildCancelRefused UNKNOWN, ChildCancelled ENDED, ChildUnknown UNKNOWN
  UNKNOWN          ChildAccepted OPEN, ChildRejected ENDED, ChildFilled UNKNOWN, ChildFilledWhole ENDED,
                   ChildCancelRequested UNKNOWN, ChildCancelled ENDED, ChildNeverPlaced ENDED,
                   ChildSettled UNKNOWN
  ENDED            ChildFilled ENDED`;

/** Reads the text above: row → input → result. A row begins where a line has a name in its first column. */
function read(text: string): Map<string, Map<string, string>> {
  const rows = new Map<string, Map<string, string>>();
  let row = new Map<string, string>();
  for (const line of text.split('\n').slice(1)) {
    const name = line.slice(2, 19).trim();
    if (name !== '') rows.set(name, (row = new Map()));
    for (const step of line.slice(19).split(',')) {
      const [input = '', result = ''] = step.trim().split(' ');
      if (input === 'news') for (const news of CHILD_NEWS) row.set(news, result);
      else if (input !== '') row.set(input, result);
    }
  }
  return rows;
}

describe('every status by every input of a parent', () => {
  const legal = read(LEGAL);
  test.each(STATUSES)('%s', (status) => {
    for (const input of PARENT_INPUTS) {
      const isKept = !isTerminal(status) && (RESTORED as readonly string[]).includes(input);
      const expected = isKept ? status : legal.get(status)?.get(input);
      if (expected === undefined)
        expect(() => nextStatus(status, input)).toThrow(`no transition from ${status} by ${input}`);
      else expect(nextStatus(status, input), `${status} by ${input}`).toBe(expected);
    }
  });
});

describe('every phase by every input of a child', () => {
  const legal = read(LEGAL_OF_CHILD);
  const phases: readonly ChildPhase[] = ['IN_FLIGHT', 'OPEN', 'CANCEL_IN_FLIGHT', 'UNKNOWN', 'ENDED'];
  const inputs: readonly ChildInput[] = [...CHILD_NEWS, 'ChildFilledWhole'];
  test.each(phases)('%s', (phase) => {
    for (const input of inputs) {
      const expected = legal.get(phase)?.get(input);
      if (expected === undefined) expect(() => nextPhase(phase, input)).toThrow(`from ${phase} by ${input}`);
      else expect(nextPhase(phase, input), `${phase} by ${input}`).toBe(expected);
    }
  });
});
