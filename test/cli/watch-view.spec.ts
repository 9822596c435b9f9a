import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LiveRegion, progressLine, progressLines } from '../../src/cli/watch/progress-screen.js';
import { OrderPicture } from '../../src/cli/watch/order-picture.js';
import type { Frame, OrderDetails } from '../../src/client/index.js';
import { FakeTerminal } from './screen.js';

const HEAD = { exchange_id: 1, exchange_name: 'BINANCE' };

const DETAILS = {
  order_id: 7,
  status: 'PENDING_NEW',
  strategy: 'TWAP',
  side: 'BUY',
  symbol: 'BTC/USDT',
  exchange: 'BINANCE',
  filled_quantity: 0,
  leaves_quantity: 0.5,
  average_price: 0,
  start_time: 1000,
  end_time: 61_000,
} as OrderDetails;

function pictureOf(frames: readonly object[], details: OrderDetails = DETAILS): OrderPicture {
  const picture = new OrderPicture(details);
  frames.forEach((frame, index) => picture.apply({ seq: index + 1, ...HEAD, ...frame } as Frame));
  return picture;
}

function child(number: number, status = 'FILLED', parent = '7'): object {
  return {
    topic: 'child_order',
    order_status: { client_order_id: `${parent}-${number}`, status, filled_quantity: 0.01 },
    order: { parent_order_id: parent, quantity: 0.02, limit_price: 60_000.1 },
  };
}

const ORDER = {
  topic: 'order',
  order_status: { order_id: '7', status: 'PARTIALLY_FILLED', filled_quantity: 0.2, average_price: 60_001.25 },
};
const TICKER = { topic: 'ticker', bid: 60_000.1, ask: 60_000.2 };

describe('the order picture', () => {
  it('folds only the frames of its order', () => {
    const foreign = { ...ORDER, order_status: { ...ORDER.order_status, order_id: '8', status: 'FILLED' } };
    const picture = pictureOf([
      TICKER,
      ORDER,
      foreign,
      child(1),
      child(2, 'ACCEPTED'),
      child(9, 'FILLED', '8'),
      child(2),
    ]);
    expect(picture).toMatchObject({ status: 'PARTIALLY_FILLED', filled: 0.2, childCount: 2, isOver: false });
    expect(picture.latestChildren(5).map((row) => [row.number, row.status])).toEqual([
      [1, 'FILLED'],
      [2, 'FILLED'],
    ]);
    expect(pictureOf([TICKER, { topic: 'ticker', ask: 1 }]).quote).toEqual({ bid: 60_000.1, ask: 60_000.2 });
    expect([0, 1000, 31_000, 90_000].map((nowMs) => picture.scheduled(nowMs))).toEqual([0, 0, 0.5, 1]);
  });

  it('takes over the state that was read after an outage, with a new end', () => {
    const picture = pictureOf([ORDER]);
    picture.onDetails({
      ...DETAILS,
      status: 'CANCELLED',
      filled_quantity: 0.3,
      average_price: 60_002,
      end_time: 31_000,
    });
    expect(picture).toMatchObject({ status: 'CANCELLED', filled: 0.3, average: 60_002, isOver: true, quantity: 0.5 });
    expect(picture.scheduled(31_000)).toBe(1);
  });

  it('names both legs of a pair, and the mode of a real exchange', () => {
    const leg = { exchange: 'OKX', symbol: 'BTC/USDT:USDT', side: 'SELL', live_mode: 'testnet' };
    const legs = [{ exchange: 'BINANCE', symbol: 'BTC/USDT', side: 'BUY' }, leg];
    const { strategy: _, side: _side, ...details } = DETAILS;
    expect(pictureOf([], { ...details, algo: 'PAIR', legs } as unknown as OrderDetails).title).toBe(
      'PAIR BUY+SELL 0.5 BTC/USDT+BTC/USDT:USDT on BINANCE+OKX:testnet',
    );
  });

  it('keeps the latest children and counts all', () => {
    const picture = pictureOf(Array.from({ length: 200 }, (_, index) => child(index + 1)));
    expect(picture.childCount).toBe(200);
    expect(picture.latestChildren(100)).toHaveLength(50);
    expect(picture.latestChildren(1)[0]?.number).toBe(200);
  });
});

