import { describe, expect, it } from 'vitest';
import type { Position } from '../../src/client/wire.js';
import { POSITION_COLUMNS } from '../../src/console/account-columns.js';
import type { Cell, Column } from '../../src/console/cell.js';
import { basisPointsText, percentText, priceText, quantityText, spanText } from '../../src/console/figures.js';
import { livenessNotice } from '../../src/console/liveness.js';
import { actionsIn, confirmationOf, confirmationOfAll } from '../../src/console/order-action.js';
import type { KnownOrder } from '../../src/console/order-board.js';
import { orderColumns } from '../../src/console/order-columns.js';
import { legFacts, orderFacts, termsText } from '../../src/console/order-facts.js';
import { costBps, originAfter, UNKNOWN_ORIGIN } from '../../src/console/order-origin.js';
import { rowOfDetails, type OrderRow } from '../../src/console/order-row.js';
import { ServiceClock } from '../../src/console/service-clock.js';
import { TIMELINE_COLUMNS } from '../../src/console/timeline-columns.js';
import { BEGINNING, details, entry, QUARANTINE, STARTED_MS } from './orders.js';

function cellsOf<Row>(columns: readonly Column<Row>[], row: Row): Readonly<Record<string, Cell>> {
  return Object.fromEntries(columns.map(({ title, cell }) => [title, cell(row)]));
}

function known(changes: Parameters<typeof details>[1] = {}): KnownOrder {
  return { row: rowOfDetails(details(7, changes)) as OrderRow, origin: originAfter(UNKNOWN_ORIGIN, BEGINNING) };
}

const shown = (order: KnownOrder, afterMs: number) =>
  cellsOf(
    orderColumns(() => STARTED_MS + afterMs),
    order,
  );

describe('the row of an order', () => {
  it('tells progress, average against arrival, age and end', () => {
    const order = known({
      status: 'PARTIALLY_FILLED',
      filled_quantity: 0.5,
      leaves_quantity: 1.5,
      average_price: 60_060.5,
    });
    expect(shown(order, 90_000)).toMatchObject({
      Order: { text: '7', note: 'client-7' },
      Status: { text: 'PARTIALLY FILLED', tone: 'good' },
      Filled: { text: '0.5 / 2', note: '25%', share: 0.25 },
      Average: { text: '60,060.5', note: 'arrival 60,000.5' },
      'vs arrival': { text: '+10.0 bps' },
      Age: { text: '1m 30s' },
      End: { text: 'in 8m 30s' },
    });
  });

  it('shows a badge with the reason for an open quarantined order, and the status after its end', () => {
    const order = known({ status: 'PARTIALLY_FILLED', quarantine: QUARANTINE });
    expect(shown(order, 0)['Status']).toMatchObject({
      text: 'QUARANTINED',
      tone: 'bad',
      isBadge: true,
      note: 'PARTIALLY FILLED, CONTRADICTORY_REPORT: CHILD_OVERFILL: fill 2 of 700 lots',
    });
    const ended = known({ status: 'CANCELLED', quarantine: QUARANTINE });
    expect(shown(ended, 0)['Status']).toMatchObject({ text: 'CANCELLED' });
  });

  it('tells why an order was refused, as a text that stands out', () => {
    const order = known({ status: 'REJECTED', error_code: 'INSUFFICIENT_FUNDS', message: '<b>no</b> money' });
    expect(shown(order, 0)['Status']).toMatchObject({ tone: 'bad', note: 'INSUFFICIENT_FUNDS: <b>no</b> money' });
  });

  it('tells what has not begun, has no end, or is past its end', () => {
    expect(shown(known(), 600_001)['End']).toMatchObject({ text: 'overdue', tone: 'bad' });
    const { row } = known({ start_time: STARTED_MS + 60_000 });
    const waiting = shown({ row: { ...row, endAtMs: null }, origin: UNKNOWN_ORIGIN }, 0);
    expect(waiting).toMatchObject({ Age: { text: 'starts in 1m 00s' }, End: { text: 'open end' } });
    expect(waiting['vs arrival']?.text).toBe('–');
  });
});

describe('cost against arrival', () => {
  it.each([
    ['BUY', 101, 100, 100],
    ['SELL', 101, 100, -100],
    ['BUY', 0, 100, null],
    ['BUY', 101, null, null],
  ] as const)('%s at %d, arrival %s: %s bps', (side, average, arrival, bps) => {
    const cost = costBps(side, average, arrival);
    if (bps === null) expect(cost).toBeNull();
    else expect(cost).toBeCloseTo(bps, 6);
  });
});

