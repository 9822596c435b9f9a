import { InstrumentCatalogue, type Instrument, type InstrumentIndex } from '../../src/model/instrument.js';
import type { AccountId, ApiKeyId, OrderId } from '../../src/model/ids.js';
import { newState } from '../../src/model/untraded.js';
import type { ParentOrder, ParentState } from '../../src/model/order.js';
import type { Lots } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import { plainInstrument } from '../model/plain-instrument.js';
import { plainOrder } from '../model/plain-order.js';
import { WIDE_FILTERS } from '../model/wide-filters.js';

export const NOW_MS = Date.UTC(2026, 10, 21, 12) as EpochMs;
export const DEMO = 'demo' as AccountId;
/** With a key of its own. */
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

/** A correct create request; `fields` replace or add. */
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

export function parentOrder(fields: Partial<ParentOrder> = {}): ParentOrder {
  return plainOrder(instrument(0, {}), NOW_MS, {
    orderId: 7 as OrderId,
    account: DEMO,
    quantity: 50_000 as Lots,
    ...fields,
  });
}

export function parentState(order: Partial<ParentOrder> = {}, fields: Partial<ParentState> = {}): ParentState {
  return { ...newState(parentOrder(order)), status: 'ACCEPTED', ...fields };
}
