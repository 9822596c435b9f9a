import { describe, expect, it } from 'vitest';
import { PROFILE_SILENCE_MS_MAX, PROFILE_WAIT_MS } from '../../src/model/limits.js';
import type { ParentOrder } from '../../src/model/order.js';
import type { Ticks } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import { FakeHistory, type CandleQuery } from './fake-history.js';
import { BTC, ETH, orderOf, START_MS } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';
import { WatchingStrategy } from './watching-strategy.js';

const DAY_MS = 86_400_000;
const BIN_MS = 300_000;
const MIDNIGHT_MS = Math.floor(START_MS / DAY_MS) * DAY_MS;
const LONG_AGO = new FakeHistory(0);
/** 144 bins of 50 and 144 of 5 lots. */
const DAILY_VOLUME = 7_920;

function rigOf(strategy = new WatchingStrategy({ profile: true })) {
  return { strategy, rig: new ShardRig({ shard: 0, shardCount: 1, strategyFor: () => strategy }) };
}

/** Brings the order to where only its profile is missing. */
function begin(rig: ShardRig, order: ParentOrder): void {
  rig.create(order);
  rig.fund();
  rig.turn();
}

function questions(rig: ShardRig): CandleQuery[] {
  return rig.venue.requests.filter((request): request is CandleQuery => request.kind === 'QueryCandles');
}

/** Answers the question that was asked last. */
function answerLast(rig: ShardRig, history = LONG_AGO): void {
  const question = questions(rig).at(-1);
  if (question !== undefined) rig.inbox.reports.push(history.answer(question));
  rig.turn();
}

function tellAll(rig: ShardRig, history = LONG_AGO): void {
  for (let answered = 0; answered < questions(rig).length;) {
    answered = questions(rig).length;
    answerLast(rig, history);
  }
}

/** Lets time pass second by second, with a market that lives. */
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
  it('begins when it is there: learnt page by page from twenty days that are over, one question at a time', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    expect(questions(rig)).toMatchObject([
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
    tellAll(rig);
    const pages = questions(rig).slice(0, -1);
    expect(pages.map(({ fromMs }) => (fromMs - MIDNIGHT_MS + 20 * DAY_MS) / BIN_MS)).toEqual([
      0, 1_000, 2_000, 3_000, 4_000, 5_000,
    ]);
    const binMs = Math.floor(START_MS / BIN_MS) * BIN_MS;
    expect(questions(rig).at(-1)).toMatchObject({ fromMs: binMs - 48 * BIN_MS, toMs: binMs - 1, limit: 48 });
    expect(strategy.begun).toMatchObject([{ orderId: 1, atMs: START_MS, profile: { dailyVolume: DAILY_VOLUME } }]);
    expect(strategy.looks[0]?.profile).toBe(strategy.begun[0]?.profile);
    expect(notes(rig)).toEqual([]);
  });

  it('goes on without it when the venue is silent, says so once, and gets it later', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    pass(rig, PROFILE_WAIT_MS - 1);
    expect([strategy.begun.length, rig.state(1)?.startedAtMs]).toEqual([0, null]);
    pass(rig, 1);
    expect(strategy.begun).toMatchObject([{ atMs: START_MS + PROFILE_WAIT_MS, profile: null }]);
    pass(rig, 10_000);
    expect(notes(rig)).toEqual([
      'VOLUME_UNKNOWN: the volumes of BTC/USDT were not told within 2000 ms: the day is taken as flat for now',
    ]);
    expect(questions(rig)).toHaveLength(1);
    tellAll(rig);
    pass(rig, 1_000);
    expect(strategy.looks.at(-1)?.profile?.dailyVolume).toBe(DAILY_VOLUME);
  });

  it('asks again for what did not come, no sooner than a slow venue needs', () => {
    const { rig } = rigOf();
    begin(rig, orderOf(1));
    answerLast(rig);
    pass(rig, PROFILE_SILENCE_MS_MAX - 1_000);
    expect(questions(rig)).toHaveLength(2);
    pass(rig, 2_000);
    const [, second, third] = questions(rig);
    expect(third).toEqual(second);
    expect(questions(rig)).toHaveLength(3);
  });

  it('does without where there is less than a day of history, and is not asked for again that day', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    tellAll(rig, new FakeHistory(MIDNIGHT_MS - DAY_MS + 1));
    expect(strategy.begun).toMatchObject([{ atMs: START_MS, profile: null }]);
    expect(notes(rig)).toEqual(['VOLUME_UNKNOWN: no full day of BTC/USDT is known: the day is taken as flat']);
    const asked = questions(rig).length;
    begin(rig, orderOf(2));
    pass(rig, PROFILE_SILENCE_MS_MAX);
    expect(questions(rig)).toHaveLength(asked);
  });

  it('learns from a single full day', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    tellAll(rig, new FakeHistory(MIDNIGHT_MS - DAY_MS));
    expect(strategy.begun[0]?.profile?.dailyVolume).toBe(DAILY_VOLUME);
  });

  it('asks only once it may trade, and its trigger stays pulled while it waits', () => {
    const { rig, strategy } = rigOf();
    const trigger = { price: 6_500_000 as Ticks, condition: 'ABOVE' } as const;
    begin(rig, orderOf(1, { startAtMs: (START_MS + 5_000) as EpochMs, trigger }));
    pass(rig, 6_000);
    expect(questions(rig)).toEqual([]);
    rig.quote({ last: 6_500_000 });
    rig.turn();
    expect(questions(rig)).toHaveLength(1);
    rig.quote({ last: 6_400_000 });
    tellAll(rig);
    expect(strategy.begun).toHaveLength(1);
  });

  it('that is cancelled while it waits is forgotten', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    rig.cancel(1);
    rig.turn();
    expect(rig.state(1)?.status).toBe('CANCELLED');
    tellAll(rig);
    expect(strategy.begun).toEqual([]);
  });

  it('ends at its end time even while it waits', () => {
    const { rig } = rigOf();
    begin(rig, orderOf(1, { endAtMs: (START_MS + 500) as EpochMs }));
    pass(rig, 500);
    expect(rig.state(1)?.status).toBe('EXPIRED');
  });
});

