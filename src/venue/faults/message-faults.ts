import type { InstrumentCatalogue } from '../../model/instrument.js';
import type { EpochMs } from '../../model/time.js';
import { Random } from '../prng.js';
import { Aim, arm, fits, type Armed, type Subject } from './armed-rule.js';
import type { MessageFaultRule } from './fault-rule.js';

interface AimedRule {
  readonly armed: Armed<MessageFaultRule>;
  readonly aim: Aim;
}

/** The rules that hit single messages, in the order in which they were given. */
export class MessageFaults {
  readonly #catalogue: InstrumentCatalogue;
  readonly #seed: number;
  readonly #rules: AimedRule[] = [];
  #ruleCount = 0;

  constructor(catalogue: InstrumentCatalogue, seed: number) {
    this.#catalogue = catalogue;
    this.#seed = seed;
  }

  /** Each rule has luck of its own, so that one more rule changes nothing about the others. */
  add(rule: MessageFaultRule, startMs: EpochMs): void {
    const random = new Random(`${this.#seed}/fault/${this.#ruleCount}`);
    this.#rules.push({ armed: arm(rule, startMs), aim: new Aim(rule, random) });
    this.#ruleCount += 1;
  }

  clear(): void {
    this.#rules.length = 0;
  }

  /** The first rule that hits the message; null when none does. `isMeant` says of a rule whether it is about such messages. */
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