describe('the progress of an order', () => {
  it('shows the filled share against the schedule', () => {
    const lines = progressLines(pictureOf([TICKER, ORDER, child(1)]), { nowMs: 31_000, width: 42 });
    expect(lines).toEqual([
      'TWAP BUY 0.5 BTC/USDT on BINANCE  PARTIALL',
      '[████████████████░░░░│░░░░░░░░░░░░░░░░░░░]',
      'filled 40 %  0.2 of 0.5',
      '│ schedule 50 %  30 s left',
      'bid 60000.1  ask 60000.2  average 60001.25',
      '',
      '#  CHILD   QUANTITY    PRICE  FILLED',
      '1  FILLED      0.02  60000.1    0.01',
    ]);
  });

  it('shows no schedule for an order without an end, and that the connection is lost', () => {
    const { end_time: _, ...endless } = DETAILS;
    const picture = pictureOf([TICKER, ORDER], endless);
    picture.isConnected = false;
    expect(progressLines(picture, { nowMs: 31_000, width: 72 }).slice(0, 4)).toEqual([
      'TWAP BUY 0.5 BTC/USDT on BINANCE  PARTIALLY_FILLED  not connected',
      `[${'█'.repeat(24)}${'░'.repeat(36)}]`,
      'filled 40 %  0.2 of 0.5',
      'no end',
    ]);
    expect(progressLine(picture, 31_000)).toBe(
      'PARTIALLY_FILLED, filled 0.2 of 0.5 (40 %), 0 children, ' +
        'bid 60000.1  ask 60000.2  average 60001.25, no end, not connected',
    );
  });

  it('fits every width from one column on', () => {
    const { end_time: _, ...endless } = DETAILS;
    const pictures = [pictureOf([]), pictureOf([TICKER, ORDER, child(1), child(2)]), pictureOf([], endless)];
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), fc.integer({ min: -1e6, max: 1e6 }), (width, nowMs) => {
        for (const picture of pictures) {
          for (const line of progressLines(picture, { nowMs, width })) expect(line.length).toBeLessThanOrEqual(width);
        }
      }),
    );
  });

  it('is one line without a terminal', () => {
    expect(progressLine(pictureOf([TICKER, ORDER, child(1)]), 31_000)).toBe(
      'PARTIALLY_FILLED, filled 0.2 of 0.5 (40 %), schedule 50 %, 1 children, ' +
        'bid 60000.1  ask 60000.2  average 60001.25, 30 s left',
    );
  });
});

describe('the live region', () => {
  it('leaves only its last drawing after any resize', () => {
    const step = fc.record({
      lines: fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1, maxLength: 12 }),
      columns: fc.integer({ min: 20, max: 100 }),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
        const terminal = new FakeTerminal(80, 50);
        terminal.write('before\n');
        const region = new LiveRegion(terminal);
        let last: string[] = [];
        for (const { lines, columns } of steps) {
          // The width only shrinks: in this model a terminal does not unfold folded lines.
          terminal.columns = Math.min(terminal.columns, columns);
          last = lines.map((length, index) => String(index % 10).repeat(Math.min(length, region.width)));
          region.draw(last);
        }
        expect(terminal.text).toEqual(['before', ...last]);
      }),
    );
  });

  it('takes a terminal of 0 columns and 0 rows for one of unknown size', () => {
    const written: string[] = [];
    const region = new LiveRegion({ isTTY: true, columns: 0, rows: 0, write: (text: string) => written.push(text) });
    expect(region.width).toBe(79);
    for (let round = 0; round < 2; round += 1) region.draw(['a', 'b']);
    expect(written[1]).toBe('\x1b[?25l\x1b[2A\r\x1b[Ja\nb\n');
  });

  it('draws at most the lines of the terminal', () => {
    const terminal = new FakeTerminal(80, 4);
    const region = new LiveRegion(terminal);
    for (let round = 0; round < 2; round += 1) region.draw(['a', 'b', 'c', 'd', 'e']);
    expect(terminal.text).toEqual(['a', 'b', 'c']);
  });
});
