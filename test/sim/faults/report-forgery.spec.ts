import { describe, expect, it } from 'vitest';
import type { Amount, Lots, Ticks } from '../../../src/domain/quantity.js';
import type { AccountId, ChildNumber, OrderId, VenueOrderId, VenueTradeId } from '../../../src/domain/ids.js';
import { FAULT_CHILD_NUMBER_STEP } from '../../../src/domain/limits/trading.js';
import type { Side } from '../../../src/domain/order.js';
import type { EpochMs } from '../../../src/domain/time.js';
import type { VenueReport } from '../../../src/domain/venue-report.js';
import type { Forgery } from '../../../src/sim/faults/fault-rule.js';
import { forged } from '../../../src/sim/faults/report-forgery.js';
import { decodeVenueReport, encodeVenueReport } from '../../../src/wire/codec/venue-report.js';
import { BTC } from '../../venue/gateway/scripted-gateway.js';

type ChildReport = Parameters<typeof forged>[1];

const HEAD = {
  account: 'alice' as AccountId,
  venue: 'BINANCE',
  orderId: 7 as OrderId,
  child: 1 as ChildNumber,
  atMs: 1_800_000_000_000 as EpochMs,
} as const;

const FILLED: ChildReport = {
  kind: 'Filled',
  ...HEAD,
  fill: {
    tradeId: 3 as VenueTradeId,
    exchangeTradeId: '',
    venueOrderId: 'v1' as VenueOrderId,
    quantity: 40 as Lots,
    price: 9_990 as Ticks,
    liquidity: 'MAKER',
    fee: 0n as Amount,
    feeCurrency: 'USDT',
  },
};

function placed(side: Side, limitPrice: number | null = 10_000) {
  const { account, venue } = HEAD;
  return { account, venue, instrument: BTC.index, side, quantity: 100 as Lots, limitPrice: limitPrice as Ticks | null };
}

function forgedFill(rule: Forgery, side: Side, limitPrice?: number | null): ChildReport {
  const [report] = forged(rule, FILLED, placed(side, limitPrice));
  return report as ChildReport;
}

describe('a forged report', () => {
  it("adds the child's whole quantity to the fill", () => {
    expect(forgedFill({ fault: 'overfill', report: 'fill' }, 'BUY')).toMatchObject({ fill: { quantity: 140 } });
  });

  it.each([
    ['BUY', 10_000, 10_100],
    ['SELL', 10_000, 9_900],
    ['BUY', null, 9_990],
  ] as const)('fills a %s order with limit %s at %s', (side, limitPrice, price) => {
    expect(forgedFill({ fault: 'wrong-price', report: 'fill' }, side, limitPrice)).toMatchObject({ fill: { price } });
  });

  it('names the opposite side', () => {
    expect(forgedFill({ fault: 'wrong-side', report: 'fill' }, 'SELL')).toMatchObject({ side: 'BUY' });
  });

  it('follows for a child that was never placed', () => {
    expect(forged({ fault: 'unknown-child', report: 'any' }, FILLED, placed('BUY'))).toEqual([
      FILLED,
      { ...FILLED, child: 1 + FAULT_CHILD_NUMBER_STEP },
    ]);
  });

  it.each([
    ['other-id', { kind: 'Accepted' }],
    ['cancelled-over', { kind: 'Cancelled', filled: 200 }],
    ['answered-less', { kind: 'StatusAnswered', filled: 0 }],
    ['rejected', { kind: 'Rejected' }],
  ] as const)('contradicts the first report: %s', (says, expected) => {
    const rule = { fault: 'contradict', report: 'any', says } as const;
    const [first, second] = forged(rule, FILLED, placed('BUY'));
    expect(first).toBe(FILLED);
    expect(second).toMatchObject({ ...HEAD, ...expected });
  });

  it.each(['overfill', 'wrong-price', 'wrong-side'] as const)('is unchanged for an unknown child: %s', (fault) => {
    expect(forged({ fault, report: 'fill' }, FILLED, null)).toEqual([FILLED]);
  });

  it('is encoded and decoded with and without a side', () => {
    const reports: VenueReport[] = [FILLED, { ...FILLED, side: 'SELL' }, { ...FILLED, side: 'BUY' }];
    for (const report of reports) expect(decodeVenueReport(encodeVenueReport(report))).toEqual(report);
  });
});
