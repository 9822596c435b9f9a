import { describe, expect, it } from 'vitest';
import type { Fill } from '../../../src/model/event.js';
import type { AccountId, ChildNumber, CorrelationId, OrderId } from '../../../src/model/ids.js';
import type { Market } from '../../../src/model/market.js';
import type { EpochMs } from '../../../src/model/time.js';
import type { ChildRef, VenueReport, VenueRequest } from '../../../src/model/venue-message.js';
import { FaultyVenues, parseFaultRule } from '../../../src/venue/faults/index.js';
import type { VenueSink } from '../../../src/venue/port.js';
import {
  acceptedOf,
  BTC,
  CATALOGUE,
  OKX_BTC,
  ScriptedGateway,
  START_MS,
  submitOf,
} from '../gateway/scripted-gateway.js';

const SHARDS = [0, 1];

type Rule = Parameters<typeof parseFaultRule>[0];

/** Venues that fail by the rules, and what came out of them with the millisecond it came in. */
class Trouble {
  gateways: ScriptedGateway[] = [];
  readonly told: string[] = [];
  readonly reports: VenueReport[] = [];
  readonly venues: FaultyVenues;

  constructor(...rules: Rule[]) {
    this.venues = new FaultyVenues({
      open: () => {
        const gateway = new ScriptedGateway();
        this.gateways.push(gateway);
        return gateway;
      },
      catalogue: CATALOGUE,
      rules: rules.map((rule) => parseFaultRule(rule)),
      seed: 1,
      startMs: START_MS,
      listeners: SHARDS,
    });
  }

  get gateway(): ScriptedGateway {
    return this.gateways.at(-1) as ScriptedGateway;
  }

  handle(ms: number, request: VenueRequest, origin = 0): void {
    this.venues.handle(request, origin, at(ms));
  }

  submit(ms: number, orderId: number, account?: string, instrument = BTC): void {
    this.handle(ms, submitOf(orderId, account, instrument));
  }

  /** The gateway says it, and all that is due comes out. */
  say(ms: number, ...reports: VenueReport[]): void {
    this.gateway.sayings.push((sink) => reports.forEach((report) => sink.report(report, 0)));
    this.advance(ms);
  }

  show(ms: number, bid: number, ask: number, instrument = BTC): void {
    const market = { bid, ask, bidQuantity: 1, askQuantity: 2, last: 0, volume: 0, volatility: 0, atMs: at(ms) };
    this.gateway.sayings.push((sink: VenueSink) => sink.market(instrument.index, market as Market));
    this.advance(ms);
  }

  advance(ms: number): void {
    this.venues.advance(at(ms), {
      report: (report, destination) => {
        this.reports.push(report);
        this.told.push(`${nameOf(report)}${destination === 0 ? '' : ` to ${destination}`}@${ms}`);
      },
      market: (instrument, { bid, ask, bidQuantity }) =>
        this.told.push(`${CATALOGUE.at(instrument).venue} ${bid}/${ask} ${bidQuantity}@${ms}`),
      trade: ({ price }) => this.told.push(`trade ${price}@${ms}`),
    });
  }

  /** Goes on as the worker does, from wake to wake. */
  runUntil(ms: number): void {
    for (let next = this.nextMs; next <= ms; next = this.nextMs) this.advance(next);
  }

  get nextMs(): number {
    return this.venues.nextWakeMs() - START_MS;
  }

  /** A start tells that every venue is up. */
  started(): this {
    this.advance(0);
    expect(this.news()).toHaveLength(15 * SHARDS.length);
    this.reports.length = 0;
    return this;
  }

  /** What was told since the last look. */
  news(): string[] {
    return this.told.splice(0);
  }
}

function at(ms: number): EpochMs {
  return (START_MS + ms) as EpochMs;
}

function nameOf(report: VenueReport): string {
  if (report.kind === 'Link') return `${report.venue} ${report.isUp ? 'up' : 'down'}`;
  if (!('orderId' in report)) return report.kind;
  const name = `${report.kind} ${report.orderId}`;
  if ('rejection' in report) return `${name} ${report.rejection.code}`;
  return report.kind === 'Filled' ? `${name} ${report.fill.tradeId}` : name;
}

function refOf(orderId: number): ChildRef {
  return { account: 'alice' as AccountId, venue: 'BINANCE', orderId: orderId as OrderId, child: 1 as ChildNumber };
}

