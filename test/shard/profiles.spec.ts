import { describe, expect, it } from 'vitest';
import { PROFILE_SILENCE_MS_MAX, PROFILE_WAIT_MS } from '../../src/domain/limits/trading.js';
import type { ParentOrder } from '../../src/domain/order.js';
import type { Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { FakeHistory, type CandleQuery } from './fake-history.js';
import { BTC, ETH, orderOf, START_MS } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';
import { WatchingStrategy } from './watching-strategy.js';

const DAY_MS = 86_400_000;
const BIN_MS = 300_000;
const MIDNIGHT_MS = Math.floor(START_MS / DAY_MS) * DAY_MS;
const LONG_AGO = new FakeHistory(0);
/** 144 bins of 50 lots and 144 bins of 5 lots. */
const DAILY_VOLUME = 7_920;

function rigOf(strategy = new WatchingStrategy({ profile: true })) {
  return { strategy, rig: new ShardRig({ shard: 0, shardCount: 1, strategyFor: () => strategy }) };
}

/** Creates an order that only lacks its profile. */
function begin(rig: ShardRig, order: ParentOrder): void {
  rig.create(order);
  rig.fund();
  rig.turn();
}

function candleRequests(rig: ShardRig): CandleQuery[] {
  return rig.venue.requests.filter((one): one is CandleQuery => one.kind === 'QueryCandles');
}

/** Answers the latest candle request. */
function answerLast(rig: ShardRig, history = LONG_AGO): void {
  const request = candleRequests(rig).at(-1);
  if (request !== undefined) rig.inbox.reports.push(history.answer(request));
  while (rig.turn());
}

function answerAll(rig: ShardRig, history = LONG_AGO): void {
  for (let answered = 0; answered < candleRequests(rig).length;) {
    answered = candleRequests(rig).length;
    answerLast(rig, history);
  }
}

/** Lets time pass in steps of a second, with a fresh market. */
function pass(rig: ShardRig, ms: number): void {
  for (const untilMs = rig.nowMs + ms; rig.nowMs < untilMs;) {
    rig.nowMs = Math.min(rig.nowMs + 1_000, untilMs) as EpochMs;
    rig.quote({});
    rig.turn();
  }
}

function notes(rig: ShardRig): string[] {
  return rig.journal.entries.flatMap(({ envelope: { event } }) =>
    event.kind === 'StrategyNoted' ? `${event.reason.code}: ${event.reason.detail}` : [],
  );
}

describe('An order that needs a volume profile', () => {
  it('starts with the profile, which is learnt from twenty complete days, one page at a time', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    expect(candleRequests(rig)).toMatchObject([
      {
        correlationId: MIDNIGHT_MS - 20 * DAY_MS,
        account: 'alice',
        venue: 'BINANCE',
        instrument: BTC.index,
        interval: 'FIVE_MINUTE',
        fromMs: MIDNIGHT_MS - 20 * DAY_MS,
        toMs: MIDNIGHT_MS - 1,
        limit: 1_000,
      },
    ]);
    answerAll(rig);
    const pages = candleRequests(rig).slice(0, -1);
    expect(pages.map(({ fromMs }) => (fromMs - MIDNIGHT_MS + 20 * DAY_MS) / BIN_MS)).toEqual([
      0, 1_000, 2_000, 3_000, 4_000, 5_000,
    ]);
    const binMs = Math.floor(START_MS / BIN_MS) * BIN_MS;
    expect(candleRequests(rig).at(-1)).toMatchObject({ fromMs: binMs - 48 * BIN_MS, toMs: binMs - 1, limit: 48 });
    expect(strategy.begun).toMatchObject([{ orderId: 1, atMs: START_MS, profile: { dailyVolume: DAILY_VOLUME } }]);
    expect(strategy.looks[0]?.profile).toBe(strategy.begun[0]?.profile);
    expect(notes(rig)).toEqual([]);
  });

  it('starts without a profile when the venue is silent, notes it once, and uses the profile later', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    pass(rig, PROFILE_WAIT_MS - 1);
    expect([strategy.begun.length, rig.state(1)?.startedAtMs]).toEqual([0, null]);
    pass(rig, 1);
    expect(strategy.begun).toMatchObject([{ atMs: START_MS + PROFILE_WAIT_MS, profile: null }]);
    pass(rig, 10_000);
    expect(notes(rig)).toEqual([
      'VOLUME_UNKNOWN: the volumes of BTC/USDT did not arrive within 2000 ms: the volume profile is flat for now',
    ]);
    expect(candleRequests(rig)).toHaveLength(1);
    answerAll(rig);
    pass(rig, 1_000);
    expect(strategy.looks.at(-1)?.profile?.dailyVolume).toBe(DAILY_VOLUME);
  });

  it('learns in bounded steps while other orders continue', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    for (let page = 0; page < 6; page += 1) {
      const request = candleRequests(rig).at(-1);
      if (request !== undefined) rig.inbox.reports.push(LONG_AGO.answer(request));
      if (page < 5) expect(rig.turn()).toBe(false);
    }
    // The market continues during the computation, and the time for the venue's answer passes.
    let turns = 0;
    while (rig.turn(PROFILE_WAIT_MS / 4)) {
      turns += 1;
      rig.quote({});
    }
    expect(turns).toBeGreaterThan(20);
    expect(strategy.begun).toEqual([]);
    answerAll(rig);
    expect(strategy.begun).toMatchObject([{ orderId: 1, profile: { dailyVolume: DAILY_VOLUME } }]);
  });

  it('repeats an unanswered request, but not before the timeout of a slow venue', () => {
    const { rig } = rigOf();
    begin(rig, orderOf(1));
    answerLast(rig);
    pass(rig, PROFILE_SILENCE_MS_MAX - 1_000);
    expect(candleRequests(rig)).toHaveLength(2);
    pass(rig, 2_000);
    const [, second, third] = candleRequests(rig);
    expect(third).toEqual(second);
    expect(candleRequests(rig)).toHaveLength(3);
  });

  it('starts without a profile on less than a day of history, and requests no more that day', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    answerAll(rig, new FakeHistory(MIDNIGHT_MS - DAY_MS + 1));
    expect(strategy.begun).toMatchObject([{ atMs: START_MS, profile: null }]);
    expect(notes(rig)).toEqual(['VOLUME_UNKNOWN: no full day of BTC/USDT is known: the volume profile is flat']);
    const asked = candleRequests(rig).length;
    begin(rig, orderOf(2));
    pass(rig, PROFILE_SILENCE_MS_MAX);
    expect(candleRequests(rig)).toHaveLength(asked);
  });

  it('learns from a single full day', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    answerAll(rig, new FakeHistory(MIDNIGHT_MS - DAY_MS));
    expect(strategy.begun[0]?.profile?.dailyVolume).toBe(DAILY_VOLUME);
  });

  it('requests candles only when it may trade, and keeps its trigger state while it waits', () => {
    const { rig, strategy } = rigOf();
    const trigger = { price: 6_500_000 as Ticks, condition: 'ABOVE' } as const;
    begin(rig, orderOf(1, { startAtMs: (START_MS + 5_000) as EpochMs, trigger }));
    pass(rig, 6_000);
    expect(candleRequests(rig)).toEqual([]);
    rig.quote({ last: 6_500_000 });
    rig.turn();
    expect(candleRequests(rig)).toHaveLength(1);
    rig.quote({ last: 6_400_000 });
    answerAll(rig);
    expect(strategy.begun).toHaveLength(1);
  });

  it('is removed when it is cancelled during the wait', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    rig.cancel(1);
    rig.turn();
    expect(rig.state(1)?.status).toBe('CANCELLED');
    answerAll(rig);
    expect(strategy.begun).toEqual([]);
  });

  it('expires at its end time during the wait', () => {
    const { rig } = rigOf();
    begin(rig, orderOf(1, { endAtMs: (START_MS + 500) as EpochMs }));
    pass(rig, 500);
    expect(rig.state(1)?.status).toBe('EXPIRED');
  });
});

