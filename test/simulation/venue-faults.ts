import { REJECTION_CODES } from '../../src/domain/rejection.js';
import { parseFaultRule } from '../../src/sim/faults/fault-script.js';
import type { Chance } from './chance.js';
import { ACCOUNTS, CATALOGUE } from './listed.js';

type Rule = ReturnType<typeof parseFaultRule>;

const VENUES = [...new Set(CATALOGUE.instruments.map(({ venue }) => venue))];
const MESSAGE_FAULTS = ['reject', 'rate-limit', 'unsent', 'lost', 'late', 'duplicated', 'reordered'] as const;
const OUTAGES = ['ban', 'disconnect', 'maintenance', 'restart', 'stale-book', 'sequence-gap', 'crossed-book'] as const;
const FORGERIES = ['overfill', 'wrong-price', 'wrong-side', 'unknown-child', 'contradict'] as const;
const CONTRADICTIONS = ['other-id', 'cancelled-over'] as const;
const REPORTS = ['fill', 'acknowledgement', 'end', 'any'] as const;
const REQUESTS = ['submit', 'cancel', 'any'] as const;

/**
 * Draws a few impossible reports. The service can detect each of them and loses no fill. It does not draw a false
 * refusal or a false end, because no later report would show that the child still trades.
 */
export function drawForgery(chance: Chance): Rule {
  const fault = chance.pick(FORGERIES);
  const report = chance.pick(REPORTS);
  const aim = { after: chance.between(0, 3), count: chance.skewed(1, 4), untilMs: chance.between(1_000, 30_000) };
  if (fault === 'contradict') return parseFaultRule({ fault, report, says: chance.pick(CONTRADICTIONS), ...aim });
  return parseFaultRule({ fault, ...(fault === 'unknown-child' && { report }), ...aim });
}

/** Draws a fault of the venues: a few messages, or an outage of some seconds. */
export function drawVenueFault(chance: Chance): Rule {
  return parseFaultRule(chance.hits(0.6) ? messageFault(chance) : outage(chance));
}

function messageFault(chance: Chance): object {
  const fault = chance.pick(MESSAGE_FAULTS);
  const target = {
    ...(chance.hits(0.3) && { venue: chance.pick(VENUES) }),
    ...(chance.hits(0.15) && { account: chance.pick(ACCOUNTS) }),
    ...(chance.hits(0.15) && { side: chance.pick(['BUY', 'SELL']) }),
    ...(chance.hits(0.15) && { symbol: chance.pick(CATALOGUE.instruments).symbol }),
  };
  const aim = {
    after: chance.between(0, 2),
    count: chance.skewed(1, 100),
    probability: chance.pick([1, 0.5, 0.2]),
    untilMs: chance.between(1_000, 30_000),
  };
  return { fault, ...target, ...aim, ...detailOf(fault, chance) };
}

function detailOf(fault: (typeof MESSAGE_FAULTS)[number], chance: Chance): object {
  switch (fault) {
    case 'reject':
      return { code: chance.pick(REJECTION_CODES), request: chance.pick(REQUESTS) };
    case 'rate-limit':
      return { retryAfterMs: chance.skewed(1, 5_000) };
    case 'unsent':
      return { request: chance.pick(REQUESTS) };
    case 'lost':
    case 'reordered':
      return { report: chance.pick(REPORTS) };
    case 'late':
    case 'duplicated':
      return { report: chance.pick(REPORTS), byMs: chance.skewed(1, 8_000) };
  }
}

function outage(chance: Chance): object {
  const fault = chance.pick(OUTAGES);
  const fromMs = chance.between(0, 1_000);
  const span = { fromMs, untilMs: fromMs + chance.skewed(1, 10_000) };
  return { fault, ...span, ...(fault !== 'restart' && { venue: chance.pick(VENUES) }) };
}
