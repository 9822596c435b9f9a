import { describe, expect, it } from 'vitest';
import { BINANCE_TRADE_PAGES_MAX } from '../../../../src/domain/limits/live.js';
import type { EpochMs } from '../../../../src/domain/time.js';
import { BinanceClient } from '../../../../src/venue/live/binance/binance-client.js';
import { BINANCE_SPOT, BINANCE_USDM } from '../../../../src/venue/live/binance/binance-wallet.js';
import type { Fields } from '../../../../src/venue/live/dialect/binance-orders.js';
import type { LookUpAnswer } from '../../../../src/venue/live/exchange-client.js';
import { targetOf } from '../../child-target.js';
import { submissionOf } from '../lossy-exchange.js';
import { BTC, instrumentsOf, type Section } from './loopback-exchange.js';

/* The fills of a look-up, of an order with many trades or with old ones. */

const DAY_MS = 86_400_000;
const NOW_MS = 1_800_000_000_000;
const WEEK_MS = 7 * DAY_MS;

interface Trade {
  readonly id: number;
  readonly time: number;
  readonly price?: string;
}

/** The trades that the exchange shows for a request, by its published rules. */
function shown(section: Section, trades: readonly Trade[], fields: Fields): readonly Trade[] {
  const limit = Number(fields['limit']);
  const [fromId, startTime, endTime] = ['fromId', 'startTime', 'endTime'].map((name) => Number(fields[name] ?? NaN));
  if (!Number.isNaN(fromId)) {
    if (section === 'futures') throw new Error('USD-M does not combine an order and an id of a trade');
    return trades.filter(({ id }) => id >= fromId!).slice(0, limit);
  }
  if (!Number.isNaN(startTime)) {
    if (section === 'spot') throw new Error('spot does not combine an order and a period');
    if (endTime! - startTime! > WEEK_MS) throw new Error('the period is longer than 7 days');
    return trades.filter(({ time }) => time >= startTime! && time <= endTime!).slice(0, limit);
  }
  return trades.filter(({ time }) => section === 'spot' || time >= NOW_MS - WEEK_MS).slice(-limit);
}

/** Looks an order up whose trades have 0.001 BTC each. `total`: trades that the order states. */
async function lookUp(section: Section, ageMs: number, trades: readonly Trade[], total = trades.length) {
  const requests: Fields[] = [];
  const wallet = section === 'spot' ? BINANCE_SPOT : BINANCE_USDM;
  const order = {
    symbol: 'BTCUSDT',
    clientOrderId: '1-1',
    orderId: 7,
    side: 'BUY',
    status: 'FILLED',
    origQty: String(total / 1_000),
    price: '50000',
    executedQty: String(total / 1_000),
    updateTime: NOW_MS,
  };
  const row = { symbol: 'BTCUSDT', orderId: 7, price: '50000', qty: '0.001', commission: '0', commissionAsset: 'USDT' };
  const client = new BinanceClient({
    category: wallet.category,
    calls: wallet.orders,
    requests: {
      send: (call, fields) => {
        if (call === wallet.orders.order) return Promise.resolve({ kind: 'answer', body: order });
        requests.push(fields);
        const body = shown(section, trades, fields).map((trade) => ({ ...row, ...trade, buyer: true, maker: true }));
        return Promise.resolve({ kind: 'answer', body });
      },
    },
    instruments: instrumentsOf(section),
    instrumentOf: () => BTC,
    nowMs: () => NOW_MS as EpochMs,
    onFinding: (finding) => {
      throw new Error(finding.message);
    },
  });
  const target = { ...targetOf(submissionOf(1, 1)), instrument: BTC, submittedAtMs: (NOW_MS - ageMs) as EpochMs };
  const answer = await new Promise<LookUpAnswer>((resolve) => {
    client.lookUp(target, resolve);
  });
  if (answer.kind !== 'found') throw new Error('the order was not found');
  return { requests, fills: answer.fills.length, offGrid: answer.offGrid };
}

function tradesAt(times: readonly number[]): readonly Trade[] {
  return times.map((time, index) => ({ id: index + 1, time }));
}

function many(count: number, ageMs: number): readonly Trade[] {
  return tradesAt(Array.from({ length: count }, (_, index) => NOW_MS - ageMs + index));
}

describe('the fills of a look-up at Binance', () => {
  it.each(['spot', 'futures'] as const)('take one request of a usual order: %s', async (section) => {
    const { requests, fills } = await lookUp(section, DAY_MS, many(3, DAY_MS));
    expect([requests.length, fills]).toEqual([1, 3]);
  });

  it.each(['spot', 'futures'] as const)('are all of more than one page: %s', async (section) => {
    const { requests, fills } = await lookUp(section, DAY_MS, many(2_500, DAY_MS));
    expect([requests.length, fills]).toEqual([3, 2_500]);
  });

  it('of USD-M futures are also those from before the last 7 days', async () => {
    const ages = [40, 39, 25, 9, 1].map((days) => NOW_MS - days * DAY_MS);
    const { requests, fills } = await lookUp('futures', 41 * DAY_MS, tradesAt(ages));
    expect([requests.length, fills]).toEqual([7, 5]);
  });

  it('of USD-M futures take one request of an old order that has traded lately', async () => {
    const { requests, fills } = await lookUp('futures', 41 * DAY_MS, many(3, DAY_MS));
    expect([requests.length, fills]).toEqual([1, 3]);
  });

  it('name the one at a price that is no multiple of the tick', async () => {
    const off = { id: 2, time: NOW_MS, price: '50000.05' };
    const { fills, offGrid } = await lookUp('futures', DAY_MS, [{ id: 1, time: NOW_MS }, off]);
    expect([fills, offGrid]).toEqual([
      1,
      'trade 2 of order 7 in BTCUSDT, 0.001 at price 50000.05, does not fit the lot 0.001 and the tick 0.1',
    ]);
  });

  it('are those of a bounded number of pages', async () => {
    const { requests, fills } = await lookUp('futures', 400 * DAY_MS, many(3, DAY_MS), 4);
    expect([requests.length, fills]).toEqual([BINANCE_TRADE_PAGES_MAX, 3]);
  });
});
