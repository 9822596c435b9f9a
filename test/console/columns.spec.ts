import { describe, expect, it } from 'vitest';
import type { Position } from '../../src/client/wire.js';
import { POSITION_COLUMNS, shortId, TIMELINE_COLUMNS } from '../../src/console/view/columns.js';
import type { Cell, TableColumn } from '../../src/console/view/columns.js';
import { orderColumns } from '../../src/console/order/order-columns.js';
import { basisPointsText, decimalText, difference } from '../../src/console/view/figures.js';
import { localText, percentText, priceText, spanText, sum } from '../../src/console/view/figures.js';
import { actionsIn, confirmationOf, confirmationOfAll } from '../../src/console/order/order-facts.js';
import { costFacts, legFacts, orderFacts, termsText } from '../../src/console/order/order-facts.js';
import { costBps, originAfter, rowOfDetails, UNKNOWN_ORIGIN } from '../../src/console/order/order-row.js';
import type { KnownOrder, OrderRow } from '../../src/console/order/order-row.js';
import { BEGINNING, COST_LEG, details, entry, QUARANTINE, STARTED_MS } from './orders.js';

function cellsOf<Row>(columns: readonly TableColumn<Row>[], row: Row): Readonly<Record<string, Cell>> {
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
  it('shows progress, average against arrival, age and end', () => {
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
      Created: { text: localText(STARTED_MS), note: 'age 1m 30s', hint: '2027-01-15 08:00:00 UTC' },
      Limit: { text: '–' },
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

  it('shows the reason of a refusal as highlighted plain text', () => {
    const order = known({ status: 'REJECTED', error_code: 'INSUFFICIENT_FUNDS', message: '<b>no</b> money' });
    expect(shown(order, 0)['Status']).toMatchObject({ tone: 'bad', note: 'INSUFFICIENT_FUNDS: <b>no</b> money' });
  });

  it('shows an order before its start, without an end time, or past its end time', () => {
    expect(shown(known(), 600_001)['End']).toMatchObject({ text: 'overdue', tone: 'bad' });
    const { row } = known({ start_time: STARTED_MS + 60_000 });
    const waiting = shown({ row: { ...row, endAtMs: null }, origin: UNKNOWN_ORIGIN }, 0);
    expect(waiting).toMatchObject({ Created: { note: 'starts in 1m 00s' }, End: { text: 'open end' } });
    expect(waiting['vs arrival']?.text).toBe('–');
  });

  it('shows no waiting time for an order that ended in the millisecond of its creation', () => {
    const order = known({ status: 'FILLED', end_time: STARTED_MS - 1 });
    expect(shown(order, 0)['Created']?.note).toBe('age 0s');
  });

  it('shows the limit price exactly, and the time of creation in the zone of the machine', () => {
    const cells = shown(known({ limit_price: 61_000.123_456_78 }), 0);
    expect(cells['Limit']).toEqual({ text: '61,000.12345678' });
    expect(new Date(cells['Created']?.text ?? '').getTime()).toBe(STARTED_MS);
  });

  it('has what is filled third, and a line for each leg with its exchange', () => {
    expect(
      orderColumns(() => 0)
        .slice(0, 3)
        .map(({ title }) => title),
    ).toEqual(['Status', 'Instrument', 'Filled']);
    const legs = [
      { ...details(7), is_leading: true, target_value: 1, ccy: 'USDT', filled_value: 0 },
      { ...details(7), side: 'SELL', exchange: 'OKX', asset_class: 'FUTURE', is_leading: false, target_value: 1 },
    ];
    const pair = details(7, { legs: legs as never, algo: 'PAIR' });
    const { symbol: _symbol, side: _side, exchange: _exchange, strategy: _strategy, ...answer } = pair;
    const row = rowOfDetails(answer) as OrderRow;
    expect(shown({ row, origin: UNKNOWN_ORIGIN }, 0)['Instrument']).toMatchObject({
      text: 'BUY BTC/USDT',
      note: 'BINANCE · PAIR',
      more: [{ text: 'SELL BTC/USDT', note: 'OKX · future · PAIR' }],
    });
    expect(confirmationOf('cancel', row).consequence).toContain(
      'BUY BTC/USDT on BINANCE and SELL BTC/USDT on OKX (PAIR',
    );
  });
});

describe('the cost against arrival', () => {
  it.each([
    ['BUY', 101, 100, 100],
    ['SELL', 101, 100, -100],
    ['BUY', 0, 100, null],
    ['BUY', 101, null, null],
  ] as const)(
    'is its distance in the direction of a %s: average %d, arrival price %s, %s bps',
    (side, average, arrival, bps) => {
      const cost = costBps(side, average, arrival);
      if (bps === null) expect(cost).toBeNull();
      else expect(cost).toBeCloseTo(bps, 6);
    },
  );
});

describe('the facts of an order', () => {
  it('include fees, legs and terms', () => {
    const leg = { ...details(7), is_leading: true, target_value: 1000, ccy: 'USDT', filled_value: 250 };
    const answer = details(7, { fees_infos: { USDT: 1.5 }, legs: [leg as never] });
    const facts = orderFacts(known({ limit_price: 61_000 }), answer);
    expect(facts).toContainEqual({ name: 'Limit', text: '61,000' });
    expect(facts).toContainEqual({ name: 'Created', text: '2027-01-15 08:00:00 UTC' });
    expect(facts).toContainEqual({ name: 'Fees', text: '1.5 USDT' });
    expect(legFacts(answer)[0]?.text).toBe('BUY BTC/USDT on BINANCE (TWAP): 250 of 1,000 USDT');
    expect(termsText(BEGINNING.slice(1))).toBeNull();
    const terms = {
      clip_size_type: 'PERCENTAGE',
      clip_size_val: 5,
      params: { trigger: { trigger_price: 9 } },
    } as const;
    expect(termsText([entry(1, 0, 'ParentCreated', terms)])).toBe('clip PERCENTAGE 5 · trigger price 9');
  });

  it('are exact for decimals that floating point rounds', () => {
    const order = known({ filled_quantity: 0.1, leaves_quantity: 0.2 });
    expect(order.row.quantity).toBe(0.3);
    expect(orderFacts(order, null)).toContainEqual({ name: 'Leaves', text: '0.2' });
  });

  it('include the known figures of the cost report and omit unknown ones', () => {
    const facts = costFacts(COST_LEG);
    expect(facts).toContainEqual({ name: 'vs arrival', text: '+2.5 bps', tone: 'bad' });
    expect(facts).toContainEqual({ name: 'vs interval VWAP', text: '-1.0 bps', tone: 'good' });
    expect(facts).toContainEqual({ name: 'Shortfall', text: '30.25 USDT' });
    expect(facts).toContainEqual({ name: 'Maker share', text: '75%' });
    expect(facts.map(({ name }) => name)).not.toContain('vs interval TWAP');
    expect(costFacts({ ...COST_LEG, cost: null })).toEqual([]);
  });
});

describe('the timeline', () => {
  it('shows each event with its figures and its reason', () => {
    const [, , started, sent] = BEGINNING.map((one) => cellsOf(TIMELINE_COLUMNS, one));
    expect(started).toMatchObject({ Event: { text: 'parent started' }, Price: { text: '60,000.5', note: 'arrival' } });
    expect(sent).toMatchObject({ Child: { text: '#1' }, Quantity: { text: '0.5' }, Why: { text: 'JOIN_TOUCH' } });
    const refused = entry(9, 0, 'ChildRejected', { error_code: 'EXCHANGE_ERROR', message: 'no' });
    expect(cellsOf(TIMELINE_COLUMNS, refused)['Why']).toMatchObject({
      text: 'EXCHANGE_ERROR',
      note: 'no',
      tone: 'bad',
    });
    expect(shortId('65537-12')).toBe('#12');
  });
});

describe('the actions on an order', () => {
  it('depend on the status of the order', () => {
    expect(actionsIn('ACCEPTED')).toEqual(['pause', 'cancel']);
    expect(actionsIn('PAUSED')).toEqual(['resume', 'cancel']);
    expect(actionsIn('PENDING_CANCEL')).toEqual([]);
    expect(actionsIn('FILLED')).toEqual([]);
  });

  it('ask for a confirmation that names the order', () => {
    for (const action of ['cancel', 'pause', 'resume'] as const) {
      expect(confirmationOf(action, known().row).consequence).toContain(
        'BUY BTC/USDT on BINANCE (TWAP, order 7, client-7)',
      );
    }
    expect(confirmationOfAll(12).verb).toBe('Cancel all 12 open orders');
  });
});

describe('a position', () => {
  it('is highlighted near its liquidation price', () => {
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
  it('are exact decimals or short texts, and a share below 1 never shows 100 %', () => {
    expect([0.00000001, 1234.5, 9_007_199.12345678].map(decimalText)).toEqual([
      '0.00000001',
      '1,234.5',
      '9,007,199.12345678',
    ]);
    expect(decimalText('1000000.000000000000000000001')).toBe('1,000,000.000000000000000000001');
    expect([sum(0.1, 0.2), difference(0.3, 0.1)]).toEqual([0.3, 0.2]);
    expect([61_084.377_464_75, 0.000_012_34].map(priceText)).toEqual(['61,084.377', '0.00001234']);
    expect([0.9999, 1].map(percentText)).toEqual(['99.9%', '100%']);
    expect([-3.44, 0, -0.04, 0.04, 2.06].map(basisPointsText)).toEqual([
      '-3.4 bps',
      '0.0 bps',
      '0.0 bps',
      '0.0 bps',
      '+2.1 bps',
    ]);
    expect([0, 61_000, 3_660_000, 90_000_000].map(spanText)).toEqual(['0s', '1m 01s', '1h 01m', '1d 01h']);
  });
});