function fill(orderId: number, tradeId: number): VenueReport {
  return { kind: 'Filled', ...refOf(orderId), atMs: START_MS, fill: { tradeId } as unknown as Fill };
}

function end(orderId: number): VenueReport {
  return {
    kind: 'Cancelled',
    ...refOf(orderId),
    atMs: START_MS,
    venueOrderId: 'v' as never,
    cause: null,
    filled: 0 as never,
  };
}

const QUERY_FUNDS: VenueRequest = {
  kind: 'QueryFunds',
  correlationId: 7 as CorrelationId,
  account: 'alice' as AccountId,
  venue: 'BINANCE',
};

/** What passes of 200 submissions when half of them are never sent. */
function halfOf200(): readonly string[] {
  const trouble = new Trouble({ fault: 'unsent', probability: 0.5 }).started();
  for (let orderId = 1; orderId <= 200; orderId += 1) trouble.submit(0, orderId);
  return trouble.gateway.seen;
}

describe('Requests', () => {
  it('pass when no rule is about them', () => {
    const trouble = new Trouble({ fault: 'reject', code: 'OTHER', venue: 'OKX' }).started();
    trouble.submit(0, 1);
    trouble.advance(0);
    expect(trouble.news()).toEqual(['Accepted 1@0']);
  });

  it('are refused with code and time to wait, and the venue never sees them', () => {
    const trouble = new Trouble({ fault: 'rate-limit', retryAfterMs: 500, count: 2 }).started();
    trouble.submit(0, 1);
    trouble.handle(0, { kind: 'Cancel', ...refOf(1) });
    trouble.submit(0, 2);
    trouble.advance(0);
    expect(trouble.news()).toEqual([
      'Rejected 1 RATE_LIMIT_EXCEEDED@0',
      'CancelRejected 1 RATE_LIMIT_EXCEEDED@0',
      'Accepted 2@0',
    ]);
    expect(trouble.reports[0]).toMatchObject({ rejection: { retryAfterMs: 500 } });
    expect(trouble.gateway.seen).toEqual(['Submit 2@0']);
  });

  it('that are never sent are answered by nobody', () => {
    const trouble = new Trouble({ fault: 'unsent', after: 1, count: 1 }).started();
    for (const orderId of [1, 2, 3]) trouble.submit(0, orderId);
    trouble.advance(0);
    expect(trouble.news()).toEqual(['Accepted 1@0', 'Accepted 3@0']);
  });

  it('are hit by whom they concern: account, symbol, side and time', () => {
    const target = { account: 'bob', symbol: 'BTC/USDT', side: 'BUY', fromMs: 10, untilMs: 20 };
    const trouble = new Trouble({ fault: 'unsent', ...target }).started();
    trouble.submit(9, 1, 'bob');
    trouble.submit(10, 2, 'alice');
    trouble.submit(10, 3, 'bob');
    trouble.handle(10, { ...submitOf(4, 'bob'), side: 'SELL' });
    trouble.submit(20, 5, 'bob');
    expect(trouble.gateway.seen).toEqual(['Submit 1@9', 'Submit 2@10', 'Submit 4@10', 'Submit 5@20']);
  });

  it('are hit by chance, and the same seed has the same chance', () => {
    expect(halfOf200().length).toBeGreaterThan(60);
    expect(halfOf200().length).toBeLessThan(140);
    expect(halfOf200()).toEqual(halfOf200());
  });
});

