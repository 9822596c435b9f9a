import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/client/wire.js';
import { markOf, modeIn, modeLines, strictest } from '../../src/console/live-mode.js';
import { rowOfDetails, rowOfFrame, UNKNOWN_ORIGIN } from '../../src/console/order/order-row.js';
import { orderColumns } from '../../src/console/order/order-columns.js';
import { details, orderFrame } from './orders.js';

function exchange(name: Exchange['exchange'], mode?: Exchange['live_mode']): Exchange {
  return {
    id: 1,
    exchange: name,
    name,
    asset_classes: ['SPOT'],
    tradable: true,
    mode: mode === undefined ? 'SIMULATED' : 'LIVE',
    ...(mode !== undefined && { live_mode: mode }),
    status: 'UP',
  };
}

const EXCHANGES = [
  exchange('BYBIT', 'testnet'),
  exchange('KRAKEN'),
  exchange('BINANCE', 'live'),
  exchange('GATEIO', 'live'),
];

describe('the banner of modes', () => {
  it('names the exchanges of each mode, real money first, and no simulated exchange', () => {
    expect(modeLines(EXCHANGES).map(({ word, exchanges }) => [word, exchanges])).toEqual([
      ['LIVE', ['BINANCE', 'GATEIO']],
      ['TESTNET', ['BYBIT']],
    ]);
    expect(modeLines(EXCHANGES)[0]).toMatchObject({
      tone: 'bad',
      hint: expect.stringContaining('real money') as string,
    });
    expect(modeLines([exchange('BINANCE')])).toEqual([]);
  });
});

describe('the mode of an exchange', () => {
  it('is unknown before the exchanges are read, and null for a simulated one', () => {
    expect([modeIn([], 'BINANCE'), modeIn(EXCHANGES, 'KRAKEN'), modeIn(EXCHANGES, 'BINANCE')]).toEqual([
      undefined,
      null,
      'live',
    ]);
    expect([markOf(null).word, markOf('live').word, markOf('testnet').word]).toEqual(['SIMULATED', 'LIVE', 'TESTNET']);
  });
});

describe('the mode of an order', () => {
  it('is the most dangerous one of its legs', () => {
    expect(strictest([undefined, 'live', 'testnet'])).toBe('live');
    expect(strictest([undefined])).toBeNull();
    const leg = { exchange: 'BYBIT', symbol: 'BTC/USDT', live_mode: 'testnet' };
    const row = rowOfDetails(details(7, { legs: [leg, { ...leg, live_mode: undefined }] } as never));
    expect(row?.liveMode).toBe('testnet');
  });

  it('is a badge in the table of orders, from answers and from frames', () => {
    const instrument = orderColumns(() => 0).find(({ title }) => title === 'Instrument');
    const cellOf = (row: ReturnType<typeof rowOfFrame>) => instrument?.cell({ row, origin: UNKNOWN_ORIGIN });
    const answered = rowOfDetails(details(7, { live_mode: 'live' }));
    expect(answered === null ? null : cellOf(answered)).toMatchObject({
      text: 'BUY BTC/USDT',
      mark: { word: 'LIVE', tone: 'bad' },
    });
    expect(cellOf(rowOfFrame(orderFrame(7, 0, {}, { live_mode: 'testnet' })))?.mark?.word).toBe('TESTNET');
    expect(cellOf(rowOfFrame(orderFrame(7, 0)))?.mark).toBeUndefined();
  });
});
