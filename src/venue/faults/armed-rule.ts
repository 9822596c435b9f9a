import type { InstrumentCatalogue, InstrumentIndex } from '../../model/instrument.js';
import type { Venue } from '../../model/exchange.js';
import type { AccountId } from '../../model/ids.js';
import type { Side } from '../../model/order.js';
import type { EpochMs } from '../../model/time.js';
import type { Random } from '../prng.js';
import type { FaultAim, FaultPeriod, FaultTarget } from './fault-rule.js';

/** What a message is about, as far as it says. */
export interface Subject {
  readonly venue: Venue;
  readonly account: AccountId | null;
  readonly instrument: InstrumentIndex | null;
  readonly side: Side | null;
}

/** What concerns a venue as a whole. */
export function anythingAt(venue: Venue): Subject {
  return { venue, account: null, instrument: null, side: null };
}

/** A rule with its times on the clock. */
export interface Armed<Rule extends FaultTarget & FaultPeriod> {
  readonly rule: Rule;
  readonly fromAtMs: EpochMs;
  readonly untilAtMs: EpochMs;
}

/** `startMs` is what the rule's times count from. */
export function arm<Rule extends FaultTarget & FaultPeriod>(rule: Rule, startMs: EpochMs): Armed<Rule> {
  return {
    rule,
    fromAtMs: (startMs + rule.fromMs) as EpochMs,
    untilAtMs: (startMs + rule.untilMs) as EpochMs,
  };
}

/** True for a subject that the target fits; one that does not say what the target asks for does not fit. */
export function fits(target: FaultTarget, subject: Subject, catalogue: InstrumentCatalogue): boolean {
  const { venue, account, side, symbol } = target;
  if (venue !== null && venue !== subject.venue) return false;
  if (account !== null && account !== subject.account) return false;
  if (side !== null && side !== subject.side) return false;
  return symbol === null || (subject.instrument !== null && catalogue.at(subject.instrument).symbol === symbol);
}

/** Counts the messages that a rule meets, and says which of them it hits. */
export class Aim {
  readonly #aim: FaultAim;
  readonly #random: Random;
  #metCount = 0;
  #hitCount = 0;

  constructor(aim: FaultAim, random: Random) {
    this.#aim = aim;
    this.#random = random;
  }

  /** Called once for every message the rule meets. */
  hits(): boolean {
    const { after, count, probability } = this.#aim;
    this.#metCount += 1;
    if (this.#metCount <= after || this.#hitCount >= count) return false;
    if (probability < 1 && this.#random.uniform() >= probability) return false;
    this.#hitCount += 1;
    return true;
  }
}