describe('Reports', () => {
  it('are lost', () => {
    const trouble = new Trouble(
      { fault: 'lost', report: 'fill', count: 1 },
      { fault: 'lost', report: 'acknowledgement' },
    ).started();
    trouble.say(0, acceptedOf(1, START_MS), fill(1, 1), fill(1, 2), end(1));
    expect(trouble.news()).toEqual(['Filled 1 2@0', 'Cancelled 1@0']);
  });

  it('come late, and others overtake them', () => {
    const trouble = new Trouble({ fault: 'late', byMs: 300, count: 1 }).started();
    trouble.say(0, fill(1, 1), fill(1, 2));
    expect(trouble.nextMs).toBe(300);
    trouble.runUntil(1_000);
    expect(trouble.news()).toEqual(['Filled 1 2@0', 'Filled 1 1@300']);
  });

  it('come twice', () => {
    const trouble = new Trouble({ fault: 'duplicated', byMs: 50, count: 1 }).started();
    trouble.say(0, fill(1, 1), end(1));
    trouble.runUntil(100);
    expect(trouble.news()).toEqual(['Filled 1 1@0', 'Cancelled 1@0', 'Filled 1 1@50']);
  });

  it('come behind the next report on the same order, or after a while when there is none', () => {
    const trouble = new Trouble({ fault: 'reordered' }).started();
    trouble.say(0, fill(1, 1), fill(2, 2), fill(1, 3), end(1));
    expect(trouble.news()).toEqual(['Cancelled 1@0', 'Filled 1 1@0', 'Filled 1 3@0']);
    trouble.runUntil(10_000);
    expect(trouble.news()).toEqual(['Filled 2 2@1000']);
  });

  it('that answer a question come whole, however much is lost otherwise', () => {
    const trouble = new Trouble({ fault: 'lost', report: 'any' }).started();
    trouble.handle(0, { kind: 'Query', ...refOf(1) });
    const answered: VenueReport = { ...end(1), kind: 'QueryAnswered', answer: { state: 'UNKNOWN' } } as VenueReport;
    trouble.say(0, fill(1, 1), fill(2, 2), answered, fill(1, 1));
    expect(trouble.news()).toEqual(['Filled 1 1@0', 'QueryAnswered 1@0']);
  });

  it('are met by symbol and side while the order they are about is remembered', () => {
    const trouble = new Trouble({ fault: 'lost', symbol: 'BTC/USDT', side: 'BUY' }).started();
    trouble.submit(0, 1);
    trouble.handle(0, { ...submitOf(2), side: 'SELL' });
    trouble.say(0, fill(1, 1), fill(2, 2), fill(3, 3));
    expect(trouble.news()).toEqual(['Accepted 1@0', 'Accepted 2@0', 'Filled 2 2@0', 'Filled 3 3@0']);
  });
});

describe('A disconnect', () => {
  const rule = { fault: 'disconnect', venue: 'BINANCE', fromMs: 10, untilMs: 50 };

  it('is told to every shard, and its end', () => {
    const trouble = new Trouble(rule).started();
    trouble.runUntil(100);
    expect(trouble.news()).toEqual(['BINANCE down@10', 'BINANCE down to 1@10', 'BINANCE up@50', 'BINANCE up to 1@50']);
  });

  it('refuses requests, answers no question, and reminds who asks', () => {
    const trouble = new Trouble(rule).started();
    trouble.runUntil(10);
    trouble.news();
    trouble.submit(20, 1);
    trouble.handle(20, QUERY_FUNDS, 1);
    trouble.handle(20, QUERY_FUNDS, -1);
    trouble.submit(20, 2, 'alice', OKX_BTC);
    trouble.advance(20);
    expect(trouble.news()).toEqual([
      'BINANCE down@20',
      'Rejected 1 NETWORK_ERROR@20',
      'BINANCE down to 1@20',
      'Accepted 2@20',
    ]);
  });

  it('misses the reports of the time, but brings what changed in the account', () => {
    const trouble = new Trouble(rule).started();
    trouble.runUntil(10);
    trouble.news();
    const funds = { ...QUERY_FUNDS, kind: 'Funds' } as unknown as VenueReport;
    trouble.say(20, fill(1, 1), funds);
    trouble.say(49, fill(1, 2));
    expect(trouble.news()).toEqual([]);
    trouble.say(50, fill(1, 3));
    expect(trouble.news()).toEqual(['BINANCE up@50', 'BINANCE up to 1@50', 'Funds@50', 'Filled 1 3@50']);
  });

  it('that a late turn leaps over is told all the same', () => {
    const trouble = new Trouble(rule).started();
    trouble.advance(0);
    trouble.advance(1_000);
    expect(trouble.news().map((line) => line.split('@')[0])).toEqual([
      'BINANCE down',
      'BINANCE down to 1',
      'BINANCE up',
      'BINANCE up to 1',
    ]);
  });
});

describe('Maintenance', () => {
  it('refuses with the time it lasts, shows no prices, and brings its reports in the end', () => {
    const trouble = new Trouble({ fault: 'maintenance', untilMs: 60 }).started();
    trouble.submit(20, 1);
    trouble.say(20, fill(2, 1));
    trouble.show(30, 5, 6);
    expect(trouble.news()).toEqual(['Rejected 1 EXCHANGE_NOT_AVAILABLE@20']);
    expect(trouble.reports[0]).toMatchObject({ rejection: { retryAfterMs: 40 } });
    trouble.runUntil(100);
    expect(trouble.news()).toEqual(['Filled 2 1@60', 'BINANCE 5/6 1@60']);
  });
});

