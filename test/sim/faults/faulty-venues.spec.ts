import { describe, expect, it } from 'vitest';
import type { Fill } from '../../../src/domain/event.js';
import type { AccountId, ChildNumber, CorrelationId, OrderId } from '../../../src/domain/ids.js';
import type { Market } from '../../../src/domain/market.js';
import type { EpochMs } from '../../../src/domain/time.js';
import type { ChildRef, VenueRequest } from '../../../src/domain/venue-message.js';
import type { VenueReport } from '../../../src/domain/venue-report.js';
import { FaultyVenues } from '../../../src/sim/faults/faulty-venues.js';
import { parseFaultRule } from '../../../src/sim/faults/fault-script.js';
import type { VenueSink } from '../../../src/venue/port.js';
import {
  acceptedOf,
  BTC,
  CATALOGUE,
  OKX_BTC,
  ScriptedGateway,
  START_MS,
  submitOf,
} from '../../venue/gateway/scripted-gateway.js';
import { targetOf } from '../../venue/child-target.js';

const SHARDS = [0, 1];

type Rule = Parameters<typeof parseFaultRule>[0];

/** Venues with fault rules, and their output with the millisecond of each message. */
class FaultRig {
  gateways: ScriptedGateway[] = [];
  readonly output: string[] = [];
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

