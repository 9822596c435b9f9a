import { describe, expect, it } from 'vitest';
import type { Instrument, InstrumentIndex } from '../../src/domain/instrument.js';
import type { TradingStyle } from '../../src/domain/order.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import { previewOf } from '../../src/pretrade/preview.js';
import type { PreviewedOrder } from '../../src/pretrade/previewed-order.js';
import { flatProfile, SeenVolumes } from '../../src/pretrade/seen-volume.js';
import type { FlatTerms } from '../domain/plain-order.js';
import { BTC, START_MS } from '../order/orders.js';
import { MARKET, previewed } from './previewed.js';

const MINUTE_MS = 60_000;
const ten: Partial<FlatTerms> = {
  quantity: 100_000 as Lots,
  durationMs: (10 * MINUTE_MS) as DurationMs,
  endAtMs: (START_MS + 10 * MINUTE_MS) as EpochMs,
};
const PERPETUAL: Instrument = { ...BTC, makerFeePpm: 200, takerFeePpm: 500 };
const SPOT: Instrument = { ...BTC, makerFeePpm: 1_000, takerFeePpm: 1_000 };

function shareOf(fields: Partial<FlatTerms>, more: Partial<PreviewedOrder> = {}): number {
  return previewOf(previewed({ strategy: 'TWAP', ...ten, ...fields }, { instrument: PERPETUAL, ...more })).makerShare;
}

/** Share of an order in a market with that volume in a second. */
function shareAt(volume: number): number {
  return shareOf({ style: 'PASSIVE' }, { profile: null, seen: { volume, overMs: 1_000 } });
}

describe('the expected maker share', () => {
  it('falls with the queue and rises with the volume', () => {
    for (const strategy of ['TWAP', 'VWAP', 'IS', 'POV', 'ICEBERG'] as const) {
      for (const style of ['PASSIVE', 'HYBRID'] as const) {
        const about = `${strategy} ${style}`;
        const queued = (lots: number): number => {
          const quantity = lots as Lots;
          return shareOf({ strategy, style }, { market: { ...MARKET, bidQuantity: quantity, askQuantity: quantity } });
        };
        const shares = [1_000, 100_000, 10_000_000].map(queued);
        expect(shares[0], about).toBeGreaterThan(0.6);
        expect(shares[1], about).toBeLessThanOrEqual(shares[0]!);
        expect(shares[2], about).toBeLessThan(shares[1]!);
        expect(shares[2], about).toBeGreaterThanOrEqual(0);
      }
    }
    expect(shareAt(10_000)).toBeGreaterThan(shareAt(100));
  });

  it('is a small tip of a HYBRID order where maker and taker pay the same, and nothing of an AGGRESSIVE one', () => {
    const market = { ...MARKET, bidQuantity: 2_000 as Lots, askQuantity: 2_000 as Lots };
    const inShortQueue = (style: TradingStyle, instrument: Instrument) => shareOf({ style }, { instrument, market });
    expect(inShortQueue('HYBRID', SPOT)).toBeLessThan(0.05);
    expect(inShortQueue('HYBRID', PERPETUAL)).toBeGreaterThan(0.5);
    expect(inShortQueue('PASSIVE', SPOT)).toBeGreaterThan(0.5);
    expect(inShortQueue('AGGRESSIVE', PERPETUAL)).toBe(0);
  });

  it('is a share in any market, also without quantity or spread, or without volatility', () => {
    for (const style of ['PASSIVE', 'HYBRID'] as const) {
      for (const strategy of ['TWAP', 'POV', 'ICEBERG'] as const) {
        for (const change of [
          { bidQuantity: 0 as Lots, askQuantity: 0 as Lots },
          { bid: MARKET.ask },
          { bid: MARKET.ask, ask: MARKET.bid },
          { volatility: 0 },
        ]) {
          const share = shareOf({ style, strategy }, { market: { ...MARKET, ...change } });
          expect(share >= 0 && share <= 1, `${strategy} ${style} ${JSON.stringify(change)}: ${share}`).toBe(true);
        }
      }
    }
  });

  it('is a half while the volume is unknown', () => {
    expect(shareOf({ style: 'PASSIVE' }, { profile: null })).toBe(0.5);
  });
});

