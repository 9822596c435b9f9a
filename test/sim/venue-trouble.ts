import { REJECTION_CODES } from '../../src/model/rejection.js';
import { parseFaultRule } from '../../src/venue/faults/index.js';
import type { Chance } from './chance.js';
import { ACCOUNTS, CATALOGUE } from './listed.js';

type Rule = ReturnType<typeof parseFaultRule>;

const VENUES = [...new Set(CATALOGUE.instruments.map(({ venue }) => venue))];
const MESSAGE_FAULTS = ['reject', 'rate-limit', 'unsent', 'lost', 'late', 'duplicated', 'reordered'] as const;
const OUTAGES = ['ban', 'disconnect', 'maintenance', 'restart', 'stale-book', 'sequence-gap', 'crossed-book'] as const;
const REPORTS = ['fill', 'acknowledgement', 'end', 'any'] as const;
const REQUESTS = ['submit', 'cancel', 'any'] as const;

/** Draws something that goes wrong at the venues: a few messages, or an outage of some seconds. */
export function drawTrouble(chance: Chance): Rule {
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
