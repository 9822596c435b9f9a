import { describe, expect, it } from 'vitest';
import { FAULT_RULES_MAX } from '../../../src/domain/limits/trading.js';
import { REJECTION_CODES } from '../../../src/domain/rejection.js';
import { parseFaultRule, parseFaultScript } from '../../../src/sim/faults/fault-script.js';

const EVERYBODY = { venue: null, symbol: null, account: null, side: null };
const ALWAYS = { fromMs: 0, untilMs: Infinity };
const ALL = { after: 0, count: Infinity, probability: 1 };

describe('a fault script', () => {
  it('is one rule a line with comments, or one array, with the same meaning', () => {
    const lines = `# what goes wrong
{"fault": "lost", "report": "fill", "venue": "BINANCE", "symbol": "btc/usdt", "side": "BUY", "after": 2, "count": 1}

  {"fault": "disconnect", "venue": "OKX", "fromMs": 1000, "untilMs": 2000}
`;
    const array = `[${lines
      .split('\n')
      .filter((line) => line.includes('{'))
      .join(',')}]`;
    expect(parseFaultScript(lines)).toEqual([
      {
        ...ALWAYS,
        fault: 'lost',
        report: 'fill',
        venue: 'BINANCE',
        symbol: 'BTC/USDT',
        account: null,
        side: 'BUY',
        after: 2,
        count: 1,
        probability: 1,
      },
      { ...EVERYBODY, fault: 'disconnect', venue: 'OKX', fromMs: 1000, untilMs: 2000 },
    ]);
    expect(parseFaultScript(array)).toEqual(parseFaultScript(lines));
  });

  it('may be empty', () => {
    expect(parseFaultScript('\n# nothing\n')).toEqual([]);
  });

  it('has at most FAULT_RULES_MAX rules', () => {
    const line = '{"fault": "lost"}\n';
    expect(() => parseFaultScript(line.repeat(FAULT_RULES_MAX + 1))).toThrow(`${FAULT_RULES_MAX + 1} rules are more`);
  });
});

describe('a fault rule', () => {
  it.each(REJECTION_CODES)('can refuse with %s', (code) => {
    expect(parseFaultRule({ fault: 'reject', code })).toEqual({
      ...EVERYBODY,
      ...ALWAYS,
      ...ALL,
      fault: 'reject',
      request: 'submit',
      code,
      message: `the exchange refuses: ${code}`,
      retryAfterMs: null,
    });
  });

  it('refuses all requests with a time to wait when it sets a rate limit', () => {
    expect(parseFaultRule({ fault: 'rate-limit', retryAfterMs: 2_000 })).toMatchObject({
      fault: 'reject',
      request: 'any',
      code: 'RATE_LIMIT_EXCEEDED',
      retryAfterMs: 2_000,
    });
  });

  it.each([
    [{ fault: 'unsent' }, { request: 'submit' }],
    [{ fault: 'lost', report: 'acknowledgement' }, { report: 'acknowledgement' }],
    [
      { fault: 'late', byMs: 5 },
      { report: 'fill', byMs: 5 },
    ],
    [{ fault: 'duplicated' }, { report: 'fill', byMs: 0 }],
    [{ fault: 'reordered', report: 'any' }, { report: 'any' }],
    [{ fault: 'overfill' }, { report: 'fill' }],
    [{ fault: 'wrong-price' }, { report: 'fill' }],
    [{ fault: 'wrong-side' }, { report: 'fill' }],
    [{ fault: 'unknown-child', report: 'end' }, { report: 'end' }],
    [
      { fault: 'contradict', says: 'other-id' },
      { report: 'fill', says: 'other-id' },
    ],
    [
      { fault: 'ban', account: 'demo', untilMs: 1 },
      { account: 'demo', untilMs: 1 },
    ],
    [{ fault: 'maintenance', venue: 'KRAKEN', untilMs: 1 }, { venue: 'KRAKEN' }],
    [{ fault: 'restart', untilMs: 1 }, EVERYBODY],
    [{ fault: 'stale-book', symbol: 'eth/usdt', untilMs: 1 }, { symbol: 'ETH/USDT' }],
    [{ fault: 'sequence-gap', untilMs: 1 }, {}],
    [{ fault: 'crossed-book', untilMs: 1 }, {}],
  ])('fills in the defaults of %j', (rule, expected) => {
    expect(parseFaultRule(rule)).toMatchObject({
      ...ALWAYS,
      ...expected,
      fault: rule.fault,
      untilMs: expect.anything() as number,
    });
  });
});

describe('a fault script error', () => {
  it.each([
    ['{"fault": "lost"}\n{"fault":', /^line 2: .*JSON/],
    ['[{"fault": "lost"}, 7]', /^rule 2: a rule is a JSON object$/],
    ['[', /^script: /],
    ['{"fault": "fire"}', /^line 1: fault="fire" is not one of reject, rate-limit, .*crossed-book$/],
    ['{"venue": "OKX"}', /^line 1: fault is missing: it is one of /],
    ['{"fault": "lost", "venue": "NASDAQ"}', /^line 1: venue="NASDAQ" is not one of BINANCE, /],
    ['{"fault": "lost", "code": "OTHER"}', /^line 1: code is no field of this fault; it has fault, report, /],
    ['{"fault": "lost", "probability": 2}', /^line 1: probability=2 is not a number from 0.000001 to 1$/],
    ['{"fault": "lost", "count": 1.5}', /^line 1: count=1.5 is not a whole number$/],
    ['{"fault": "lost", "account": ""}', /^line 1: account="" is not a text$/],
    ['{"fault": "late"}', /^line 1: byMs is missing: it is a number from 0 to 86400000$/],
    ['{"fault": "reject"}', /^line 1: code is missing: it is one of /],
    ['{"fault": "contradict"}', /^line 1: says is missing: it is one of other-id, /],
    ['{"fault": "overfill", "report": "end"}', /^line 1: report is no field of this fault/],
    ['{"fault": "ban"}', /^line 1: untilMs is missing/],
    ['{"fault": "ban", "fromMs": 9, "untilMs": 9}', /^line 1: untilMs=9 is not after fromMs=9$/],
    ['{"fault": "disconnect", "account": "demo", "untilMs": 9}', /^line 1: account is no field of this fault/],
    ['{"fault": "restart", "venue": "OKX", "untilMs": 9}', /^line 1: venue is no field of this fault/],
  ])('names the position in %s', (text, message) => {
    expect(() => parseFaultScript(text)).toThrow(message);
  });
});
