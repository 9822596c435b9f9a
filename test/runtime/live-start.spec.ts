import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RealVenues, Venue } from '../../src/domain/exchange.js';
import type { AccountId } from '../../src/domain/ids.js';
import { firstIndexOf, type InstrumentIndex, modeOfInstrument, realModeOf } from '../../src/domain/instrument.js';
import { ADDED_INSTRUMENTS_PER_MODE_MAX } from '../../src/domain/limits/live.js';
import type { ParentState } from '../../src/domain/order-state.js';
import { isKeyless, LiveStartRefusal, refuseUnsafeStart, unreadWallets } from '../../src/runtime/live-start.js';
import { dataFolders } from '../journal/data-folders.js';

const folders = dataFolders();
const TESTNET = firstIndexOf('testnet') as InstrumentIndex;

function start(
  modes: RealVenues,
  { open, hasLimits = true }: { open?: InstrumentIndex; hasLimits?: boolean } = {},
): void {
  const order = { orderId: 65_537, legs: [{ venue: 'BINANCE', instrument: open }] };
  const place = { account: 'desk' as AccountId, subaccount: null, venue: 'BINANCE', environment: 'live' } as const;
  refuseUnsafeStart({
    modes,
    hasListed: true,
    state: {
      accountsWithOpenOrders: () => (open === undefined ? [] : ['desk' as AccountId]),
      openOrders: () => [{ order }] as unknown as ParentState[],
    },
    keys: { accounts: () => [place] },
    riskLimits: { hasLimits: () => hasLimits },
  });
}

describe('a start', () => {
  it('accepts open orders whose mode is that of their exchange', () => {
    expect(modeOfInstrument(TESTNET)).toBe('testnet');
    expect(() => start(new Map([['BINANCE', 'testnet']]), { open: TESTNET })).not.toThrow();
    expect(() => start(new Map(), { open: 3 as InstrumentIndex })).not.toThrow();
  });

  it.each([
    ['no exchange is real', new Map(), TESTNET, 'in mode testnet, and SLUICE_LIVE sets simulated'],
    ['real money replaces testnet', new Map([['BINANCE', 'live']]), TESTNET, 'SLUICE_LIVE sets live'],
    ['a simulated one becomes real', new Map([['BINANCE', 'testnet']]), 3 as InstrumentIndex, 'in mode simulated'],
  ])('refuses open orders of another mode: %s', (_, modes, open, message) => {
    expect(() => start(modes as RealVenues, { open })).toThrow(LiveStartRefusal);
    expect(() => start(modes as RealVenues, { open })).toThrow(message);
  });

  it('refuses open orders of a mode that only an earlier release had', () => {
    const former = (firstIndexOf('testnet') + ADDED_INSTRUMENTS_PER_MODE_MAX) as InstrumentIndex;
    const first = 'this release has no mode paper: end it with release 0.1.0 first';
    for (const modes of [new Map(), new Map([['BINANCE', 'testnet']])] as RealVenues[]) {
      expect(() => start(modes, { open: former })).toThrow(first);
    }
    expect(realModeOf(former)).toBeNull();
  });

  it('refuses an account with a key for real money and no risk limits', () => {
    const modes: RealVenues = new Map([['BINANCE', 'live']]);
    expect(() => start(modes, { hasLimits: false })).toThrow('sluice risk-limits set --account desk');
    expect(() => start(modes)).not.toThrow();
  });
});

it('names the folder of wallets that nothing reads', () => {
  const dataDir = folders.fresh();
  expect(unreadWallets(dataDir)).toBeNull();
  mkdirSync(join(dataDir, 'paper', 'binance-spot'), { recursive: true });
  expect(unreadWallets(dataDir)).toBe(join(dataDir, 'paper'));
});

it('knows the accounts without a key of a real exchange', () => {
  const place = { account: 'desk' as AccountId, subaccount: null, venue: 'OKX', environment: 'testnet' } as const;
  const keys = {
    accounts: (venue: Venue, environment: string) => (venue === 'OKX' && environment === 'testnet' ? [place] : []),
  };
  const modes: RealVenues = new Map([
    ['OKX', 'testnet'],
    ['BINANCE', 'testnet'],
  ]);
  const venues = ['OKX', 'BINANCE', 'KRAKEN'] as const;
  const keylessAt = (account: string): Venue[] =>
    venues.filter((venue) => isKeyless(keys, modes, { account: account as AccountId, venue }));
  expect([keylessAt('desk'), keylessAt('other')]).toEqual([['BINANCE'], ['OKX', 'BINANCE']]);
});
