import { describe, expect, it } from 'vitest';
import type { ChildNumber, OrderId } from '../../../src/domain/ids.js';
import type { InstrumentIndex } from '../../../src/domain/instrument.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { BinanceClient } from '../../../src/venue/live/binance/binance-client.js';
import { BINANCE_SPOT } from '../../../src/venue/live/binance/binance-wallet.js';
import { BybitClient } from '../../../src/venue/live/bybit/bybit-client.js';
import type { LiveInstrument } from '../../../src/venue/live/live-exchange.js';
import type { FillRecord, OrderRecord } from '../../../src/venue/live/normal/records.js';

/* A child counts in the lots and ticks that its market had when it was placed. */

const AT_MS = 1_800_000_000_000 as EpochMs;
const [OLD, NEW] = [4_096, 4_097] as InstrumentIndex[];

function row(index: InstrumentIndex): LiveInstrument {
  const [quantityPrecision, pricePrecision] = index === OLD ? [3, 1] : [5, 2];
  const grid = { quantityPrecision, pricePrecision, quantityStep: 1, priceStep: 1 };
  return { ...grid, index, exchangeSymbol: 'BTCUSDT', isFuture: false, contractSize: '1' };
}

/** Child 1 of order 7 was placed with the old row, child 1 of order 8 with the new one; others are not known. */
function rowOf({ orderId }: { readonly orderId: number }): InstrumentIndex | null {
  return orderId === 7 ? OLD! : orderId === 8 ? NEW! : null;
}

function order(clientId: string): OrderRecord {
  const name = { symbol: 'BTCUSDT', clientId, venueOrderId: '11', side: 'BUY' } as const;
  return {
    kind: 'Order',
    ...name,
    state: 'OPEN',
    quantity: '0.05',
    price: '50000.5',
    filled: '0.002',
    reason: null,
    atMs: AT_MS,
  };
}

function fill(clientId: string): FillRecord {
  const name = { symbol: 'BTCUSDT', clientId, venueOrderId: '11', tradeId: '12', side: 'BUY' } as const;
  const traded = { price: '50000.5', quantity: '0.002', fee: '0.000002', feeAsset: 'BTC' } as const;
  return { kind: 'Fill', ...name, ...traded, liquidity: 'TAKER', atMs: AT_MS };
}

const PARTS = { nowMs: () => AT_MS, onFinding: () => undefined };
const CLIENT_IDS = ['7-1', '8-1', '9-1'];

describe('a client of a real exchange', () => {
  it('reads orders and fills of Binance in the lots and ticks of their children', () => {
    const client = new BinanceClient({
      ...PARTS,
      category: 'SPOT',
      calls: BINANCE_SPOT.orders,
      requests: { send: () => Promise.resolve({ kind: 'lost' }) },
      instruments: { at: row },
      instrumentOf: rowOf,
    });
    const updates = CLIENT_IDS.flatMap((id) => client.updatesIn([fill(id), order(id)]));
    expect(updates).toMatchObject([
      { child: { orderId: 7, instrument: OLD }, order: { filled: 2 }, fill: { fill: { quantity: 2, price: 500_005 } } },
      {
        child: { orderId: 8, instrument: NEW },
        order: { filled: 200 },
        fill: { fill: { quantity: 200, price: 5_000_050 } },
      },
    ]);
  });

  it('reads orders and fills of Bybit in the lots and ticks of their children', () => {
    const client = new BybitClient({
      ...PARTS,
      requests: { send: () => Promise.reject(new Error('nothing is sent')) },
      instruments: { at: row, of: rowOf },
    });
    const records = CLIENT_IDS.flatMap((id) => [
      { product: 'SPOT', record: order(id) } as const,
      { product: 'SPOT', record: fill(id) } as const,
    ]);
    const updates = client.updatesIn(records);
    expect(updates.map(({ child }) => child.instrument)).toEqual([OLD, OLD, NEW, NEW]);
    expect(updates.map(({ order: { filled } }) => filled)).toEqual([2, 2, 200, 200]);
    expect(updates.flatMap(({ fill: seen }) => (seen === null ? [] : [seen.fill.price]))).toEqual([500_005, 5_000_050]);
  });

  it('looks an order up in the lots of the child that is asked for', async () => {
    const answers = [
      {
        symbol: 'BTCUSDT',
        orderId: 11,
        clientOrderId: '9-1',
        price: '50000.50',
        origQty: '0.05000',
        executedQty: '0.00000',
        status: 'NEW',
        side: 'BUY',
        type: 'LIMIT',
        timeInForce: 'GTC',
        time: AT_MS,
        updateTime: AT_MS,
      },
    ];
    const client = new BinanceClient({
      ...PARTS,
      category: 'SPOT',
      calls: BINANCE_SPOT.orders,
      requests: { send: () => Promise.resolve({ kind: 'answer', body: answers.shift() }) },
      instruments: { at: row },
      instrumentOf: () => null,
    });
    const target = {
      account: 'alice',
      venue: 'BINANCE',
      orderId: 9 as OrderId,
      child: 1 as ChildNumber,
      instrument: OLD,
      submittedAtMs: AT_MS,
      venueOrderId: null,
    } as const;
    const found = await new Promise((resolve) => {
      client.lookUp(target as Parameters<BinanceClient['lookUp']>[0], resolve);
    });
    expect(found).toMatchObject({ kind: 'found', order: { state: 'OPEN', filled: 0 } });
  });
});
