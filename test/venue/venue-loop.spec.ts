import { describe, expect, it } from 'vitest';
import { BEAT_MS_MAX } from '../../src/domain/limits/process.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { VenueReport } from '../../src/domain/venue-report.js';
import { MAIN_THREAD, VenueLoop } from '../../src/venue/venue-loop.js';
import { BellRinger, BlockingBell, createBell } from '../../src/wire/bell.js';
import { readVenueReport } from '../../src/wire/codec/venue-report.js';
import { encodeVenueRequest } from '../../src/wire/codec/venue-request.js';
import { createRing, RingConsumer, RingProducer } from '../../src/wire/ring.js';
import { acceptedOf, BTC, ScriptedGateway, START_MS, submitOf } from './gateway/scripted-gateway.js';
import { marketOf } from '../marketdata/market-of.js';

const RING_BYTES = 2 ** 10;
const REQUESTS_PER_TURN_MAX = 512;
/** More reports than the ring has room for. */
const REPORTS_OVER_RING = 40;

/** The rings and the bell of one thread that sends requests. */
class Caller {
  readonly rings: { readonly requests: SharedArrayBuffer; readonly reports: SharedArrayBuffer };
  readonly bell: BellRinger;
  readonly #waiting: BlockingBell;
  readonly #requests: RingProducer;
  readonly #reports: RingConsumer;

  constructor(requestBytes = RING_BYTES) {
    this.rings = { requests: createRing(requestBytes), reports: createRing(RING_BYTES) };
    const memory = createBell();
    this.bell = new BellRinger(memory);
    this.#waiting = new BlockingBell(memory);
    this.#requests = new RingProducer(this.rings.requests);
    this.#reports = new RingConsumer(this.rings.reports);
  }

  submit(orderId: number): void {
    expect(this.#requests.tryWrite(encodeVenueRequest(submitOf(orderId)))).toBe('written');
  }

  /** Order ids of the reports in the ring. */
  taken(): number[] {
    const reports: (VenueReport | null)[] = [];
    this.#reports.drain(1_000, (bytes) => reports.push(readVenueReport(bytes, () => undefined)));
    return reports.map((report) => (report !== null && 'orderId' in report ? report.orderId : 0));
  }

  isRung(): boolean {
    return this.#waiting.wait(0) === 'rung';
  }
}

function rig({ requestBytes = RING_BYTES } = {}) {
  const gateway = new ScriptedGateway();
  const shards = [new Caller(requestBytes), new Caller()] as const;
  const main = new Caller();
  const published: string[] = [];
  let nowMs: number = START_MS;
  const loop = new VenueLoop({
    gateway,
    clock: { nowMs: () => nowMs as EpochMs, realMsUntil: (instantMs) => Math.max(0, instantMs - nowMs) },
    shards,
    main,
    onMarket: (instrument) => void published.push(`market ${instrument}`),
    feeds: { flush: () => void published.push('feeds') },
  });
  const pass = (ms: number): void => void (nowMs += ms);
  return { loop, gateway, shards, main, published, pass };
}

/** Sends reports to a shard until its ring is full. Returns the number of reports. */
function fill({ loop, gateway }: ReturnType<typeof rig>, shard: number): number {
  gateway.sayings.push((sink, atMs) => {
    for (let orderId = 1; orderId <= REPORTS_OVER_RING; orderId += 1) sink.report(acceptedOf(orderId, atMs), shard);
  });
  loop.turn();
  return REPORTS_OVER_RING;
}

describe('a turn of a venue loop', () => {
  it('takes the requests of shards and main thread and reports to the thread that asked', () => {
    const { loop, gateway, shards, main } = rig();
    shards[0].submit(1);
    shards[1].submit(2);
    main.submit(3);
    expect(loop.turn()).toBe(true);
    expect(gateway.seen).toEqual(['Submit 1@0', 'Submit 2@0', 'Submit 3@0']);
    expect([...shards, main].map((caller) => caller.taken())).toEqual([[1], [2], [3]]);
    expect([...shards, main].map((caller) => caller.isRung())).toEqual([true, true, true]);
  });

  it('asks for another turn only while it took requests, and rings no thread without a report', () => {
    const { loop, shards } = rig();
    shards[0].submit(1);
    expect([loop.turn(), loop.turn()]).toEqual([true, false]);
    expect(shards[1].isRung()).toBe(false);
  });

  it('publishes markets, then feeds', () => {
    const { loop, gateway, published } = rig();
    gateway.sayings.push((sink) => sink.market(BTC.index, marketOf(1)));
    loop.turn();
    expect(published).toEqual([`market ${BTC.index}`, 'feeds']);
  });

  it('takes a bounded number of requests from one ring, and the other rings in the same turn', () => {
    const { loop, gateway, shards } = rig({ requestBytes: 2 ** 17 });
    for (let orderId = 1; orderId <= REQUESTS_PER_TURN_MAX + 1; orderId += 1) shards[0].submit(orderId);
    shards[1].submit(9_999);
    loop.turn();
    expect(gateway.requests).toHaveLength(REQUESTS_PER_TURN_MAX + 1);
    expect(gateway.seen.at(-1)).toBe('Submit 9999@0');
  });

  it('takes no requests of a thread whose reports have no room, and loses none of them', () => {
    const all = rig();
    const { loop, gateway, shards } = all;
    const count = fill(all, 0);
    shards[0].submit(100);
    shards[1].submit(101);
    expect(loop.turn()).toBe(true);
    expect(gateway.seen).toEqual(['Submit 101@0']);
    const reported: number[] = [];
    for (let turns = 0; turns < count && reported.length < count + 1; turns += 1) {
      reported.push(...shards[0].taken());
      loop.turn();
    }
    expect(reported).toEqual([...Array.from({ length: count }, (_, index) => index + 1), 100]);
  });

  it('drops a report to a destination that it does not know', () => {
    const { loop, gateway } = rig();
    gateway.sayings.push((sink, atMs) => sink.report(acceptedOf(1, atMs), MAIN_THREAD - 1));
    expect(loop.turn()).toBe(false);
  });
});

describe('the wait between two turns of a venue loop', () => {
  it('lasts until the gateway is due, at most until a heartbeat', () => {
    const { loop, gateway, pass } = rig();
    expect(loop.waitMs()).toBe(BEAT_MS_MAX);
    gateway.wakeAtMs = START_MS + 100;
    expect(loop.waitMs()).toBe(100);
    pass(130);
    expect(loop.waitMs()).toBe(0);
  });

  it('ends at a whole millisecond, because a turn before it would find nothing due', () => {
    const { loop, gateway } = rig();
    gateway.wakeAtMs = START_MS + 2.5;
    expect(loop.waitMs()).toBe(3);
  });

  it('is 1 ms while a report ring is full, because a full ring does not ring', () => {
    const all = rig();
    fill(all, 1);
    expect(all.loop.waitMs()).toBe(1);
    while (all.shards[1].taken().length > 0) all.loop.turn();
    expect(all.loop.waitMs()).toBe(BEAT_MS_MAX);
  });
});
