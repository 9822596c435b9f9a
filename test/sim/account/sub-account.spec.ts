import { describe, expect, test } from 'vitest';
import { type AccountId, masterOf, tradingAccount } from '../../../src/domain/ids.js';
import { FuturesRig, START_USDT } from './futures-rig.js';

const SUB = tradingAccount('alice' as AccountId, 'desk 2');

describe('a sub-account', () => {
  test("contains its master's name for any own name", () => {
    expect(masterOf(tradingAccount('alice' as AccountId, 'a/b'))).toBe('alice');
    expect(tradingAccount('alice' as AccountId, null)).toBe('alice');
  });

  test('has separate balances', () => {
    const rig = new FuturesRig();
    rig.venue.submit({ account: SUB, type: 'MARKET', quantity: 1_000 });
    expect(rig.venue.balance('USDT').total).toBe(START_USDT);
    expect(rig.venue.balance('USDT', SUB).total).toBeLessThan(START_USDT);
  });
});
