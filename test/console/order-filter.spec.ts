import { describe, expect, it } from 'vitest';
import {
  FILTER_CHOICES,
  fragmentOf,
  instantOf,
  isFiltering,
  listOf,
  localMinute,
  matcherOf,
  NO_FILTER,
  type OrderFilter,
} from '../../src/console/order/order-filter.js';
import { rowOfDetails, type OrderRow } from '../../src/console/order/order-row.js';
import { ORDER_STATUSES } from '../../src/domain/order.js';
import { details, STARTED_MS } from './orders.js';

const LEGS = [
  { ...details(1), side: 'BUY', exchange: 'BINANCE' },
  { ...details(1), side: 'SELL', exchange: 'OKX' },
];
const SINGLE = rowOfDetails(details(1)) as OrderRow;
const PAIR = rowOfDetails(details(2, { legs: LEGS as never })) as OrderRow;

const holds = (part: Partial<OrderFilter>, row = SINGLE): boolean => matcherOf({ ...NO_FILTER, ...part })(row);

describe('a filter of orders', () => {
  it.each([
    [{}, true],
    [{ exchange: 'BINANCE' }, true],
    [{ exchange: 'OKX' }, false],
    [{ side: 'BUY' }, true],
    [{ side: 'SELL' }, false],
    [{ status: 'ACCEPTED' }, true],
    [{ status: 'PAUSED' }, false],
    [{ fromMs: STARTED_MS, toMs: STARTED_MS }, true],
    [{ fromMs: STARTED_MS + 1 }, false],
    [{ toMs: STARTED_MS - 1 }, false],
    [{ text: 'btc CLIENT-1' }, true],
    [{ text: 'btc client-2' }, false],
    [{ exchange: 'BINANCE', side: 'SELL' }, false],
  ] as const)('%j holds for an order: %s', (part, isMatch) => {
    expect(holds(part)).toBe(isMatch);
    expect(isFiltering({ ...NO_FILTER, ...part })).toBe(Object.keys(part).length > 0);
  });

  it('holds for an order when it holds for one leg', () => {
    expect(holds({ exchange: 'OKX' }, PAIR)).toBe(true);
    expect(holds({ side: 'SELL' }, PAIR)).toBe(true);
    expect(holds({ exchange: 'KRAKEN' }, PAIR)).toBe(false);
  });

  it('offers every status in which an order rests', () => {
    expect([...FILTER_CHOICES.status].sort()).toEqual(ORDER_STATUSES.filter((one) => one !== 'CANCEL_REJECTED').sort());
  });
});

describe('the fragment of the address', () => {
  const FILTER: OrderFilter = {
    exchange: 'OKX',
    side: 'SELL',
    status: 'PARTIALLY_FILLED',
    fromMs: STARTED_MS,
    toMs: STARTED_MS + 60_000 * 5 - 1,
    text: 'a & b=ü',
  };

  it('opens the same list again', () => {
    const fragment = fragmentOf('ended', FILTER);
    expect(fragment).toContain('view=ended&exchange=OKX&side=SELL&status=PARTIALLY_FILLED&from=2027-01-15T08:00Z');
    expect(listOf(`#${fragment}`)).toEqual({ view: 'ended', filter: FILTER });
    expect(fragmentOf('open', NO_FILTER)).toBe('');
    expect(listOf('')).toEqual({ view: 'open', filter: NO_FILTER });
  });

  it('has no effect where it is wrong', () => {
    const wrong = '#view=all&exchange=NASDAQ&side=HOLD&status=GONE&from=yesterday&to=2027-13-45T99:00Z&more=1&%E0';
    expect(listOf(wrong)).toEqual({ view: 'open', filter: NO_FILTER });
  });
});

describe('a field of local time', () => {
  it('names a whole minute', () => {
    const text = localMinute(STARTED_MS + 59_000);
    expect(text).toMatch(/^2027-01-1\dT\d\d:\d\d$/);
    expect([instantOf(text, 'first'), instantOf(text, 'last')]).toEqual([STARTED_MS, STARTED_MS + 59_999]);
    expect([localMinute(null), instantOf('', 'first'), instantOf('never', 'last')]).toEqual(['', null, null]);
  });
});