  /** Lets the gateway publish `report` and releases all due output. */
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
        this.output.push(`${nameOf(report)}${destination === 0 ? '' : ` to ${destination}`}@${ms}`);
      },
      market: (instrument, { bid, ask, bidQuantity }) =>
        this.output.push(`${CATALOGUE.at(instrument).venue} ${bid}/${ask} ${bidQuantity}@${ms}`),
      trade: ({ price }) => this.output.push(`trade ${price}@${ms}`),
    });
  }

  /** Advances as the worker does, from wake time to wake time. */
  runUntil(ms: number): void {
    for (let next = this.nextMs; next <= ms; next = this.nextMs) this.advance(next);
  }

  get nextMs(): number {
    return this.venues.nextWakeMs() - START_MS;
  }

  /** Consumes the Link reports of the start. */
  started(): this {
    this.advance(0);
    expect(this.takeOutput()).toHaveLength(15 * SHARDS.length);
    this.reports.length = 0;
    return this;
  }

  /** Output since the last call. */
  takeOutput(): string[] {
    return this.output.splice(0);
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

/** Requests that pass when half of 200 submissions are never sent. */
function halfOf200(): readonly string[] {
  const rig = new FaultRig({ fault: 'unsent', probability: 0.5 }).started();
  for (let orderId = 1; orderId <= 200; orderId += 1) rig.submit(0, orderId);
  return rig.gateway.seen;
}

describe('requests to faulty venues', () => {
  it('pass when no rule matches', () => {
    const rig = new FaultRig({ fault: 'reject', code: 'OTHER', venue: 'OKX' }).started();
    rig.submit(0, 1);
    rig.advance(0);
    expect(rig.takeOutput()).toEqual(['Accepted 1@0']);
  });

  it('are refused with code and time to wait before they reach the venue', () => {
    const rig = new FaultRig({ fault: 'rate-limit', retryAfterMs: 500, count: 2 }).started();
    rig.submit(0, 1);
    rig.handle(0, { kind: 'Cancel', ...targetOf(refOf(1)) });
    rig.submit(0, 2);
    rig.advance(0);
    expect(rig.takeOutput()).toEqual([
      'Rejected 1 RATE_LIMIT_EXCEEDED@0',
      'CancelRejected 1 RATE_LIMIT_EXCEEDED@0',
      'Accepted 2@0',
    ]);
    expect(rig.reports[0]).toMatchObject({ rejection: { retryAfterMs: 500 } });
    expect(rig.gateway.seen).toEqual(['Submit 2@0']);
  });

  it('get no answer when a rule drops them', () => {
    const rig = new FaultRig({ fault: 'unsent', after: 1, count: 1 }).started();
    for (const orderId of [1, 2, 3]) rig.submit(0, orderId);
    rig.advance(0);
    expect(rig.takeOutput()).toEqual(['Accepted 1@0', 'Accepted 3@0']);
  });

  it('match a rule by account, symbol, side and time', () => {
    const target = { account: 'bob', symbol: 'BTC/USDT', side: 'BUY', fromMs: 10, untilMs: 20 };
    const rig = new FaultRig({ fault: 'unsent', ...target }).started();
    rig.submit(9, 1, 'bob');
    rig.submit(10, 2, 'alice');
    rig.submit(10, 3, 'bob');
    rig.handle(10, { ...submitOf(4, 'bob'), side: 'SELL' });
    rig.submit(20, 5, 'bob');
    expect(rig.gateway.seen).toEqual(['Submit 1@9', 'Submit 2@10', 'Submit 4@10', 'Submit 5@20']);
  });

  it('are hit by chance, with the same draws for the same seed', () => {
    expect(halfOf200().length).toBeGreaterThan(60);
    expect(halfOf200().length).toBeLessThan(140);
    expect(halfOf200()).toEqual(halfOf200());
  });
});

describe('reports of faulty venues', () => {
  it('are lost when a rule drops them', () => {
    const rig = new FaultRig(
      { fault: 'lost', report: 'fill', count: 1 },
      { fault: 'lost', report: 'acknowledgement' },
    ).started();
    rig.say(0, acceptedOf(1, START_MS), fill(1, 1), fill(1, 2), end(1));
    expect(rig.takeOutput()).toEqual(['Filled 1 2@0', 'Cancelled 1@0']);
  });

  it('arrive late, and others overtake them', () => {
    const rig = new FaultRig({ fault: 'late', byMs: 300, count: 1 }).started();
    rig.say(0, fill(1, 1), fill(1, 2));
    expect(rig.nextMs).toBe(300);
    rig.runUntil(1_000);
    expect(rig.takeOutput()).toEqual(['Filled 1 2@0', 'Filled 1 1@300']);
  });

  it('arrive twice after a duplication', () => {
    const rig = new FaultRig({ fault: 'duplicated', byMs: 50, count: 1 }).started();
    rig.say(0, fill(1, 1), end(1));
    rig.runUntil(100);
    expect(rig.takeOutput()).toEqual(['Filled 1 1@0', 'Cancelled 1@0', 'Filled 1 1@50']);
  });

  it('arrive after the next report on the same order, or after a wait when there is none', () => {
    const rig = new FaultRig({ fault: 'reordered' }).started();
    rig.say(0, fill(1, 1), fill(2, 2), fill(1, 3), end(1));
    expect(rig.takeOutput()).toEqual(['Cancelled 1@0', 'Filled 1 1@0', 'Filled 1 3@0']);
    rig.runUntil(10_000);
    expect(rig.takeOutput()).toEqual(['Filled 2 2@1000']);
  });

  it('are complete when they answer a query, although other reports are lost', () => {
    const rig = new FaultRig({ fault: 'lost', report: 'any' }).started();
    rig.handle(0, { kind: 'QueryStatus', ...targetOf(refOf(1)) });
    const answered: VenueReport = { ...end(1), kind: 'StatusAnswered', answer: { state: 'UNKNOWN' } } as VenueReport;
    rig.say(0, fill(1, 1), fill(2, 2), answered, fill(1, 1));
    expect(rig.takeOutput()).toEqual(['Filled 1 1@0', 'StatusAnswered 1@0']);
  });

  it('match by symbol and side while their order is kept', () => {
    const rig = new FaultRig({ fault: 'lost', symbol: 'BTC/USDT', side: 'BUY' }).started();
    rig.submit(0, 1);
    rig.handle(0, { ...submitOf(2), side: 'SELL' });
    rig.say(0, fill(1, 1), fill(2, 2), fill(3, 3));
    expect(rig.takeOutput()).toEqual(['Accepted 1@0', 'Accepted 2@0', 'Filled 2 2@0', 'Filled 3 3@0']);
  });
});

describe('a disconnect', () => {
  const rule = { fault: 'disconnect', venue: 'BINANCE', fromMs: 10, untilMs: 50 };

  it('reports its start and end to every shard', () => {
    const rig = new FaultRig(rule).started();
    rig.runUntil(100);
    expect(rig.takeOutput()).toEqual([
      'BINANCE down@10',
      'BINANCE down to 1@10',
      'BINANCE up@50',
      'BINANCE up to 1@50',
    ]);
  });

  it('refuses requests, answers no query, and repeats the Link report to a shard that asks', () => {
    const rig = new FaultRig(rule).started();
    rig.runUntil(10);
    rig.takeOutput();
    rig.submit(20, 1);
    rig.handle(20, QUERY_FUNDS, 1);
    rig.handle(20, QUERY_FUNDS, -1);
    rig.submit(20, 2, 'alice', OKX_BTC);
    rig.advance(20);
    expect(rig.takeOutput()).toEqual([
      'BINANCE down@20',
      'Rejected 1 NETWORK_ERROR@20',
      'BINANCE down to 1@20',
      'Accepted 2@20',
    ]);
  });

  it('loses the reports of its time, but delivers account changes afterwards', () => {
    const rig = new FaultRig(rule).started();
    rig.runUntil(10);
    rig.takeOutput();
    const funds = { ...QUERY_FUNDS, kind: 'Funds' } as unknown as VenueReport;
    rig.say(20, fill(1, 1), funds);
    rig.say(49, fill(1, 2));
    expect(rig.takeOutput()).toEqual([]);
    rig.say(50, fill(1, 3));
    expect(rig.takeOutput()).toEqual(['BINANCE up@50', 'BINANCE up to 1@50', 'Funds@50', 'Filled 1 3@50']);
  });

  it('is reported also when one late turn covers it', () => {
    const rig = new FaultRig(rule).started();
    rig.advance(0);
    rig.advance(1_000);
    expect(rig.takeOutput().map((line) => line.split('@')[0])).toEqual([
      'BINANCE down',
      'BINANCE down to 1',
      'BINANCE up',
      'BINANCE up to 1',
    ]);
  });
});

describe('maintenance', () => {
  it('refuses with its remaining time, shows no prices, and delivers its reports at the end', () => {
    const rig = new FaultRig({ fault: 'maintenance', untilMs: 60 }).started();
    rig.submit(20, 1);
    rig.say(20, fill(2, 1));
    rig.show(30, 5, 6);
    expect(rig.takeOutput()).toEqual(['Rejected 1 EXCHANGE_NOT_AVAILABLE@20']);
    expect(rig.reports[0]).toMatchObject({ rejection: { retryAfterMs: 40 } });
    rig.runUntil(100);
    expect(rig.takeOutput()).toEqual(['Filled 2 1@60', 'BINANCE 5/6 1@60']);
  });
});

describe('a ban', () => {
  it('refuses one account for its time, while reports continue', () => {
    const rig = new FaultRig({ fault: 'ban', account: 'alice', untilMs: 60 }).started();
    rig.submit(10, 1);
    rig.submit(10, 2, 'bob');
    rig.handle(10, QUERY_FUNDS);
    rig.say(10, fill(3, 1));
    expect(rig.takeOutput()).toEqual(['Rejected 1 DDOS_PROTECTION@10', 'Accepted 2@10', 'Filled 3 1@10']);
    expect(rig.reports[0]).toMatchObject({ rejection: { retryAfterMs: 50 } });
    rig.submit(60, 4);
    rig.advance(60);
    expect(rig.takeOutput()).toEqual(['Accepted 4@60']);
  });
});

describe('a restart of the venues', () => {
  it('closes and reopens the venues, and reports both for every venue', () => {
    const rig = new FaultRig({ fault: 'restart', fromMs: 10, untilMs: 50 }).started();
    rig.submit(5, 1);
    rig.advance(5);
    rig.runUntil(10);
    expect(rig.gateway.isClosed).toBe(true);
    expect(rig.takeOutput().filter((line) => line.includes('down'))).toHaveLength(15 * SHARDS.length);
    rig.submit(20, 2);
    rig.advance(20);
    expect(rig.takeOutput()).toContain('Rejected 2 EXCHANGE_NOT_AVAILABLE@20');
    rig.runUntil(50);
    expect(rig.gateways).toHaveLength(2);
    expect(rig.takeOutput().filter((line) => line.includes('up'))).toHaveLength(15 * SHARDS.length);
    rig.submit(60, 3);
    expect(rig.gateway.seen).toEqual(['Submit 3@60']);
    rig.venues.close();
    expect(rig.gateway.isClosed).toBe(true);
  });
});

describe('prices of faulty venues', () => {
  it('stay unchanged for a stale book, then jump to the latest', () => {
    const rig = new FaultRig({
      fault: 'stale-book',
      symbol: 'BTC/USDT',
      venue: 'BINANCE',
      fromMs: 10,
      untilMs: 50,
    }).started();
    rig.show(0, 5, 6);
    rig.show(20, 7, 8);
    rig.show(30, 9, 10);
    rig.show(30, 1, 2, OKX_BTC);
    rig.runUntil(100);
    expect(rig.takeOutput()).toEqual(['BINANCE 5/6 1@0', 'OKX 1/2 1@30', 'BINANCE 9/10 1@50']);
  });

  it('are empty from a sequence gap to the next snapshot', () => {
    const rig = new FaultRig({ fault: 'sequence-gap', fromMs: 10, untilMs: 50 }).started();
    rig.show(0, 5, 6);
    rig.runUntil(10);
    rig.show(20, 7, 8);
    rig.runUntil(100);
    expect(rig.takeOutput()).toEqual(['BINANCE 5/6 1@0', 'BINANCE 0/0 0@10', 'BINANCE 7/8 1@50']);
  });

  it('are crossed during a crossed-book fault', () => {
    const rig = new FaultRig({ fault: 'crossed-book', untilMs: 50 }).started();
    rig.show(0, 5, 6);
    rig.runUntil(100);
    expect(rig.takeOutput()).toEqual(['BINANCE 6/5 2@0', 'BINANCE 5/6 1@50']);
  });
});

describe('injected rules', () => {
  it('count their times from the injection, and `endFaults` ends all of them', () => {
    const rig = new FaultRig().started();
    rig.advance(100);
    rig.venues.inject(parseFaultRule({ fault: 'disconnect', venue: 'OKX', fromMs: 10, untilMs: 1_000 }), at(100));
    rig.venues.inject(parseFaultRule({ fault: 'unsent' }), at(100));
    rig.runUntil(110);
    expect(rig.takeOutput()).toEqual(['OKX down@110', 'OKX down to 1@110']);
    rig.venues.endFaults(at(200));
    rig.submit(200, 1);
    rig.advance(200);
    expect(rig.takeOutput()).toEqual(['OKX up@200', 'OKX up to 1@200', 'Accepted 1@200']);
    expect(rig.nextMs).toBe(Infinity);
  });
});
