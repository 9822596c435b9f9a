import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LATENCY_US_MAX, LATENT_MESSAGES_MAX } from '../../../src/model/limits.js';
import type { Market } from '../../../src/model/market.js';
import type { EpochMs } from '../../../src/model/time.js';
import type { VenueReport } from '../../../src/model/venue-message.js';
import { LatentVenues, latencyOf, type LatencyModel, type VenueLatency } from '../../../src/venue/latency/index.js';
import { VENUE_LISTINGS } from '../../../src/venue/listing/index.js';
import { BTC, CATALOGUE, OKX_BTC, ScriptedGateway, START_MS, submitOf } from '../gateway/scripted-gateway.js';

const AT_ONCE: LatencyModel = { kind: 'constant', delayUs: 0 };

function constant(delayUs: number): LatencyModel {
  return { kind: 'constant', delayUs };
}

/** The venues at a distance, and what came out of them with the millisecond it came in. */
class Distance {
  readonly gateway = new ScriptedGateway();
  readonly told: string[] = [];
  readonly venues: LatentVenues;

  constructor(latency: Partial<VenueLatency> | ((venue: string) => Partial<VenueLatency>), seed = 1) {
    const of = typeof latency === 'function' ? latency : () => latency;
    this.venues = new LatentVenues({
      gateway: this.gateway,
      catalogue: CATALOGUE,
      latencyOf: (venue) => ({ feed: AT_ONCE, entry: AT_ONCE, response: AT_ONCE, ...of(venue) }),
      seed,
    });
  }

  submit(atMs: number, orderId: number, account?: string, instrument = BTC): void {
    this.venues.handle(submitOf(orderId, account, instrument), 0, at(atMs));
  }

  advance(ms: number): void {
    this.venues.advance(at(ms), {
      report: (report) => this.told.push(`${nameOf(report)}@${ms}`),
      market: (instrument) => this.told.push(`market ${CATALOGUE.at(instrument).venue}@${ms}`),
      trade: ({ price }) => this.told.push(`trade ${price}@${ms}`),
    });
  }

  /** Lets the worker run as it does: it wakes when it is told to. */
  runUntil(ms: number): void {
    for (let next = this.nextMs; next <= ms; next = this.nextMs) this.advance(next);
  }

  get nextMs(): number {
    return this.venues.nextWakeMs() - START_MS;
  }
}

function at(ms: number): EpochMs {
  return (START_MS + ms) as EpochMs;
}

function nameOf(report: VenueReport): string {
  return 'orderId' in report ? `${report.kind} ${report.orderId}` : report.kind;
}

describe('Way in and way back', () => {
  it('a request reaches the venue after its entry latency, and its report us after its response latency', () => {
    const distance = new Distance({ entry: constant(3_000), response: constant(5_400) });
    distance.submit(0, 1);
    expect(distance.nextMs).toBe(3);
    distance.runUntil(100);
    expect(distance.gateway.seen).toEqual(['Submit 1@3']);
    expect(distance.told).toEqual(['Accepted 1@8']);
    expect(distance.nextMs).toBe(Infinity);
  });

  it('less than a millisecond costs no time and keeps the order', () => {
    const distance = new Distance({ entry: { kind: 'recorded', samplesUs: [900, 100] }, response: constant(99) });
    distance.submit(0, 1);
    distance.submit(0, 2);
    distance.advance(0);
    expect(distance.told).toEqual(['Accepted 1@0', 'Accepted 2@0']);
  });

  it('a late turn happens as if it had come in time', () => {
    const distance = new Distance({ entry: constant(3_000), response: constant(4_000) });
    distance.submit(0, 1);
    distance.submit(0, 2, 'bob');
    distance.gateway.wakeAtMs = at(10);
    distance.advance(50);
    expect(distance.gateway.seen).toEqual(['Submit 1@3', 'Submit 2@3']);
    expect(distance.gateway.advancedAtMs).toEqual([3, 10, 50]);
    expect(distance.told).toEqual(['Accepted 1@50', 'Accepted 2@50']);
  });

  it('a question about an order travels behind it', () => {
    const distance = new Distance({ entry: { kind: 'recorded', samplesUs: [9_000, 1_000] } });
    distance.submit(0, 1);
    const { account, venue, orderId, child } = submitOf(1);
    distance.venues.handle({ kind: 'Query', account, venue, orderId, child }, 2, at(1));
    distance.runUntil(100);
    expect(distance.gateway.seen).toEqual(['Submit 1@9', 'Query 1@9']);
  });

  it('no connection waits for another: accounts and venues overtake each other', () => {
    const distance = new Distance((venue) => ({ entry: constant(venue === 'OKX' ? 1_000 : 9_000) }));
    distance.submit(0, 1);
    distance.submit(0, 2, 'alice', OKX_BTC);
    distance.submit(2, 3, 'bob');
    distance.runUntil(100);
    expect(distance.gateway.seen).toEqual(['Submit 2@1', 'Submit 1@9', 'Submit 3@11']);
  });

  it('a gateway that asks for a wake in the past does not hold the turn', () => {
    const distance = new Distance({});
    distance.gateway.nextWakeMs = () => START_MS;
    distance.advance(20);
    expect(distance.gateway.advancedAtMs).toEqual([0, 20]);
  });

  it('is closed with what is behind it', () => {
    const distance = new Distance({});
    distance.venues.close();
    expect(distance.gateway.isClosed).toBe(true);
  });
});

