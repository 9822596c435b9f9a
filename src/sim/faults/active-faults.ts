import type { Venue } from '../../domain/exchange.js';
import type { AccountId } from '../../domain/ids.js';
import type { InstrumentCatalogue, InstrumentIndex } from '../../domain/instrument.js';
import type { Side } from '../../domain/order.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';
import { Random } from '../prng.js';
import type { FaultAim, FaultPeriod, FaultTarget, MessageFaultRule, Outage, OutageRule } from './fault-rule.js';

/** Known subject of a message; null fields are unknown. */
export interface Subject {
  readonly venue: Venue;
  readonly account: AccountId | null;
  readonly instrument: InstrumentIndex | null;
  readonly side: Side | null;
}

/** The subject of a message about a venue as a whole. */
export function anythingAt(venue: Venue): Subject {
  return { venue, account: null, instrument: null, side: null };
}

/** A rule with absolute times. */
interface Armed<Rule extends FaultTarget & FaultPeriod> {
  readonly rule: Rule;
  readonly fromAtMs: EpochMs;
  readonly untilAtMs: EpochMs;
}

/** The rule's times count from `startMs`. */
function arm<Rule extends FaultTarget & FaultPeriod>(rule: Rule, startMs: EpochMs): Armed<Rule> {
  return {
    rule,
    fromAtMs: (startMs + rule.fromMs) as EpochMs,
    untilAtMs: (startMs + rule.untilMs) as EpochMs,
  };
}

/** True when the subject matches the target. An unknown field does not match a required value. */
function fits(target: FaultTarget, subject: Subject, catalogue: InstrumentCatalogue): boolean {
  const { venue, account, side, symbol } = target;
  if (venue !== null && venue !== subject.venue) return false;
  if (account !== null && account !== subject.account) return false;
  if (side !== null && side !== subject.side) return false;
  return symbol === null || (subject.instrument !== null && catalogue.at(subject.instrument).symbol === symbol);
}

/** Counts the messages that match a rule and selects those that it hits. */
class Aim {
  readonly #aim: FaultAim;
  readonly #random: Random;
  #metCount = 0;
  #hitCount = 0;

  constructor(aim: FaultAim, random: Random) {
    this.#aim = aim;
    this.#random = random;
  }

  /** Called once for every matching message. */
  hits(): boolean {
    const { after, count, probability } = this.#aim;
    this.#metCount += 1;
    if (this.#metCount <= after || this.#hitCount >= count) return false;
    if (probability < 1 && this.#random.uniform() >= probability) return false;
    this.#hitCount += 1;
    return true;
  }
}

interface AimedRule {
  readonly armed: Armed<MessageFaultRule>;
  readonly aim: Aim;
}

/** Rules for single messages, in the given order. */
export class MessageFaults {
  readonly #catalogue: InstrumentCatalogue;
  readonly #seed: number;
  readonly #rules: AimedRule[] = [];
  #ruleCount = 0;

  constructor(catalogue: InstrumentCatalogue, seed: number) {
    this.#catalogue = catalogue;
    this.#seed = seed;
  }

  /** Each rule has its own random generator, so an added rule does not change the others. */
  add(rule: MessageFaultRule, startMs: EpochMs): void {
    const random = new Random(`${this.#seed}/fault/${this.#ruleCount}`);
    this.#rules.push({ armed: arm(rule, startMs), aim: new Aim(rule, random) });
    this.#ruleCount += 1;
  }

  clear(): void {
    this.#rules.length = 0;
  }

  /** The first rule that hits the message, or null. `isMeant` selects the rules for this kind of message. */
  hit<Rule extends MessageFaultRule>(
    isMeant: (rule: MessageFaultRule) => rule is Rule,
    subject: Subject,
    nowMs: EpochMs,
  ): Rule | null {
    for (const { armed, aim } of this.#rules) {
      const { rule, fromAtMs, untilAtMs } = armed;
      if (nowMs < fromAtMs || nowMs >= untilAtMs || !isMeant(rule)) continue;
      if (fits(rule, subject, this.#catalogue) && aim.hits()) return rule;
    }
    return null;
  }
}

/** Outages of venues and prices, and the times of their changes. */
export class Outages {
  readonly #catalogue: InstrumentCatalogue;
  #rules: Armed<OutageRule>[] = [];

  constructor(catalogue: InstrumentCatalogue) {
    this.#catalogue = catalogue;
  }

  add(rule: OutageRule, startMs: EpochMs): void {
    this.#rules.push(arm(rule, startMs));
  }

  clear(): void {
    this.#rules = [];
  }

  isOn(outages: readonly Outage[], subject: Subject, nowMs: EpochMs): boolean {
    return this.remainingMs(outages, subject, nowMs) !== null;
  }

  /** Longest remaining time of these outages for the subject; null when none is active. */
  remainingMs(outages: readonly Outage[], subject: Subject, nowMs: EpochMs): DurationMs | null {
    let remaining: number | null = null;
    for (const { rule, fromAtMs, untilAtMs } of this.#rules) {
      if (nowMs < fromAtMs || nowMs >= untilAtMs || !outages.includes(rule.fault)) continue;
      if (fits(rule, subject, this.#catalogue)) remaining = Math.max(remaining ?? 0, untilAtMs - nowMs);
    }
    return remaining as DurationMs | null;
  }

  /** Next start or end of an outage; Infinity when there is none. Drops outages that have ended. */
  nextChangeMs(nowMs: EpochMs): number {
    let next = Infinity;
    this.#rules = this.#rules.filter(({ untilAtMs }) => untilAtMs > nowMs);
    for (const { fromAtMs, untilAtMs } of this.#rules) {
      next = Math.min(next, fromAtMs > nowMs ? fromAtMs : untilAtMs);
    }
    return next;
  }
}