describe('A volume profile', () => {
  it('is shared by the orders of an instrument, and each instrument has its own', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    begin(rig, orderOf(2));
    expect(questions(rig)).toHaveLength(1);
    tellAll(rig);
    begin(rig, orderOf(3));
    expect(questions(rig)).toHaveLength(7);
    const [first, second, third] = strategy.begun;
    expect([second?.profile, third?.profile]).toEqual([first?.profile, first?.profile]);
    expect(second?.profile).toBe(first?.profile);
    rig.quote({}, ETH);
    begin(rig, orderOf(4, { instrument: ETH.index, symbol: ETH.symbol }));
    expect(questions(rig).at(-1)?.instrument).toBe(ETH.index);
  });

  it('is learnt again when another day is over, and serves until then', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    tellAll(rig);
    rig.nowMs = (MIDNIGHT_MS + DAY_MS - 1_000) as EpochMs;
    pass(rig, 900);
    expect(questions(rig)).toHaveLength(7);
    pass(rig, 2_000);
    expect(questions(rig)).toHaveLength(8);
    expect(questions(rig).at(-1)?.toMs).toBe(MIDNIGHT_MS + DAY_MS - 1);
    expect(strategy.looks.at(-1)?.profile).toBe(strategy.looks[0]?.profile);
    tellAll(rig);
    pass(rig, 1_000);
    expect(strategy.looks.at(-1)?.profile).not.toBe(strategy.looks[0]?.profile);
  });

  it('is asked for anew after a restart, and orders that were under way wait for it', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    tellAll(rig);
    strategy.looks.length = 0;
    rig.restart();
    pass(rig, 1_000);
    expect([questions(rig).length, strategy.looks.length]).toEqual([1, 0]);
    tellAll(rig);
    expect(strategy.looks).toMatchObject([{ profile: { dailyVolume: DAILY_VOLUME } }]);
    expect(strategy.begun).toHaveLength(1);
  });

  it('is asked for anew when the venue was lost, from the page where it had come to', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    answerLast(rig);
    rig.link('BINANCE', false);
    pass(rig, 1_000);
    rig.link('BINANCE', true);
    pass(rig, 1_000);
    const [, second, third] = questions(rig);
    expect(third).toEqual(second);
    expect(strategy.begun).toEqual([]);
    tellAll(rig);
    expect(strategy.begun).toHaveLength(1);
  });

  it('does not count an answer twice that comes twice, and takes that of an earlier life of the shard', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    const [question] = questions(rig);
    if (question === undefined) throw new Error('the venue was asked');
    rig.restart();
    for (const _ of [1, 2]) rig.inbox.reports.push(LONG_AGO.answer(question));
    rig.turn();
    tellAll(rig);
    rig.inbox.reports.push(LONG_AGO.answer(question));
    rig.turn();
    expect(strategy.begun).toMatchObject([{ profile: { dailyVolume: DAILY_VOLUME } }]);
  });
});

describe('The pace of the last hours', () => {
  it('is asked for when an order begins, once for all that begin within five minutes', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    tellAll(rig);
    begin(rig, orderOf(2));
    expect(questions(rig)).toHaveLength(7);
    pass(rig, BIN_MS);
    expect(questions(rig)).toHaveLength(7);
    begin(rig, orderOf(3));
    expect(questions(rig)).toHaveLength(8);
    expect(strategy.begun).toHaveLength(2);
    answerLast(rig);
    expect(strategy.begun).toHaveLength(3);
    const [first] = strategy.begun;
    expect(first?.profile?.recentDailyVolume).toBeCloseTo(DAILY_VOLUME, -3);
  });

  it('is not waited for any longer than the profile', () => {
    const { rig, strategy } = rigOf();
    begin(rig, orderOf(1));
    tellAll(rig);
    pass(rig, BIN_MS);
    begin(rig, orderOf(2));
    pass(rig, PROFILE_WAIT_MS - 1);
    expect(strategy.begun).toHaveLength(1);
    pass(rig, 1);
    expect(strategy.begun).toMatchObject([{}, { orderId: 2, profile: { dailyVolume: DAILY_VOLUME } }]);
    expect(notes(rig)).toEqual([]);
  });
});

it('An order that needs no profile never asks for one and never waits', () => {
  const { rig, strategy } = rigOf(new WatchingStrategy({ depth: true }));
  begin(rig, orderOf(1));
  pass(rig, 3_000);
  expect(questions(rig)).toEqual([]);
  expect(strategy.begun).toMatchObject([{ atMs: START_MS, profile: null }]);
});