describe('a POV without a profile', () => {
  const share = { type: 'PERCENTAGE', ppmOfPercent: 10_000_000 } as const;
  const pov = (seen: PreviewedOrder['seen'], style: 'AGGRESSIVE' | 'PASSIVE' = 'AGGRESSIVE') =>
    previewOf(
      previewed({ ...ten, strategy: 'POV', style, clip: share }, { instrument: PERPETUAL, profile: null, seen: seen! }),
    );

  it('is exposed for the time that its share takes at the pace seen so far', () => {
    // 900,000 lots of others are 100,000 of its own, in 3 minutes and in 6.
    const [fast, slow] = [3, 6].map((minutes) => pov({ volume: 900_000, overMs: minutes * MINUTE_MS }));
    expect((slow!.schedule.at(-1)!.atMs - START_MS) / (6 * MINUTE_MS)).toBeCloseTo(1, 1);
    expect(slow!.cost.stdevBps / fast!.cost.stdevBps).toBeCloseTo(Math.SQRT2, 1);
    // σ·√(T / 3) of an evenly falling quantity.
    const even = 1e4 * MARKET.volatility * Math.sqrt(6 / 3);
    expect(slow!.cost.stdevBps / even).toBeGreaterThan(0.9);
    expect(slow!.cost.stdevBps / even).toBeLessThan(1.2);
    expect(fast!.participation).not.toBeNull();
  });

  it('is exposed longer while it waits in a queue', () => {
    const seen = { volume: 900_000, overMs: 5 * MINUTE_MS };
    expect(pov(seen, 'PASSIVE').cost.stdevBps).toBeGreaterThan(pov(seen).cost.stdevBps);
  });

  it('counts as worked evenly until its end while no volume is known, and says so by no participation', () => {
    const { cost, participation } = pov(null);
    const even = 1e4 * MARKET.volatility * Math.sqrt(10 / 3);
    expect(cost.stdevBps / even).toBeGreaterThan(0.9);
    expect(cost.stdevBps / even).toBeLessThan(1.2);
    expect(participation).toBeNull();
  });
});

describe('the volume seen so far', () => {
  const index = 3 as InstrumentIndex;
  const seeing = (volumes: SeenVolumes, volume: number, minutes: number) =>
    volumes.see(index, { volume: volume as Lots, atMs: (START_MS + minutes * MINUTE_MS) as EpochMs });

  it('counts from the first look, after a minute, and again when the count begins again', () => {
    const volumes = new SeenVolumes();
    expect(seeing(volumes, 1_000, 0)).toBeNull();
    expect(seeing(volumes, 1_100, 0.5)).toBeNull();
    expect(seeing(volumes, 1_600, 2)).toEqual({ volume: 600, overMs: 2 * MINUTE_MS });
    expect(seeing(volumes, 50, 3)).toBeNull();
    expect(seeing(volumes, 90, 5)).toEqual({ volume: 40, overMs: 2 * MINUTE_MS });
  });

  it('forgets what is more than four hours old', () => {
    const volumes = new SeenVolumes();
    for (let minutes = 0; minutes <= 600; minutes += 10) seeing(volumes, 10_000 + minutes, minutes);
    const seen = seeing(volumes, 10_610, 610)!;
    expect(seen.overMs).toBeLessThanOrEqual(250 * MINUTE_MS);
    expect(seen.overMs).toBeGreaterThanOrEqual(110 * MINUTE_MS);
    expect(seen.volume / (seen.overMs / MINUTE_MS)).toBeCloseTo(1, 6);
  });

  it('is a flat day at its pace; none without trades', () => {
    expect(flatProfile({ volume: 60, overMs: MINUTE_MS })?.dailyVolume).toBe(86_400);
    expect(flatProfile({ volume: 0, overMs: MINUTE_MS })).toBeNull();
  });
});
