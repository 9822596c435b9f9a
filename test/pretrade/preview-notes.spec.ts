import { describe, expect, it } from 'vitest';
import type { Instrument } from '../../src/domain/instrument.js';
import { previewOf } from '../../src/pretrade/preview.js';
import type { FlatTerms } from '../domain/plain-order.js';
import { BTC } from '../order/orders.js';
import { MARKET, previewed } from './previewed.js';

const EQUAL_FEES: Instrument = { ...BTC, makerFeePpm: 1_000, takerFeePpm: 1_000 };
const CHEAP_MAKER: Instrument = { ...BTC, makerFeePpm: 200, takerFeePpm: 500 };
const VOLATILE = { ...MARKET, volatility: 0.001 };

const notesFor = (fields: Partial<FlatTerms>, instrument: Instrument) =>
  previewOf(previewed({ strategy: 'TWAP', ...fields }, { instrument, market: VOLATILE })).notes;

function gateCosts(bps: string): string {
  return `ob_imbalance_cancel true: on recorded markets of this kind such orders cost ${bps} bps more`;
}

describe('the notes of a preview', () => {
  it.each(['TWAP', 'VWAP', 'POV', 'IS', 'ICEBERG'] as const)(
    'say that taking is cheaper for a PASSIVE %s where makers and takers pay the same',
    (strategy) => {
      const [note] = notesFor({ strategy, style: 'PASSIVE' }, EQUAL_FEES);
      expect(note).toMatchObject({ code: 'TAKING_IS_CHEAPER' });
      expect(note?.message).toMatch(
        /^trading_style PASSIVE: makers pay 10 bps here and takers 10, .* \d+\.\d\d bps less$/,
      );
    },
  );

  it('are none for other styles, nor where makers pay less', () => {
    expect(notesFor({ style: 'HYBRID' }, EQUAL_FEES)).toEqual([]);
    expect(notesFor({ style: 'AGGRESSIVE' }, EQUAL_FEES)).toEqual([]);
    expect(notesFor({ style: 'PASSIVE' }, CHEAP_MAKER)).toEqual([]);
  });

  it('are none for an order whose client has set how it rests', () => {
    expect(notesFor({ style: 'PASSIVE', postOnly: true }, EQUAL_FEES)).toEqual([]);
    expect(notesFor({ style: 'PASSIVE', placement: { mode: 'TIGHT' } }, EQUAL_FEES)).toEqual([]);
  });

  it('give the measured cost of the imbalance gate, by category', () => {
    const gate = { style: 'HYBRID', imbalanceThresholdPpm: 750_000 } as const;
    expect(notesFor(gate, { ...CHEAP_MAKER, assetCategory: 'SPOT' })).toEqual([
      { code: 'GATE_COSTS', message: gateCosts('0.02') },
    ]);
    expect(notesFor(gate, { ...CHEAP_MAKER, assetCategory: 'FUTURE' })).toEqual([
      { code: 'GATE_COSTS', message: gateCosts('0.19') },
    ]);
  });
});