describe('A ban', () => {
  it('refuses one account for a while, and its reports go on', () => {
    const trouble = new Trouble({ fault: 'ban', account: 'alice', untilMs: 60 }).started();
    trouble.submit(10, 1);
    trouble.submit(10, 2, 'bob');
    trouble.handle(10, QUERY_FUNDS);
    trouble.say(10, fill(3, 1));
    expect(trouble.news()).toEqual(['Rejected 1 DDOS_PROTECTION@10', 'Accepted 2@10', 'Filled 3 1@10']);
    expect(trouble.reports[0]).toMatchObject({ rejection: { retryAfterMs: 50 } });
    trouble.submit(60, 4);
    trouble.advance(60);
    expect(trouble.news()).toEqual(['Accepted 4@60']);
  });
});

describe('A restart', () => {
  it('closes the venues, opens them again, and tells both of every venue', () => {
    const trouble = new Trouble({ fault: 'restart', fromMs: 10, untilMs: 50 }).started();
    trouble.submit(5, 1);
    trouble.advance(5);
    trouble.runUntil(10);
    expect(trouble.gateway.isClosed).toBe(true);
    expect(trouble.news().filter((line) => line.includes('down'))).toHaveLength(15 * SHARDS.length);
    trouble.submit(20, 2);
    trouble.advance(20);
    expect(trouble.news()).toContain('Rejected 2 EXCHANGE_NOT_AVAILABLE@20');
    trouble.runUntil(50);
    expect(trouble.gateways).toHaveLength(2);
    expect(trouble.news().filter((line) => line.includes('up'))).toHaveLength(15 * SHARDS.length);
    trouble.submit(60, 3);
    expect(trouble.gateway.seen).toEqual(['Submit 3@60']);
    trouble.venues.close();
    expect(trouble.gateway.isClosed).toBe(true);
  });
});

describe('Prices', () => {
  it('of a stale book stand still, and the latest comes when it wakes', () => {
    const trouble = new Trouble({
      fault: 'stale-book',
      symbol: 'BTC/USDT',
      venue: 'BINANCE',
      fromMs: 10,
      untilMs: 50,
    }).started();
    trouble.show(0, 5, 6);
    trouble.show(20, 7, 8);
    trouble.show(30, 9, 10);
    trouble.show(30, 1, 2, OKX_BTC);
    trouble.runUntil(100);
    expect(trouble.news()).toEqual(['BINANCE 5/6 1@0', 'OKX 1/2 1@30', 'BINANCE 9/10 1@50']);
  });

  it('are gone from a gap in the sequence to the next snapshot', () => {
    const trouble = new Trouble({ fault: 'sequence-gap', fromMs: 10, untilMs: 50 }).started();
    trouble.show(0, 5, 6);
    trouble.runUntil(10);
    trouble.show(20, 7, 8);
    trouble.runUntil(100);
    expect(trouble.news()).toEqual(['BINANCE 5/6 1@0', 'BINANCE 0/0 0@10', 'BINANCE 7/8 1@50']);
  });

  it('cross', () => {
    const trouble = new Trouble({ fault: 'crossed-book', untilMs: 50 }).started();
    trouble.show(0, 5, 6);
    trouble.runUntil(100);
    expect(trouble.news()).toEqual(['BINANCE 6/5 2@0', 'BINANCE 5/6 1@50']);
  });
});

describe('Rules of a test', () => {
  it('count their times from when they are given, and calm ends all of them', () => {
    const trouble = new Trouble().started();
    trouble.advance(100);
    trouble.venues.inject(parseFaultRule({ fault: 'disconnect', venue: 'OKX', fromMs: 10, untilMs: 1_000 }), at(100));
    trouble.venues.inject(parseFaultRule({ fault: 'unsent' }), at(100));
    trouble.runUntil(110);
    expect(trouble.news()).toEqual(['OKX down@110', 'OKX down to 1@110']);
    trouble.venues.calm(at(200));
    trouble.submit(200, 1);
    trouble.advance(200);
    expect(trouble.news()).toEqual(['OKX up@200', 'OKX up to 1@200', 'Accepted 1@200']);
    expect(trouble.nextMs).toBe(Infinity);
  });
});
