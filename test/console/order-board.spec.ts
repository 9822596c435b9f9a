import { describe, expect, it } from 'vitest';
import { ENDED_ORDERS_MAX, OrderBoard, type BoardQuery } from '../../src/console/order/order-board.js';
import { NO_FILTER } from '../../src/console/order/order-filter.js';
import { BEGINNING, details, orderFrame, QUARANTINE } from './orders.js';

const EVERYTHING: BoardQuery = {
  view: 'open',
  filter: NO_FILTER,
  rank: ({ row }) => row.orderId,
  isDescending: true,
  rowsMax: 100,
};

function ids(board: OrderBoard, question: Partial<BoardQuery> = {}): readonly number[] {
  return board.page({ ...EVERYTHING, ...question }).orders.map(({ row }) => row.orderId);
}

describe('the order board', () => {
  it('lists open orders, newest first, apart from ended ones', () => {
    const board = new OrderBoard();
    for (const id of [1, 2, 3]) board.take(details(id));
    board.takeFrame(orderFrame(2, 50, { status: 'CANCELLED' }));
    expect(ids(board)).toEqual([3, 1]);
    expect(ids(board, { view: 'ended' })).toEqual([2]);
    expect(board.page(EVERYTHING).counts).toEqual({ open: 2, quarantined: 0, attention: 0, ended: 1 });
  });

  it('lists quarantined orders from answers and frames until they end', () => {
    const board = new OrderBoard();
    for (const id of [1, 2, 3]) board.take(details(id));
    board.take(details(1, { quarantine: QUARANTINE }));
    board.takeFrame({ ...orderFrame(2, 50), quarantine: QUARANTINE });
    expect(ids(board, { view: 'quarantined' })).toEqual([2, 1]);
    board.takeFrame({ ...orderFrame(2, 60, { status: 'CANCELLED' }), quarantine: QUARANTINE });
    expect(ids(board, { view: 'quarantined' })).toEqual([1]);
    expect(board.page(EVERYTHING).counts.quarantined).toBe(1);
  });

  it('lists orders under attention that the service ended or refused', () => {
    const board = new OrderBoard();
    board.takeFrame(orderFrame(1, 1, { status: 'REJECTED', error_code: 'INSUFFICIENT_FUNDS', message: 'no money' }));
    board.takeFrame(orderFrame(2, 2, { status: 'EXPIRED', error_code: 'EXPIRY_REACHED' }));
    board.takeFrame(orderFrame(3, 3, { status: 'CANCELLED' }));
    expect(ids(board, { view: 'attention' })).toEqual([2, 1]);
  });

  it('applies the frames that came during a request on top of its older answer', () => {
    const board = new OrderBoard();
    const framesSince = board.beginRequest();
    board.takeFrame(orderFrame(1, 90, { status: 'FILLED', filled_quantity: 2 }));
    board.takeFrame(orderFrame(4, 95));
    expect(board.takeOpen([details(1), details(2)], framesSince)).toEqual([]);
    expect(ids(board)).toEqual([4, 2]);
    expect(ids(board, { view: 'ended' })).toEqual([1]);
  });

  it('returns the orders that ended while the stream was down', () => {
    const board = new OrderBoard();
    board.take(details(1));
    board.take(details(2));
    expect(board.takeOpen([details(2)], board.beginRequest())).toEqual([1]);
    board.take(details(1, { status: 'FILLED', filled_quantity: 2, leaves_quantity: 0 }));
    expect(ids(board)).toEqual([2]);
  });

  it('takes the frames of a feed in their order when the clock of the exchange is behind', () => {
    const board = new OrderBoard();
    board.takeFrame(orderFrame(1, 90));
    board.takeFrame(orderFrame(1, 87, { status: 'FILLED', filled_quantity: 2 }));
    expect(board.find(1)?.row).toMatchObject({ status: 'FILLED', filled: 2 });
  });

  it('ignores the frames of a multi-leg order in the feed of its other exchange', () => {
    const board = new OrderBoard();
    board.takeFrame(orderFrame(1, 90, { status: 'FILLED', filled_quantity: 2 }));
    const late = orderFrame(1, 95, { status: 'PARTIALLY_FILLED', filled_quantity: 1 });
    board.takeFrame({ ...late, exchange_id: 5, exchange_name: 'OKX' });
    expect(board.find(1)?.row).toMatchObject({ status: 'FILLED', filled: 2 });
  });

  it('keeps the origin of an order through later frames', () => {
    const board = new OrderBoard();
    board.take(details(7));
    board.learn(7, BEGINNING);
    board.takeFrame(orderFrame(7, 90, { filled_quantity: 1 }));
    expect(board.find(7)?.origin).toEqual({ isRead: true, arrivalPrice: 60_000.5 });
  });

  it('filters by every word, sorts, and counts the hidden rows', () => {
    const board = new OrderBoard();
    board.take(details(1, { filled_quantity: 1, leaves_quantity: 1 }));
    board.take(details(2, { exchange: 'OKX', symbol: 'ETH/USDT' }));
    board.take(details(3, { exchange: 'OKX' }));
    expect(ids(board, { filter: { ...NO_FILTER, text: 'okx btc' } })).toEqual([3]);
    expect(ids(board, { rank: ({ row }) => row.filled })).toEqual([1, 3, 2]);
    expect(ids(board, { rank: ({ row }) => row.venues.join(), isDescending: false })).toEqual([1, 3, 2]);
    expect(board.page({ ...EVERYTHING, rowsMax: 2 }).hiddenCount).toBe(1);
  });

  it('counts all orders of each view, and those that match the filter', () => {
    const board = new OrderBoard();
    board.take(details(1, { exchange: 'OKX' }));
    board.take(details(2));
    board.takeFrame(orderFrame(3, 1, { status: 'REJECTED', error_code: 'INSUFFICIENT_FUNDS', message: 'no money' }));
    const page = board.page({ ...EVERYTHING, filter: { ...NO_FILTER, exchange: 'OKX' } });
    expect(page.counts).toEqual({ open: 2, quarantined: 0, attention: 1, ended: 1 });
    expect(page.matchCounts).toEqual({ open: 1, quarantined: 0, attention: 0, ended: 0 });
  });

  it('shows a frame of an order that matches the filter, and no other', () => {
    const board = new OrderBoard();
    const filter = { ...NO_FILTER, status: 'PAUSED' };
    board.takeFrame(orderFrame(1, 1));
    expect(ids(board, { filter })).toEqual([]);
    board.takeFrame(orderFrame(1, 2, { status: 'PAUSED' }));
    board.takeFrame(orderFrame(2, 3));
    expect(ids(board, { filter })).toEqual([1]);
  });

  it('takes ended orders of earlier times below the others, and changes no order that it knows', () => {
    const board = new OrderBoard();
    board.takeFrame(orderFrame(9, 1, { status: 'FILLED', filled_quantity: 2 }));
    board.take(details(8));
    const ended = { status: 'CANCELLED' } as const;
    board.takeFound([details(9, ended), details(8, ended), details(7), details(6, ended), details(5, ended)]);
    expect(board.find(9)?.row.status).toBe('FILLED');
    expect(board.find(8)?.row.status).toBe('ACCEPTED');
    expect(board.find(7)).toBeNull();
    expect(ids(board, { view: 'ended' })).toEqual([9, 6, 5]);
    for (let id = 10; id < ENDED_ORDERS_MAX + 8; id += 1) board.takeFrame(orderFrame(id, id, { status: 'FILLED' }));
    expect([5, 6, 9].map((id) => board.find(id) !== null)).toEqual([false, true, true]);
    board.takeFound([details(4, ended)]);
    expect(board.find(4)).toBeNull();
  });

  it('drops the orders that ended first', () => {
    const board = new OrderBoard();
    for (let id = 1; id <= ENDED_ORDERS_MAX + 2; id += 1) board.takeFrame(orderFrame(id, id, { status: 'FILLED' }));
    expect(board.page(EVERYTHING).counts.ended).toBe(ENDED_ORDERS_MAX);
    expect(board.find(2)).toBeNull();
    expect(board.find(3)).not.toBeNull();
  });

  it('lists a multi-leg order once, with both exchanges', () => {
    const board = new OrderBoard();
    const leg = {
      asset_class: 'SPOT',
      is_leading: true,
      target_value: 1,
      ccy: 'BTC',
      quantity: 1,
      strategy: 'TWAP',
      filled_quantity: 0,
      average_price: 0,
      filled_value: 0,
    } as const;
    const legs = [
      { ...leg, exchange_id: 1, exchange_name: 'BINANCE', symbol: 'BTC/USDT', side: 'BUY' },
      { ...leg, exchange_id: 5, exchange_name: 'OKX', symbol: 'BTC/USDT:USDT', side: 'SELL', is_leading: false },
    ] as const;
    board.takeFrame(orderFrame(1, 1, {}, { algo: 'PAIR', legs }));
    expect(board.find(1)?.row).toMatchObject({
      strategy: 'PAIR',
      side: 'BUY + SELL',
      symbol: 'BTC/USDT + BTC/USDT:USDT',
      venues: ['BINANCE', 'OKX'],
    });
  });
});
