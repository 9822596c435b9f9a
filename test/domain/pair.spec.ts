import { describe, expect, it } from 'vitest';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import { legAt } from '../../src/domain/pair.js';
import { eventVenues, legTrading } from '../../src/domain/order-legs.js';
import type { EpochMs } from '../../src/domain/time.js';
import { plainInstrument } from './plain-instrument.js';
import { plainOrder } from './plain-order.js';
import { pairOf } from './sample-pair.js';

const ORDER = plainOrder(plainInstrument(), 1_790_000_000_000 as EpochMs);
const [{ instrument: OWN, venue: VENUE }] = ORDER.legs;
const OTHER = (OWN + 1) as InstrumentIndex;
/** Leg 0 hedges at OKX, leg 1 leads. */
const PAIR = pairOf(ORDER, 'OKX', { instrument: OTHER });

describe('legTrading', () => {
  it('returns the leg of the instrument, with or without a side', () => {
    expect([legTrading(PAIR, OTHER), legTrading(PAIR, OWN)]).toEqual([0, 1]);
    expect(legTrading(PAIR, OWN, 'SELL')).toBe(1);
  });

  it('returns null for an instrument that no leg trades', () => {
    expect(legTrading(PAIR, 9_999 as InstrumentIndex, 'BUY')).toBeNull();
  });

  it('selects by side when both legs trade one instrument', () => {
    const same = pairOf(ORDER, 'OKX');
    expect([legTrading(same, OWN, 'SELL'), legTrading(same, OWN, 'BUY')]).toEqual([0, 1]);
  });

  it('returns the only leg of an order for any instrument', () => {
    expect(legTrading(ORDER, OTHER)).toBe(0);
  });
});

it('gives the venue of the leg of an event, and the venue of the other leg', () => {
  expect(legAt(PAIR.legs, 0).venue).toBe('OKX');
  expect(eventVenues(PAIR, 0)).toEqual({ venue: 'OKX', otherVenue: VENUE });
  expect(eventVenues(PAIR, null)).toEqual({ venue: VENUE, otherVenue: 'OKX' });
  expect(eventVenues(ORDER, 0)).toEqual({ venue: VENUE, otherVenue: null });
});
