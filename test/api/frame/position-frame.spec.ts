import { describe, expect, it } from 'vitest';
import type { Amount } from '../../../src/domain/quantity.js';
import type { EpochMs } from '../../../src/domain/time.js';
import { accountFrames } from '../../../src/api/stream/account-frame.js';
import { positionSnapshotFrame } from '../../../src/api/account/account-frame.js';
import { ACCEPTED } from '../../stream/sample-events.js';
import { CLOSED, POSITION, positionChanged } from '../../stream/sample-positions.js';

function frame(topic: 'position' | 'position_risk', envelope = positionChanged()): unknown {
  return JSON.parse(accountFrames(() => null)(topic, 7, envelope) ?? 'null');
}

const HEAD = { seq: 7, exchange_id: 1, exchange_name: 'BINANCE' };
const FIGURES = {
  symbol: 'BTC/USDT:USDT',
  side: 'LONG',
  margin_mode: 'CROSS',
  contracts: 0.003,
  entry_price: 6_000.0033333333,
  mark_price: 6_100.05,
  liquidation_price: 5_400.01,
  leverage: 10,
  notional: 18.30015,
  unrealized_pnl: 300,
};

describe('positionFrame of topic position', () => {
  it('shows the members of the REST answer in snake case', () => {
    expect(frame('position')).toEqual({
      topic: 'position',
      ...HEAD,
      ...FIGURES,
      collateral: 2_100,
      timestamp: 3_000,
    });
  });

  it('shows a closed position once more, with 0 contracts', () => {
    const closed = { contracts: 0, entry_price: 0, notional: 0, liquidation_price: 0, side: 'SHORT' };
    expect(frame('position', positionChanged({ ...CLOSED, isShort: true }))).toMatchObject(closed);
  });

  it('keeps every digit of a value that no JavaScript number can hold', () => {
    const collateral = 123_456_789_012_345_678_901_234_567n as Amount;
    const grid = { quantityPrecision: 5, pricePrecision: 2, quantityStep: 1, priceStep: 1 };
    const text = positionSnapshotFrame('position', {
      seq: 0,
      venue: 'OKX',
      symbol: 'BTC/USDT:USDT',
      grid,
      position: { ...POSITION, collateral },
      atMs: 1 as EpochMs,
    });
    expect(text).toContain('"collateral":123456789.012345678901234567,');
    expect(text).toContain('"topic":"position","seq":0,"exchange_id":5,"exchange_name":"OKX","snapshot":true,');
  });

  it('throws for an event that is not about a position', () => {
    expect(() => frame('position', ACCEPTED)).toThrow('only PositionChanged makes a position frame');
  });
});

describe('positionFrame of topic position_risk', () => {
  it('shows the margins and the ratio of maintenance margin to collateral', () => {
    expect(frame('position_risk')).toEqual({
      topic: 'position_risk',
      ...HEAD,
      position_risk: {
        ...FIGURES,
        initial_margin: 1_800,
        maintenance_margin: 73,
        margin_ratio: 0.0347619,
        timestamp: 3_000,
      },
    });
  });
});
