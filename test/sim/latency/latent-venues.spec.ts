import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LATENCY_US_MAX, LATENT_MESSAGES_MAX } from '../../../src/domain/limits/trading.js';
import type { Market } from '../../../src/domain/market.js';
import type { EpochMs } from '../../../src/domain/time.js';
import type { VenueReport } from '../../../src/domain/venue-report.js';
import { type LatencyModel, latencyOf, type VenueLatency } from '../../../src/sim/latency/latency-model.js';
import { LatentVenues } from '../../../src/sim/latency/latent-venues.js';
import { VENUE_LISTINGS } from '../../../src/venue/listing/exchanges.js';
import { BTC, CATALOGUE, OKX_BTC, ScriptedGateway, START_MS, submitOf } from '../../venue/gateway/scripted-gateway.js';
import { targetOf } from '../../venue/child-target.js';

const AT_ONCE: LatencyModel = { kind: 'constant', delayUs: 0 };

function constant(delayUs: number): LatencyModel {
  return { kind: 'constant', delayUs };
}

/** Venues with latency, and their output with the millisecond of each message. */
class LatencyRig {
  readonly gateway = new ScriptedGateway();
  readonly output: string[] = [];
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
      report: (report) => this.output.push(`${nameOf(report)}@${ms}`),
      market: (instrument) => this.output.push(`market ${CATALOGUE.at(instrument).venue}@${ms}`),
      trade: ({ price }) => this.output.push(`trade ${price}@${ms}`),
    });
  }

  /** Advances as the worker does, at each wake time. */
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

describe('entry and response latency', () => {
  it('delay a request on its way in and its report on its way back', () => {
    const rig = new LatencyRig({ entry: constant(3_000), response: constant(5_400) });
    rig.submit(0, 1);
    expect(rig.nextMs).toBe(3);
    rig.runUntil(100);
    expect(rig.gateway.seen).toEqual(['Submit 1@3']);
    expect(rig.output).toEqual(['Accepted 1@8']);
    expect(rig.nextMs).toBe(Infinity);
  });

  it('below a millisecond cost no time and keep the order', () => {
    const rig = new LatencyRig({ entry: { kind: 'recorded', samplesUs: [900, 100] }, response: constant(99) });
    rig.submit(0, 1);
    rig.submit(0, 2);
    rig.advance(0);
    expect(rig.output).toEqual(['Accepted 1@0', 'Accepted 2@0']);
  });

  it('give the same result in a late turn as in time', () => {
    const rig = new LatencyRig({ entry: constant(3_000), response: constant(4_000) });
    rig.submit(0, 1);
    rig.submit(0, 2, 'bob');
    rig.gateway.wakeAtMs = at(10);
    rig.advance(50);
    expect(rig.gateway.seen).toEqual(['Submit 1@3', 'Submit 2@3']);
    expect(rig.gateway.advancedAtMs).toEqual([3, 10, 50]);
    expect(rig.output).toEqual(['Accepted 1@50', 'Accepted 2@50']);
  });

  it('keep a status request after its order', () => {
    const rig = new LatencyRig({ entry: { kind: 'recorded', samplesUs: [9_000, 1_000] } });
    rig.submit(0, 1);
    rig.venues.handle({ kind: 'QueryStatus', ...targetOf(submitOf(1)) }, 2, at(1));
    rig.runUntil(100);
    expect(rig.gateway.seen).toEqual(['Submit 1@9', 'QueryStatus 1@9']);
  });

  it('are separate for each account and venue', () => {
    const rig = new LatencyRig((venue) => ({ entry: constant(venue === 'OKX' ? 1_000 : 9_000) }));
    rig.submit(0, 1);
    rig.submit(0, 2, 'alice', OKX_BTC);
    rig.submit(2, 3, 'bob');
    rig.runUntil(100);
    expect(rig.gateway.seen).toEqual(['Submit 2@1', 'Submit 1@9', 'Submit 3@11']);
  });

  it('do not block the turn when the gateway asks for a wake time in the past', () => {
    const rig = new LatencyRig({});
    rig.gateway.nextWakeMs = () => START_MS;
    rig.advance(20);
    expect(rig.gateway.advancedAtMs).toEqual([0, 20]);
  });

  it('close the wrapped gateway', () => {
    const rig = new LatencyRig({});
    rig.venues.close();
    expect(rig.gateway.isClosed).toBe(true);
  });
});