describe('A volume profile', () => {
  it('is shared by the orders of one instrument', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    begin(rig, orderOf(2));
    expect(candleRequests(rig)).toHaveLength(1);
    answerAll(rig);
    begin(rig, orderOf(3));
    expect(candleRequests(rig)).toHaveLength(7);
    const [first, second, third] = strategy.begun;
    expect([second?.profile, third?.profile]).toEqual([first?.profile, first?.profile]);
    expect(second?.profile).toBe(first?.profile);
    rig.quote({}, ETH);
    begin(rig, orderOf(4, { instrument: ETH.index, symbol: ETH.symbol }));
    expect(candleRequests(rig).at(-1)?.instrument).toBe(ETH.index);
  });

  it('is used until the next day ends, and is then learnt again', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    answerAll(rig);
    rig.nowMs = (MIDNIGHT_MS + DAY_MS - 1_000) as EpochMs;
    pass(rig, 900);
    expect(candleRequests(rig)).toHaveLength(7);
    pass(rig, 2_000);
    expect(candleRequests(rig)).toHaveLength(8);
    expect(candleRequests(rig).at(-1)?.toMs).toBe(MIDNIGHT_MS + DAY_MS - 1);
    expect(strategy.looks.at(-1)?.profile).toBe(strategy.looks[0]?.profile);
    answerAll(rig);
    pass(rig, 1_000);
    expect(strategy.looks.at(-1)?.profile).not.toBe(strategy.looks[0]?.profile);
  });

  it('is requested again after a restart, and working orders wait for it', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    answerAll(rig);
    strategy.looks.length = 0;
    rig.restart();
    pass(rig, 1_000);
    expect([candleRequests(rig).length, strategy.looks.length]).toEqual([1, 0]);
    answerAll(rig);
    expect(strategy.looks).toMatchObject([{ profile: { dailyVolume: DAILY_VOLUME } }]);
    expect(strategy.begun).toHaveLength(1);
  });

  it('is requested again from the current page after the venue was lost', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    answerLast(rig);
    rig.link('BINANCE', false);
    pass(rig, 1_000);
    rig.link('BINANCE', true);
    pass(rig, 1_000);
    const [, second, third] = candleRequests(rig);
    expect(third).toEqual(second);
    expect(strategy.begun).toEqual([]);
    answerAll(rig);
    expect(strategy.begun).toHaveLength(1);
  });

  it("ignores a repeated answer, and uses an answer to an earlier shard's request", () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    const [request] = candleRequests(rig);
    if (request === undefined) throw new Error('the venue was asked');
    rig.restart();
    for (const _ of [1, 2]) rig.inbox.reports.push(LONG_AGO.answer(request));
    rig.turn();
    answerAll(rig);
    rig.inbox.reports.push(LONG_AGO.answer(request));
    rig.turn();
    expect(strategy.begun).toMatchObject([{ profile: { dailyVolume: DAILY_VOLUME } }]);
  });
});

