import { VENUES, type Venue } from '../../model/exchange.js';
import type { AccountId } from '../../model/ids.js';
import { FAULT_MS_MAX } from '../../model/limits.js';
import type { Side } from '../../model/order.js';
import { REJECTION_CODES } from '../../model/rejection.js';
import type { DurationMs } from '../../model/time.js';
import { FaultFields, FaultScriptError } from './fault-fields.js';
import {
  CONTRADICTIONS,
  OUTAGES,
  REPORT_KINDS,
  REQUEST_KINDS,
  type FaultAim,
  type FaultPeriod,
  type FaultRule,
  type FaultTarget,
  type Outage,
  type ReportFault,
  type RequestFault,
} from './fault-rule.js';

const SIDES: readonly Side[] = ['BUY', 'SELL'];
const REQUEST_FAULTS = ['reject', 'rate-limit', 'unsent'] as const;
const REPORT_FAULTS = ['lost', 'duplicated', 'late', 'reordered'] as const;
const FORGERIES = ['overfill', 'wrong-price', 'wrong-side', 'garbled', 'unknown-child', 'contradict'] as const;
const FAULTS = [...REQUEST_FAULTS, ...REPORT_FAULTS, ...FORGERIES, ...OUTAGES] as const;
type FaultName = (typeof FAULTS)[number];

/** What an outage can be narrowed to: a connection is a whole venue's, and all venues restart together. */
const SCOPES: { readonly [Name in Outage]: readonly (keyof FaultTarget)[] } = {
  ban: ['venue', 'account'],
  disconnect: ['venue'],
  maintenance: ['venue'],
  restart: [],
  'stale-book': ['venue', 'symbol'],
  'sequence-gap': ['venue', 'symbol'],
  'crossed-book': ['venue', 'symbol'],
};
const EVERYTHING: readonly (keyof FaultTarget)[] = ['venue', 'symbol', 'account', 'side'];
const SPAN = { min: 0, max: FAULT_MS_MAX };
const CHANCE = { min: 0.000001, max: 1 };
const COUNT = { min: 0, max: Number.MAX_SAFE_INTEGER };

/** One rule, as a script has it; `where` begins the message of a FaultScriptError. */
export function parseFaultRule(value: unknown, where = 'rule'): FaultRule {
  const fields = new FaultFields(value, where);
  const fault = fields.word('fault', FAULTS);
  const rule = ruleOf(fault, fields, where);
  fields.done();
  return rule;
}

function ruleOf(fault: FaultName, fields: FaultFields, where: string): FaultRule {
  const outage = OUTAGES.find((name) => name === fault);
  if (outage !== undefined) {
    return { fault: outage, ...targetOf(fields, SCOPES[outage]), ...spanOf(fields, where) };
  }
  const kind = faultOf(fault as Exclude<FaultName, Outage>, fields);
  return { ...kind, ...targetOf(fields, EVERYTHING), ...periodOf(fields, where), ...aimOf(fields) };
}

function faultOf(fault: Exclude<FaultName, Outage>, fields: FaultFields): RequestFault | ReportFault {
  switch (fault) {
    case 'reject': {
      const code = fields.word('code', REJECTION_CODES);
      const retryAfterMs = fields.has('retryAfterMs') ? (fields.whole('retryAfterMs', SPAN) as DurationMs) : null;
      const message = fields.text('message') ?? `the exchange refuses: ${code}`;
      return { fault, request: fields.word('request', REQUEST_KINDS, 'submit'), code, message, retryAfterMs };
    }
    case 'rate-limit': {
      const retryAfterMs = fields.whole('retryAfterMs', SPAN) as DurationMs;
      const message = `too many requests: again after ${retryAfterMs} ms`;
      return { fault: 'reject', request: 'any', code: 'RATE_LIMIT_EXCEEDED', message, retryAfterMs };
    }
    case 'unsent':
      return { fault, request: fields.word('request', REQUEST_KINDS, 'submit') };
    case 'lost':
    case 'reordered':
      return { fault, report: fields.word('report', REPORT_KINDS, 'fill') };
    case 'late':
      return {
        fault,
        report: fields.word('report', REPORT_KINDS, 'fill'),
        byMs: fields.whole('byMs', SPAN) as DurationMs,
      };
    case 'duplicated':
      return {
        fault,
        report: fields.word('report', REPORT_KINDS, 'fill'),
        byMs: fields.whole('byMs', SPAN, 0) as DurationMs,
      };
    case 'overfill':
    case 'wrong-price':
    case 'wrong-side':
    case 'garbled':
      return { fault, report: 'fill' };
    case 'unknown-child':
      return { fault, report: fields.word('report', REPORT_KINDS, 'fill') };
    case 'contradict': {
      const says = fields.word('says', CONTRADICTIONS);
      return { fault, report: fields.word('report', REPORT_KINDS, 'fill'), says };
    }
    default:
      return fault satisfies never;
  }
}

function targetOf(fields: FaultFields, scope: readonly (keyof FaultTarget)[]): FaultTarget {
  const of = <Value>(name: keyof FaultTarget, read: () => Value): Value | null =>
    scope.includes(name) && fields.has(name) ? read() : null;
  return {
    venue: of('venue', (): Venue => fields.word('venue', VENUES)),
    symbol: of('symbol', () => fields.text('symbol')?.toUpperCase() ?? null),
    account: of('account', () => fields.text('account') as AccountId | null),
    side: of('side', () => fields.word('side', SIDES)),
  };
}

function periodOf(fields: FaultFields, where: string): FaultPeriod {
  return checked(
    {
      fromMs: fields.whole('fromMs', SPAN, 0) as DurationMs,
      untilMs: fields.whole('untilMs', SPAN, Infinity) as DurationMs,
    },
    where,
  );
}

/** An outage ends: what nobody can come back from is no fault to be tried. */
function spanOf(fields: FaultFields, where: string): FaultPeriod {
  return checked(
    {
      fromMs: fields.whole('fromMs', SPAN, 0) as DurationMs,
      untilMs: fields.whole('untilMs', SPAN) as DurationMs,
    },
    where,
  );
}

function checked(period: FaultPeriod, where: string): FaultPeriod {
  if (period.untilMs > period.fromMs) return period;
  throw new FaultScriptError(`${where}: untilMs=${period.untilMs} is not after fromMs=${period.fromMs}`);
}

function aimOf(fields: FaultFields): FaultAim {
  return {
    after: fields.whole('after', COUNT, 0),
    count: fields.whole('count', COUNT, Infinity),
    probability: fields.number('probability', CHANCE, 1),
  };
}