describe('feed latency', () => {
  it('delays prices and trades of one venue in order', () => {
    const rig = new LatencyRig((venue) => ({ feed: constant(venue === 'OKX' ? 2_000 : 7_000) }));
    const price = 5 as Market['last'];
    const quantity = 1 as Market['volume'];
    rig.gateway.sayings.push((sink, atMs) => {
      const market = { bid: 0, ask: 0, bidQuantity: 0, askQuantity: 0, last: 0, volume: 0, volatility: 0, atMs };
      sink.market(BTC.index, market as Market);
      sink.trade({ instrument: BTC.index, price, quantity, takerSide: 'BUY', atMs });
      sink.market(OKX_BTC.index, market as Market);
    });
    rig.advance(0);
    rig.runUntil(100);
    expect(rig.output).toEqual(['market OKX@2', 'market BINANCE@7', 'trade 5@7']);
  });
});

describe('latency models', () => {
  it('a recorded model repeats its samples', () => {
    const rig = new LatencyRig({ entry: { kind: 'recorded', samplesUs: [1_000, 2_000] } });
    for (const ms of [0, 10, 20]) rig.submit(ms, ms + 1);
    rig.runUntil(100);
    expect(rig.gateway.seen).toEqual(['Submit 1@1', 'Submit 11@12', 'Submit 21@21']);
  });

  it('a lognormal model has its median and a bounded tail', () => {
    const { entry } = latencyOf(VENUE_LISTINGS.BINANCE.latency);
    if (entry.kind !== 'lognormal') throw new Error('a listed exchange has a lognormal latency');
    const delays = arrivalsOf({ ...entry, medianUs: 20_000 }, 2_001).sort((one, other) => one - other);
    const median = delays[1_000] as number;
    expect(Math.abs(Math.log(median / 20))).toBeLessThan(0.1);
    expect(Math.max(...arrivalsOf({ kind: 'lognormal', medianUs: 20_000, sigma: 9 }, 500))).toBe(
      LATENCY_US_MAX / 1_000,
    );
  });

  it('every venue lists a model', () => {
    for (const { latency } of Object.values(VENUE_LISTINGS)) {
      for (const model of Object.values(latencyOf(latency))) expect(model).toMatchObject({ kind: 'lognormal' });
    }
  });
});

/** Delays in milliseconds of single, widely spaced requests. */
function arrivalsOf(entry: LatencyModel, count: number): number[] {
  const rig = new LatencyRig({ entry });
  const apartMs = 20_000;
  for (let index = 0; index < count; index += 1) {
    rig.submit(index * apartMs, index + 1);
    rig.runUntil((index + 1) * apartMs - 1);
  }
  return rig.gateway.seen.map((line, index) => Number(line.split('@')[1]) - index * apartMs);
}

const SLOW: LatencyModel = { kind: 'lognormal', medianUs: 12_000, sigma: 1 };

/** Sends submissions with the given gaps; orders are numbered from 1. */
function run(steps: readonly { afterMs: number; account: string; instrument: typeof BTC }[], seed: number) {
  const rig = new LatencyRig({ entry: SLOW, response: SLOW }, seed);
  let ms = 0;
  const queues = new Map<string, string[]>();
  steps.forEach(({ afterMs, account, instrument }, index) => {
    ms += afterMs;
    rig.runUntil(ms);
    rig.submit(ms, index + 1, account, instrument);
    const queue = `${account}/${instrument.venue}`;
    queues.set(queue, [...(queues.get(queue) ?? []), `Submit ${index + 1}`]);
  });
  rig.runUntil(ms + 60_000);
  return { rig, queues };
}

describe('random traffic', () => {
  const step = fc.record({
    afterMs: fc.integer({ min: 0, max: 30 }),
    account: fc.constantFrom('alice', 'bob'),
    instrument: fc.constantFrom(BTC, OKX_BTC),
  });

  it('every connection keeps its order, every message arrives, and the same seed gives the same run', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: 0, max: 1_000 }), (steps, seed) => {
        const { rig, queues } = run(steps, seed);
        const seen = rig.gateway.seen.map((line) => line.split('@')[0] as string);
        for (const queue of queues.values()) expect(seen.filter((line) => queue.includes(line))).toEqual(queue);
        expect(rig.output).toHaveLength(steps.length);
        expect(run(steps, seed).rig.output).toEqual(rig.output);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a full connection', () => {
  it('delivers the earliest messages before their time', () => {
    const rig = new LatencyRig({ entry: constant(5_000_000) });
    for (let orderId = 1; orderId <= LATENT_MESSAGES_MAX + 2; orderId += 1) rig.submit(0, orderId);
    rig.advance(1);
    expect(rig.gateway.seen).toEqual(['Submit 1@1', 'Submit 2@1']);
  });
});