describe('The pace of the last hours', () => {
  it('is requested when an order begins, once for all orders within five minutes', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    answerAll(rig);
    begin(rig, orderOf(2));
    expect(candleRequests(rig)).toHaveLength(7);
    pass(rig, BIN_MS);
    expect(candleRequests(rig)).toHaveLength(7);
    begin(rig, orderOf(3));
    expect(candleRequests(rig)).toHaveLength(8);
    expect(strategy.begun).toHaveLength(2);
    answerLast(rig);
    expect(strategy.begun).toHaveLength(3);
    const [first] = strategy.begun;
    // The share of these four hours in a profile of twenty days, which is drawn towards the flat day (adr/0018).
    const share = (20 * (2_400 / DAILY_VOLUME) + 4 * (4 / 24)) / 24;
    expect(first?.profile?.recentDailyVolume).toBeCloseTo(2_400 / share, -3);
  });

  it('delays an order no longer than the profile does', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    answerAll(rig);
    pass(rig, BIN_MS);
    begin(rig, orderOf(2));
    pass(rig, PROFILE_WAIT_MS - 1);
    expect(strategy.begun).toHaveLength(1);
    pass(rig, 1);
    expect(strategy.begun).toMatchObject([{}, { orderId: 2, profile: { dailyVolume: DAILY_VOLUME } }]);
    expect(notes(rig)).toEqual([]);
  });
});

it('starts an order without a need for a profile at once and requests no candles', () => {
  const { rig, strategy } = rigOf(new WatchingStrategy({ depth: true }));
  begin(rig, orderOf(1));
  pass(rig, 3_000);
  expect(candleRequests(rig)).toEqual([]);
  expect(strategy.begun).toMatchObject([{ atMs: START_MS, profile: null }]);
});
