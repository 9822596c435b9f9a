import { describe, expect, it } from 'vitest';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import { eventVenues, legOf, legTrading } from '../../src/domain/pair.js';
import type { EpochMs } from '../../src/domain/time.js';
import { plainInstrument } from './plain-instrument.js';
import { plainOrder } from './plain-order.js';
import { pairOf } from './sample-pair.js';

const ORDER = plainOrder(plainInstrument(), 1_790_000_000_000 as EpochMs);
const OTHER = (ORDER.instrument + 1) as InstrumentIndex;
/** Leg 0 hedges at OKX, leg 1 leads. */
const PAIR = pairOf(ORDER, 'OKX', { instrument: OTHER });

describe('legTrading', () => {
  it('returns the leg of the instrument, with or without a side', () => {
    expect([legTrading(PAIR, OTHER), legTrading(PAIR, ORDER.instrument)]).toEqual([0, 1]);
    expect(legTrading(PAIR, ORDER.instrument, 'SELL')).toBe(1);
  });

  it('returns null for an instrument that no leg trades', () => {
    expect(legTrading(PAIR, 9_999 as InstrumentIndex, 'BUY')).toBeNull();
  });

  it('selects by side when both legs trade one instrument', () => {
    const same = pairOf(ORDER, 'OKX');
    expect([legTrading(same, ORDER.instrument, 'SELL'), legTrading(same, ORDER.instrument, 'BUY')]).toEqual([0, 1]);
  });

  it('returns the only leg of an order for any instrument', () => {
    expect(legTrading(ORDER, OTHER)).toBe(0);
  });
});

it('gives the venue of the leg of an event, and the venue of the other leg', () => {
  expect(legOf(PAIR, 0).venue).toBe('OKX');
  expect(eventVenues(PAIR, 0)).toEqual({ venue: 'OKX', otherVenue: ORDER.venue });
  expect(eventVenues(PAIR, null)).toEqual({ venue: ORDER.venue, otherVenue: 'OKX' });
  expect(eventVenues(ORDER, 0)).toEqual({ venue: ORDER.venue, otherVenue: null });
});
