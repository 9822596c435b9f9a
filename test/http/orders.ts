import { InstrumentCatalogue, type Instrument, type InstrumentIndex } from '../../src/domain/instrument.js';
import type { AccountId, ApiKeyId, OrderId } from '../../src/domain/ids.js';
import { type LegState, newState, type ParentState } from '../../src/domain/order-state.js';
import type { ParentOrder } from '../../src/domain/order.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { plainInstrument } from '../domain/plain-instrument.js';
import { type FlatTerms, plainOrder, withTerms } from '../domain/plain-order.js';
import { WIDE_FILTERS } from '../domain/wide-filters.js';
import { mapLegs } from '../../src/domain/pair.js';

export const NOW_MS = Date.UTC(2026, 10, 21, 12) as EpochMs;
export const DEMO = 'demo' as AccountId;
/** An account with its own key. */
export const BY_DEMO = { account: DEMO, apiKey: 'TRADER' as ApiKeyId };
export const OTHER = 'other' as AccountId;

function instrument(index: number, fields: Partial<Instrument>): Instrument {
  return plainInstrument({
    index: index as InstrumentIndex,
    quantityMax: 900_000_000 as Lots,
    makerFeePpm: 100,
    takerFeePpm: 100,
    ...fields,
  });
}

export const CATALOGUE = new InstrumentCatalogue(
  [
    instrument(0, {}),
    instrument(1, { symbol: 'BTC/USDT:USDT', assetCategory: 'FUTURE' }),
    instrument(2, { venue: 'OKX', filters: { ...WIDE_FILTERS, isPostOnlyOffered: false } }),
    instrument(3, { symbol: 'ETH/BTC', base: 'ETH', quote: 'BTC' }),
  ],
  [{ ...instrument(0, {}), venue: 'LIGHTER', symbol: 'BTC/USDC:USDC', assetCategory: 'FUTURE', quote: 'USDC' }],
);

/** A valid create request; `fields` replace or add members. */
export function createBody(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    exchange: 'BINANCE',
    symbol: 'BTC/USDT',
    asset_category: 'SPOT',
    side: 'BUY',
    quantity: '0.5',
    strategy: 'TWAP',
    params: { duration_seconds: '60' },
    ...fields,
  };
}

export function parentOrder(fields: Partial<FlatTerms> = {}): ParentOrder {
  const order = plainOrder(instrument(0, {}), NOW_MS, {
    orderId: 7 as OrderId,
    account: DEMO,
    quantity: 50_000 as Lots,
  });
  return withTerms(order, fields);
}

export function parentState(
  order: Partial<FlatTerms> = {},
  fields: Partial<ParentState> = {},
  leg: Partial<LegState> = {},
): ParentState {
  const state = newState(parentOrder(order));
  return { ...state, status: 'ACCEPTED', legs: mapLegs(state.legs, (before) => ({ ...before, ...leg })), ...fields };
}
