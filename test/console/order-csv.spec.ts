import { describe, expect, it } from 'vitest';
import { exportName, exportOrders, withExactNumbers } from '../../src/console/order/order-csv.js';
import { NO_FILTER } from '../../src/console/order/order-filter.js';
import type { OrderDetails } from '../../src/client/wire.js';
import type { OrderPage } from '../../src/console/order/order-search.js';
import { details, QUARANTINE, STARTED_MS } from './orders.js';

const HEAD =
  'order_id,client_order_id,status,strategy,side,symbol,exchange,asset_class,live_mode,quantity,filled_quantity,' +
  'leaves_quantity,average_price,limit_price,created_at,start_time,end_time,error_code,message,quarantine';

function pageOf(orders: readonly OrderDetails[], text = JSON.stringify({ orders })): OrderPage {
  return { orders, text };
}

const NOTHING = pageOf([]);
const parts = (open: OrderPage, past = NOTHING) => ({
  open: () => Promise.resolve(open),
  find: () => Promise.resolve(past),
});

/** The lines of the open orders. */
async function linesOf(...orders: OrderDetails[]): Promise<readonly string[]> {
  const { csv } = await exportOrders(parts(pageOf(orders)), 'open', NO_FILTER);
  return csv.split('\r\n');
}

describe('the list as CSV', () => {
  it('has a heading, a line for each order, and a line break at the end', async () => {
    const limited = details(7, { limit_price: 61_000.5, live_mode: 'testnet' });
    expect(await linesOf(limited, details(8))).toEqual([
      HEAD,
      '8,client-8,ACCEPTED,TWAP,BUY,BTC/USDT,BINANCE,SPOT,,2,0,2,0,,2027-01-15T08:00:00.000Z,2027-01-15T08:00:00.000Z,2027-01-15T08:10:00.000Z,,,',
      '7,client-7,ACCEPTED,TWAP,BUY,BTC/USDT,BINANCE,SPOT,testnet,2,0,2,0,61000.5,2027-01-15T08:00:00.000Z,2027-01-15T08:00:00.000Z,2027-01-15T08:10:00.000Z,,,',
      '',
    ]);
  });

  it('quotes commas, quotes and line breaks', async () => {
    const [, line] = await linesOf(details(7, { client_order_id: 'a,"b"', message: 'no\nmoney' }));
    expect(line).toContain('7,"a,""b""",');
    expect(line).toContain(',"no\nmoney",');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1'])('keeps the text %j from being a formula', async (text) => {
    const [, line] = await linesOf(details(7, { client_order_id: text, message: text }));
    expect(line).toContain(`7,'${text},ACCEPTED`);
    expect(line).toMatch(/,'[^,]*,$/);
  });

  it('has decimals as the service wrote them, without an exponent', async () => {
    const written = JSON.stringify({ orders: [details(7, { quantity: 11, average_price: 22, limit_price: 33 })] })
      .replace('"quantity":11', '"quantity":1e-8')
      .replace('"average_price":22', '"average_price":12345.1234567890123456')
      .replace('"limit_price":33', '"limit_price":0.000000012345678901234567');
    const page = pageOf((JSON.parse(written) as { orders: OrderDetails[] }).orders, written);
    const { csv } = await exportOrders(parts(page), 'open', NO_FILTER);
    expect(csv).toContain(',0.00000001,0,2,12345.1234567890123456,0.000000012345678901234567,');
    expect(withExactNumbers('{"a":-1.50,"b":"2, \\"3\\"","c":[1e3,true,null]}')).toEqual({
      a: '-1.50',
      b: '2, "3"',
      c: ['1e3', true, null],
    });
  });

  it('has a multi-leg order in one line, and a quarantine with its reason', async () => {
    const legs = [
      { ...details(7), is_leading: true },
      { ...details(7), side: 'SELL', exchange: 'OKX', asset_class: 'FUTURE' },
    ];
    const [, line] = await linesOf(details(7, { legs: legs as never, quarantine: QUARANTINE }));
    expect(line).toContain(',BUY + SELL,BTC/USDT + BTC/USDT,BINANCE + OKX,SPOT + FUTURE,');
    expect(line).toContain('CONTRADICTORY_REPORT: CHILD_OVERFILL');
  });

  it('has the orders of the list that match the filter, each once, newest first', async () => {
    const refused = { status: 'REJECTED', error_code: 'INSUFFICIENT_FUNDS', message: 'no' } as const;
    const past = pageOf([details(4), details(3, refused), details(2, { status: 'FILLED' }), details(1, refused)]);
    const open = pageOf([details(4, { quarantine: QUARANTINE, error_code: 'SYSTEM_ERROR' }), details(5)]);
    const ids = async (view: Parameters<typeof exportOrders>[1], filter = NO_FILTER) => {
      const { csv, count, isComplete } = await exportOrders(parts(open, past), view, filter);
      const lines = csv.split('\r\n').slice(1, -1);
      expect([lines.length, isComplete]).toEqual([count, true]);
      return lines.map((line) => Number(line.split(',')[0]));
    };
    expect(await ids('open')).toEqual([5, 4]);
    expect(await ids('quarantined')).toEqual([4]);
    expect(await ids('attention')).toEqual([4, 3, 1]);
    expect(await ids('ended')).toEqual([3, 2, 1]);
    expect(await ids('ended', { ...NO_FILTER, status: 'FILLED' })).toEqual([2]);
    expect(await ids('ended', { ...NO_FILTER, exchange: 'OKX' })).toEqual([]);
  });

  it('says that older orders are missing, and asks for the interval of the filter', async () => {
    const asked: unknown[] = [];
    const full = pageOf(Array.from({ length: 1_000 }, (_, index) => details(index + 1, { status: 'FILLED' })));
    const find = (window: unknown) => {
      asked.push(window);
      return Promise.resolve(full);
    };
    const filter = { ...NO_FILTER, fromMs: STARTED_MS - 5, toMs: STARTED_MS };
    const { count, isComplete } = await exportOrders({ ...parts(NOTHING), find }, 'ended', filter);
    expect([count, isComplete]).toEqual([1_000, false]);
    expect(asked).toEqual([expect.objectContaining({ fromMs: STARTED_MS - 5, toMs: STARTED_MS })]);
  });

  it('is named after the list and the time in UTC', () => {
    expect(exportName('ended', STARTED_MS)).toBe('sluice-orders-ended-20270115T080000Z.csv');
  });
});
