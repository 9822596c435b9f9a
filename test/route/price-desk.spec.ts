import { beforeEach, expect, it } from 'vitest';
import type { Instrument, InstrumentIndex } from '../../src/model/instrument.js';
import { MARKET_STALE_MS, PRICE_ASKERS_MAX, PRICE_LOOK_MS, PRICE_WAIT_MS } from '../../src/model/limits.js';
import type { Market } from '../../src/model/market.js';
import type { OrRejection } from '../../src/model/rejection.js';
import type { EpochMs } from '../../src/model/time.js';
import { PriceDesk } from '../../src/route/price-desk.js';

const INSTRUMENT = { index: 3 as InstrumentIndex, venue: 'OKX', symbol: 'BTC/USDT' } as Instrument;

/** A desk whose market and clocks the test moves. */
class Rig {
  market = { bid: 0, ask: 0, atMs: 0 };
  nowMs = 1_000_000;
  realMs = 0;
  isVenueUp = true;
  readonly awake: boolean[] = [];
  readonly answers: OrRejection<number>[] = [];
  #looks: (() => void)[] = [];
  readonly desk = new PriceDesk({
    read: () => this.market as unknown as Market,
    keepAwake: (_instrument, isAwake) => void this.awake.push(isAwake),
    isVenueUp: () => this.isVenueUp,
    clock: { nowMs: () => this.nowMs as EpochMs },
    nowRealMs: () => this.realMs,
    after: (_delayMs, run) => void this.#looks.push(run),
  });

  ask(): void {
    this.desk.twiceMid(INSTRUMENT, (result) => this.answers.push(result));
  }

  /** Lets real time pass, look by look. */
  pass(ms: number): void {
    for (const endMs = this.realMs + ms; this.realMs < endMs;) {
      this.realMs += PRICE_LOOK_MS;
      for (const look of this.#looks.splice(0)) look();
    }
  }

  get isLooking(): boolean {
    return this.#looks.length > 0;
  }
}

let rig: Rig;
beforeEach(() => (rig = new Rig()));

it('answers at once by a market that is alive, and wakes nobody', () => {
  rig.market = { bid: 100, ask: 103, atMs: rig.nowMs - MARKET_STALE_MS };
  rig.ask();
  expect([rig.answers, rig.awake, rig.isLooking]).toEqual([[203], [], false]);
});

it('wakes a market that sleeps, once for all who ask, and lets it sleep again', () => {
  rig.market = { bid: 1, ask: 3, atMs: rig.nowMs - MARKET_STALE_MS - 1 };
  rig.ask();
  rig.pass(20);
  rig.ask();
  expect([rig.answers, rig.awake]).toEqual([[], [true]]);
  rig.market = { bid: 100, ask: 102, atMs: rig.nowMs };
  rig.pass(PRICE_LOOK_MS);
  expect([rig.answers, rig.awake, rig.isLooking]).toEqual([[202, 202], [true, false], false]);
});

it.each([
  ['has no bid', { bid: 0, ask: 102 }],
  ['has no ask', { bid: 100, ask: 0 }],
  ['is crossed', { bid: 102, ask: 100 }],
])('takes no price of a market that %s', (_what, sides) => {
  rig.market = { ...sides, atMs: rig.nowMs };
  rig.ask();
  rig.pass(PRICE_WAIT_MS);
  const rejection = { code: 'EXCHANGE_NOT_AVAILABLE', message: 'exchange OKX tells no price of BTC/USDT' };
  expect([rig.answers, rig.awake, rig.isLooking]).toEqual([[{ rejection }], [true, false], false]);
});

it('waits for nothing while the venues are down', () => {
  rig.isVenueUp = false;
  rig.ask();
  expect(rig.answers).toMatchObject([{ rejection: { code: 'EXCHANGE_NOT_AVAILABLE' } }]);
  expect(rig.awake).toEqual([]);
});

it('lets a bounded number wait, and forgets them when they are answered', () => {
  for (let count = 0; count <= PRICE_ASKERS_MAX; count += 1) rig.ask();
  expect(rig.answers).toMatchObject([{ rejection: { code: 'SYSTEM_BUSY' } }]);
  rig.pass(PRICE_WAIT_MS);
  expect(rig.answers).toHaveLength(PRICE_ASKERS_MAX + 1);
  rig.ask();
  expect(rig.awake).toEqual([true, false, true]);
});
