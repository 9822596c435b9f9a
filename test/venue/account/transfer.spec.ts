import { describe, expect, test } from 'vitest';
import { amountOf, type Amount } from '../../../src/model/amount.js';
import type { AccountId } from '../../../src/model/ids.js';
import { masterOf, tradingAccount } from '../../../src/model/trading-account.js';
import { imbalances } from '../audit.js';
import { FuturesDesk, START_USDT } from './futures-desk.js';

const SUB = tradingAccount('alice' as AccountId, 'desk 2');

function transfer(
  desk: FuturesDesk,
  parts: { to?: AccountId; amount?: Amount; transferId?: string } = {},
  account = 'alice',
) {
  const { to = SUB, amount = amountOf(250, 0), transferId = 'one' } = parts;
  return desk.set({ kind: 'Transfer', to, asset: 'USDT', amount, transferId }, account);
}

describe('a sub-account', () => {
  test('is named after its master, whatever its own name', () => {
    expect(masterOf(tradingAccount('alice' as AccountId, 'a/b'))).toBe('alice');
    expect(tradingAccount('alice' as AccountId, null)).toBe('alice');
  });

  test('has balances of its own', () => {
    const desk = new FuturesDesk();
    desk.venue.submit({ account: SUB, type: 'MARKET', quantity: 1_000 });
    expect(desk.venue.balance('USDT').total).toBe(START_USDT);
    expect(desk.venue.balance('USDT', SUB).total).toBeLessThan(START_USDT);
  });
});

describe('a transfer', () => {
  test('moves the amount to the sub-account and back', () => {
    const desk = new FuturesDesk();
    expect(transfer(desk)).toBeNull();
    expect(desk.venue.balance('USDT', SUB).total).toBe(START_USDT + amountOf(250, 0));
    expect(transfer(desk, { to: 'alice' as AccountId, amount: amountOf(1_000_250, 0) }, SUB)).toBeNull();
    expect(desk.venue.balance('USDT', SUB).total).toBe(0n);
    expect(desk.venue.balance('USDT').total).toBe(START_USDT * 2n);
    expect(imbalances(desk.venue.store)).toEqual({});
  });

  test('is carried out once, also when the process died in between', () => {
    const desk = new FuturesDesk();
    transfer(desk);
    expect(transfer(desk)).toBeNull();
    desk.venue.restart();
    expect(transfer(desk)).toBeNull();
    expect(desk.venue.balance('USDT').total).toBe(START_USDT - amountOf(250, 0));
    expect(transfer(desk, { amount: amountOf(251, 0) })).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  test.each([
    ['more than is free', { amount: amountOf(1_000_001, 0) }, 'INSUFFICIENT_FUNDS'],
    ['nothing', { amount: 0n as Amount }, 'INVALID_PARAM'],
    ['less than nothing', { amount: -1n as Amount }, 'INVALID_PARAM'],
    ['to somebody else', { to: 'bob' as AccountId }, 'INVALID_PARAM'],
    ['to itself', { to: 'alice' as AccountId }, 'INVALID_PARAM'],
    ['without a name', { transferId: '' }, 'INVALID_PARAM'],
  ])('of %s is refused and may be tried again', (_name, parts, code) => {
    const desk = new FuturesDesk();
    expect(transfer(desk, parts)).toMatchObject({ code });
    expect(transfer(desk)).toBeNull();
  });

  test('leaves what positions lose on paper', () => {
    const desk = new FuturesDesk();
    desk.venue.submit({ type: 'MARKET', quantity: 10_000 });
    const { free } = desk.venue.balance('USDT');
    desk.marks.price -= 1_000;
    expect(transfer(desk, { amount: free as Amount })).toMatchObject({ code: 'INSUFFICIENT_FUNDS' });
    const profit = desk.positions()[0]!.unrealisedPnl;
    expect(transfer(desk, { amount: (free + profit) as Amount })).toBeNull();
  });
});
