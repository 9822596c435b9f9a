import { type Venue, VENUES } from '../../domain/exchange.js';
import type { AccountId } from '../../domain/ids.js';
import { FAULT_MS_MAX, FAULT_RULES_MAX } from '../../domain/limits/trading.js';
import type { Side } from '../../domain/order.js';
import { REJECTION_CODES } from '../../domain/rejection.js';
import type { DurationMs } from '../../domain/time.js';
import {
  CONTRADICTIONS,
  type FaultAim,
  type FaultPeriod,
  type FaultRule,
  type FaultTarget,
  type Outage,
  OUTAGES,
  REPORT_KINDS,
  type ReportFault,
  REQUEST_KINDS,
  type RequestFault,
} from './fault-rule.js';

/**
 * Reads a fault script: one JSON object a line, or one JSON array of objects. Skips empty lines and lines that start
 * with `#`. Throws FaultScriptError.
 *
 *     {"fault": "reject", "code": "INSUFFICIENT_FUNDS", "venue": "BINANCE", "count": 1}
 *     {"fault": "rate-limit", "retryAfterMs": 2000, "probability": 0.1}
 *     {"fault": "unsent", "symbol": "BTC/USDT"}                       the order never reaches the venue; no answer
 *     {"fault": "lost", "report": "acknowledgement"}                  no answer; the order is live
 *     {"fault": "lost", "report": "fill", "side": "BUY", "after": 2}  the third fill and all later ones
 *     {"fault": "late", "report": "fill", "byMs": 1500}
 *     {"fault": "duplicated", "byMs": 60000}      {"fault": "reordered", "report": "fill"}
 *     {"fault": "overfill"}  {"fault": "wrong-price"}  {"fault": "wrong-side"}  {"fault": "garbled"}
 *     {"fault": "unknown-child", "report": "any"}  {"fault": "contradict", "says": "cancelled-over", "count": 1}
 *     {"fault": "ban", "venue": "OKX", "account": "demo", "fromMs": 60000, "untilMs": 90000}
 *     {"fault": "disconnect", …}  {"fault": "maintenance", …}  {"fault": "restart", …}
 *     {"fault": "stale-book", "symbol": "ETH/USDT", …}  {"fault": "sequence-gap", …}  {"fault": "crossed-book", …}
 *
 * | field | for | meaning |
 * |---|---|---|
 * | venue, symbol, account, side | where it applies | matching messages; absent: all |
 * | fromMs, untilMs | all; the last seven need untilMs | service time since the venues' start; from 0, without end |
 * | after, count, probability | all but the last seven | messages that pass first (0), hits (all), chance (1) |
 * | request | reject, unsent | submit (default), cancel, any; a rate limit counts any |
 * | code, message, retryAfterMs | reject | content of the refusal; any code of the contract |
 * | report | lost, duplicated, late, reordered, unknown-child, contradict | fill (default), acknowledgement, end, any |
 * | says | contradict | the second report: other-id, cancelled-over, answered-less, rejected, unknown-code |
 * | byMs | late, duplicated | delay in milliseconds; default 0 for duplicated |
 */
export function parseFaultScript(text: string): readonly FaultRule[] {
  const rules = text.trimStart().startsWith('[') ? parseArray(text) : parseLines(text);
  if (rules.length > FAULT_RULES_MAX) {
    throw new FaultScriptError(`${rules.length} rules are more than ${FAULT_RULES_MAX}`);
  }
  return rules;
}

function parseArray(text: string): readonly FaultRule[] {
  const values = jsonOf(text, 'script') as readonly unknown[];
  return values.map((value, index) => parseFaultRule(value, `rule ${index + 1}`));
}

function parseLines(text: string): readonly FaultRule[] {
  return text.split('\n').flatMap((line, index) => {
    const where = `line ${index + 1}`;
    return /^\s*(#|$)/.test(line) ? [] : parseFaultRule(jsonOf(line, where), where);
  });
}

function jsonOf(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new FaultScriptError(`${where}: ${(error as Error).message}`);
  }
}

const SIDES: readonly Side[] = ['BUY', 'SELL'];
const REQUEST_FAULTS = ['reject', 'rate-limit', 'unsent'] as const;
const REPORT_FAULTS = ['lost', 'duplicated', 'late', 'reordered'] as const;
const FORGERIES = ['overfill', 'wrong-price', 'wrong-side', 'garbled', 'unknown-child', 'contradict'] as const;
const FAULTS = [...REQUEST_FAULTS, ...REPORT_FAULTS, ...FORGERIES, ...OUTAGES] as const;
type FaultName = (typeof FAULTS)[number];

/** Target fields that each outage accepts. A disconnect affects a whole venue, and a restart affects all venues. */
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

/** Parses one rule of a script; `where` starts the message of a FaultScriptError. */
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

/** Reads the period of an outage, which must end: recovery is part of the test. */
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

/** An unusable fault script; the message names position, field, value and rule. */
class FaultScriptError extends Error {
  override readonly name = 'FaultScriptError';
}

interface Range {
  readonly min: number;
  readonly max: number;
}

/** Reads and checks the fields of one rule. `done` reports unknown fields. */
class FaultFields {
  readonly #fields: ReadonlyMap<string, unknown>;
  readonly #where: string;
  readonly #known: string[] = [];

  /** `where` starts every message, for example `line 3`. */
  constructor(value: unknown, where: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new FaultScriptError(`${where}: a rule is a JSON object`);
    }
    this.#fields = new Map(Object.entries(value));
    this.#where = where;
  }

  text(name: string): string | null {
    const value = this.#take(name);
    if (value === undefined) return null;
    if (typeof value !== 'string' || value === '') throw this.#wrong(name, 'not a text');
    return value;
  }

  /** One of `words`. Without a fallback the field is required. */
  word<Word extends string>(name: string, words: readonly Word[], fallback?: Word): Word {
    const value = this.#take(name) ?? fallback;
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) throw this.#wrong(name, `not one of ${words.join(', ')}`);
    return word;
  }

  /** A whole number in the range. Without a fallback the field is required. */
  whole(name: string, range: Range, fallback?: number): number {
    const value = this.number(name, range, fallback);
    if (!Number.isInteger(value) && value !== fallback) throw this.#wrong(name, 'not a whole number');
    return value;
  }

  number(name: string, { min, max }: Range, fallback?: number): number {
    const value = this.#take(name);
    if (value === undefined && fallback !== undefined) return fallback;
    if (typeof value !== 'number' || !(value >= min && value <= max)) {
      throw this.#wrong(name, `not a number from ${min} to ${max}`);
    }
    return value;
  }

  has(name: string): boolean {
    return this.#fields.has(name);
  }

  /** Throws when a field is unknown, so a misspelt name never changes the meaning of a rule. */
  done(): void {
    for (const name of this.#fields.keys()) {
      if (!this.#known.includes(name)) {
        throw new FaultScriptError(
          `${this.#where}: ${name} is no field of this fault; it has ${this.#known.join(', ')}`,
        );
      }
    }
  }

  #take(name: string): unknown {
    this.#known.push(name);
    return this.#fields.get(name);
  }

  #wrong(name: string, rule: string): FaultScriptError {
    const value = this.#fields.get(name);
    const said = value === undefined ? `${name} is missing` : `${name}=${JSON.stringify(value)} is ${rule}`;
    return new FaultScriptError(
      `${this.#where}: ${said}${value === undefined ? `: it is ${rule.slice('not '.length)}` : ''}`,
    );
  }
}