describe('Feed', () => {
  it('prices and trades of one venue come in their order after its feed latency', () => {
    const distance = new Distance((venue) => ({ feed: constant(venue === 'OKX' ? 2_000 : 7_000) }));
    const price = 5 as Market['last'];
    const quantity = 1 as Market['volume'];
    distance.gateway.sayings.push((sink, atMs) => {
      const market = { bid: 0, ask: 0, bidQuantity: 0, askQuantity: 0, last: 0, volume: 0, volatility: 0, atMs };
      sink.market(BTC.index, market as Market);
      sink.trade({ instrument: BTC.index, price, quantity, takerSide: 'BUY', atMs });
      sink.market(OKX_BTC.index, market as Market);
    });
    distance.advance(0);
    distance.runUntil(100);
    expect(distance.told).toEqual(['market OKX@2', 'market BINANCE@7', 'trade 5@7']);
  });
});

describe('Models', () => {
  it('a recorded one replays its samples round and round', () => {
    const distance = new Distance({ entry: { kind: 'recorded', samplesUs: [1_000, 2_000] } });
    for (const ms of [0, 10, 20]) distance.submit(ms, ms + 1);
    distance.runUntil(100);
    expect(distance.gateway.seen).toEqual(['Submit 1@1', 'Submit 11@12', 'Submit 21@21']);
  });

  it('a lognormal one has its median, and a tail that is cut', () => {
    const { entry } = latencyOf(VENUE_LISTINGS.BINANCE.latency);
    if (entry.kind !== 'lognormal') throw new Error('a listed exchange has a lognormal latency');
    const delays = arrivalsOf({ ...entry, medianUs: 20_000 }, 2_001).sort((one, other) => one - other);
    const median = delays[1_000] as number;
    expect(Math.abs(Math.log(median / 20))).toBeLessThan(0.1);
    expect(Math.max(...arrivalsOf({ kind: 'lognormal', medianUs: 20_000, sigma: 9 }, 500))).toBe(
      LATENCY_US_MAX / 1_000,
    );
  });

  it('every venue lists one', () => {
    for (const { latency } of Object.values(VENUE_LISTINGS)) {
      for (const model of Object.values(latencyOf(latency))) expect(model).toMatchObject({ kind: 'lognormal' });
    }
  });
});

/** Milliseconds that single requests, far apart, take to the venue. */
function arrivalsOf(entry: LatencyModel, count: number): number[] {
  const distance = new Distance({ entry });
  const apartMs = 20_000;
  for (let index = 0; index < count; index += 1) {
    distance.submit(index * apartMs, index + 1);
    distance.runUntil((index + 1) * apartMs - 1);
  }
  return distance.gateway.seen.map((line, index) => Number(line.split('@')[1]) - index * apartMs);
}

const SLOW: LatencyModel = { kind: 'lognormal', medianUs: 12_000, sigma: 1 };

/** A submission each so much later than the one before; orders are numbered from 1. */
function run(steps: readonly { afterMs: number; account: string; instrument: typeof BTC }[], seed: number) {
  const distance = new Distance({ entry: SLOW, response: SLOW }, seed);
  let ms = 0;
  const lanes = new Map<string, string[]>();
  steps.forEach(({ afterMs, account, instrument }, index) => {
    ms += afterMs;
    distance.runUntil(ms);
    distance.submit(ms, index + 1, account, instrument);
    const lane = `${account}/${instrument.venue}`;
    lanes.set(lane, [...(lanes.get(lane) ?? []), `Submit ${index + 1}`]);
  });
  distance.runUntil(ms + 60_000);
  return { distance, lanes };
}

describe('Under random traffic', () => {
  const step = fc.record({
    afterMs: fc.integer({ min: 0, max: 30 }),
    account: fc.constantFrom('alice', 'bob'),
    instrument: fc.constantFrom(BTC, OKX_BTC),
  });

  it('every connection keeps its order, nothing is lost, and the same seed gives the same run', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: 0, max: 1_000 }), (steps, seed) => {
        const { distance, lanes } = run(steps, seed);
        const seen = distance.gateway.seen.map((line) => line.split('@')[0] as string);
        for (const lane of lanes.values()) expect(seen.filter((line) => lane.includes(line))).toEqual(lane);
        expect(distance.told).toHaveLength(steps.length);
        expect(run(steps, seed).distance.told).toEqual(distance.told);
      }),
      { numRuns: 60 },
    );
  });
});

describe('Bounds', () => {
  it('of too many messages under way the earliest arrive before their time', () => {
    const distance = new Distance({ entry: constant(5_000_000) });
    for (let orderId = 1; orderId <= LATENT_MESSAGES_MAX + 2; orderId += 1) distance.submit(0, orderId);
    distance.advance(1);
    expect(distance.gateway.seen).toEqual(['Submit 1@1', 'Submit 2@1']);
  });
});