describe('what is said of an order', () => {
  it('has its fees, its legs and its terms', () => {
    const leg = { ...details(7), is_leading: true, target_value: 1000, ccy: 'USDT', filled_value: 250 };
    const answer = details(7, { fees_infos: { USDT: 1.5 }, legs: [leg as never] });
    const facts = orderFacts(known(), answer);
    expect(facts).toContainEqual({ name: 'Fees', text: '1.5 USDT' });
    expect(facts).toContainEqual({ name: 'Limit', text: '61,000' });
    expect(legFacts(answer)[0]?.text).toBe('BUY BTC/USDT on BINANCE (TWAP): 250 of 1,000 USDT');
    expect(termsText(BEGINNING.slice(1))).toBeNull();
    const terms = {
      clip_size_type: 'PERCENTAGE',
      clip_size_val: 5,
      params: { trigger: { trigger_price: 9 } },
    } as const;
    expect(termsText([entry(1, 0, 'ParentCreated', terms)])).toBe('clip PERCENTAGE 5 · trigger price 9');
  });

  it('says in the timeline what happened and why', () => {
    const [, , started, sent] = BEGINNING.map((one) => cellsOf(TIMELINE_COLUMNS, one));
    expect(started).toMatchObject({ Event: { text: 'parent started' }, Price: { text: '60,000.5', note: 'arrival' } });
    expect(sent).toMatchObject({ Child: { text: '#1' }, Quantity: { text: '0.5' }, Why: { text: 'JOIN_TOUCH' } });
    const refused = entry(9, 0, 'ChildRejected', { error_code: 'EXCHANGE_ERROR', message: 'no' });
    expect(cellsOf(TIMELINE_COLUMNS, refused)['Why']).toMatchObject({
      text: 'EXCHANGE_ERROR',
      note: 'no',
      tone: 'bad',
    });
  });
});

describe('what may be done', () => {
  it('depends on the status', () => {
    expect(actionsIn('ACCEPTED')).toEqual(['pause', 'cancel']);
    expect(actionsIn('PAUSED')).toEqual(['resume', 'cancel']);
    expect(actionsIn('PENDING_CANCEL')).toEqual([]);
    expect(actionsIn('FILLED')).toEqual([]);
  });

  it('is asked for by name', () => {
    for (const action of ['cancel', 'pause', 'resume'] as const) {
      expect(confirmationOf(action, known().row).consequence).toContain(
        'BUY BTC/USDT on BINANCE (TWAP, order 7, client-7)',
      );
    }
    expect(confirmationOfAll(12).verb).toBe('Cancel all 12 open orders');
  });
});

describe('a position near its liquidation', () => {
  it('stands out', () => {
    const position = {
      symbol: 'BTC/USDT:USDT',
      marginMode: 'CROSS',
      leverage: 10,
      markPrice: 100,
      notional: 1,
    } as Position;
    const cell = (liquidationPrice: number) =>
      cellsOf(POSITION_COLUMNS, {
        ...position,
        contracts: 1,
        entryPrice: 1,
        unrealizedPnl: 0,
        side: 'LONG',
        liquidationPrice,
      })['Liquidation'];
    expect([95, 50, 0].map((price) => cell(price)?.tone)).toEqual(['bad', 'plain', 'quiet']);
  });
});

describe('figures', () => {
  it('are short and do not flatter', () => {
    expect([0.00000001, 1234.5].map(quantityText)).toEqual(['0.00000001', '1,234.5']);
    expect([61_084.377_464_75, 0.000_012_34].map(priceText)).toEqual(['61,084.377', '0.00001234']);
    expect([0.9999, 1].map(percentText)).toEqual(['99.9%', '100%']);
    expect([-3.44, 0].map(basisPointsText)).toEqual(['-3.4 bps', '0.0 bps']);
    expect([0, 61_000, 3_660_000, 90_000_000].map(spanText)).toEqual(['0s', '1m 01s', '1h 01m', '1d 01h']);
  });
});

describe('the clock of the service', () => {
  it('tells its skew, its real time, and service time at its speed', () => {
    const clock = new ServiceClock();
    expect([clock.skewMs, clock.serviceMs(5)]).toEqual([null, 5]);
    clock.tell({ status: 'ok', timestamp: 1_500, service_time: 10_000 }, 990, 1_010);
    expect([clock.skewMs, clock.realMs(2_000), clock.serviceMs(1_100)]).toEqual([500, 2_500, 10_100]);
    clock.tell({ status: 'ok', timestamp: 2_500, service_time: 70_000 }, 1_990, 2_010);
    expect(clock.serviceMs(2_100)).toBe(76_000);
  });
});

describe('whether it is live', () => {
  it('is said with since when it is not', () => {
    const stale = { state: 'STALE', sinceMs: STARTED_MS, why: 'lost' } as const;
    expect(livenessNotice(stale, STARTED_MS + 75_000)).toEqual({
      text: 'Stale since 08:00:00 UTC (1m 15s)',
      tone: 'bad',
      hint: 'lost',
    });
    expect(livenessNotice({ state: 'LIVE' }, 0).tone).toBe('good');
  });
});
