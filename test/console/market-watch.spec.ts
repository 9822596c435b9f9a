import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OhlcvFrame, TickerFrame } from '../../src/client/wire.js';
import type { SocketListener } from '../../src/client/stream-socket.js';
import { FakeSocket } from '../client/fake-socket.js';
import { lastTradeText, levelsOf, MarketWatch } from '../../src/console/ticket/market-watch.js';

const NOW_MS = 1_800_000_030_000;
const BTC = { exchange: 'BINANCE', symbol: 'BTC/USDT' };
const ETH = { exchange: 'OKX', symbol: 'ETH/USDT' };

function ticker(changes: Partial<TickerFrame> = {}): TickerFrame {
  const names = { topic: 'ticker', symbol: 'BTC/USDT', exchange: 1, asset_class: 1 } as const;
  return { ...names, bid: 59_999, ask: 60_000, bid_qty: 2, ask_qty: 0.5, timestamp: NOW_MS, ...changes };
}

function candle(changes: Partial<OhlcvFrame> = {}): OhlcvFrame {
  const openMs = NOW_MS - 30_000;
  const names = { topic: 'ohlcv', symbol: 'BTC/USDT', exchange: 1, asset_class: 1, interval: 'ONE_MINUTE' } as const;
  const prices = { open: 60_000, high: 60_000, low: 60_000, close: 60_000, last: 60_000 };
  const times = { open_time: openMs, close_time: openMs + 60_000, closed: false };
  return { ...names, ...prices, ...times, volume: 1, ...changes };
}

/** Opens at once and acknowledges every request. */
class ObedientSocket extends FakeSocket {
  constructor(listener: SocketListener) {
    super(listener);
    queueMicrotask(() => this.open());
  }

  override send(text: string): void {
    // A ping has no acknowledgement.
    if (text === '{"topic":"ping"}') return;
    super.send(text);
    queueMicrotask(() => void this.acknowledge());
  }
}

let socket: ObedientSocket;
let serviceMs: number;
let watch: MarketWatch;

beforeEach(async () => {
  vi.useFakeTimers();
  serviceMs = NOW_MS;
  watch = new MarketWatch({
    openSocket: (_listenKey, listener) => (socket = new ObedientSocket(listener)),
    listenKey: () => Promise.resolve('key'),
    serviceMs: () => serviceMs,
    onChange: () => undefined,
  });
  await vi.advanceTimersByTimeAsync(0);
});

afterEach(() => {
  watch.close();
  vi.useRealTimers();
});

const requests = () => socket.sent.map(({ method, topic, symbol }) => [method, topic, symbol].join(' '));

describe('the market beside the ticket', () => {
  it('has the best level of each side, the last price, and no others after a change of the symbol', () => {
    watch.watch([BTC]);
    socket.receive(ticker());
    socket.receive(candle());
    expect(watch.view(BTC, false)).toMatchObject({
      bid: 59_999,
      ask: 60_000,
      levels: [
        { side: 'ASK', price: 60_000, quantity: 0.5 },
        { side: 'BID', price: 59_999, quantity: 2 },
      ],
      lastPrice: 60_000,
      staleness: null,
    });
    watch.watch([BTC]);
    watch.watch([ETH]);
    expect(requests()).toEqual([
      'subscribe ticker BTC/USDT',
      'subscribe ohlcv BTC/USDT',
      'unsubscribe ticker BTC/USDT',
      'unsubscribe ohlcv BTC/USDT',
      'subscribe ticker ETH/USDT',
      'subscribe ohlcv ETH/USDT',
    ]);
    expect(watch.view(BTC, false).levels).toEqual([]);
  });

  it('follows the same market of two legs once, and ends with the ticket', () => {
    watch.watch([BTC, BTC]);
    expect(requests()).toHaveLength(2);
    watch.close();
    expect(socket.isOpen).toBe(false);
  });

  it('is stale without a price, long after the last change, and while the exchange is down', () => {
    watch.watch([BTC]);
    expect(watch.view(BTC, false).staleness).toBe('no price yet');
    socket.receive(ticker());
    serviceMs += 60_000;
    expect(watch.view(BTC, false).staleness).toBeNull();
    expect(watch.view(BTC, true).staleness).toBe('the exchange is down');
    serviceMs += 1;
    expect(watch.view(BTC, false).staleness).toBe('unchanged since 08:00:30 UTC');
  });

  it('is stale while the stream is cut: it shows the old levels and has no price to compute with', async () => {
    watch.watch([BTC]);
    socket.receive(ticker());
    socket.drop();
    const view = watch.view(BTC, false);
    expect([view.bid, view.ask, view.levels.length]).toEqual([null, null, 2]);
    expect(view.staleness).toContain('stream cut');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(watch.view(BTC, false)).toMatchObject({ bid: 59_999, staleness: null });
    expect(requests()).toEqual(['subscribe ticker BTC/USDT', 'subscribe ohlcv BTC/USDT']);
  });
});

describe('the levels of a ticker', () => {
  it('leave out an empty side', () => {
    const { bid: _bid, ...oneSided } = ticker({ bid_qty: 0 });
    expect(levelsOf(oneSided)).toEqual([{ side: 'ASK', price: 60_000, quantity: 0.5 }]);
  });
});

describe('the time of the last trade', () => {
  it('is the minute of the first candle, and the second of each later trade', () => {
    expect(lastTradeText(null, candle(), NOW_MS)).toBe('08:00 UTC');
    expect(lastTradeText(null, candle({ volume: 0 }), NOW_MS)).toBe('before 08:00 UTC');
    expect(lastTradeText(candle(), candle({ volume: 2 }), NOW_MS)).toBe('08:00:30 UTC');
    expect(lastTradeText(candle(), candle({ open_time: NOW_MS + 30_000, volume: 0 }), NOW_MS + 30_000)).toBeNull();
  });
});
