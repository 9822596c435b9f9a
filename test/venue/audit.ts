import { amountOf } from '../../src/model/amount.js';
import type { ChildRef } from '../../src/model/venue-message.js';
import { decodeAccount, decodeHouse } from '../../src/venue/account/account-row.js';
import { decodeOrder } from '../../src/venue/order/order-row.js';
import type { VenueStore } from '../../src/venue/port.js';
import { heldAmount, heldAsset, notionalOf, termsOf } from '../../src/venue/account/trading-terms.js';
import { VenueAccount } from '../../src/venue/account/venue-account.js';
import { CATALOGUE } from './simulated-exchange.js';

const OPENING: Record<string, bigint> = {
  USDT: amountOf(1_000_000, 0),
  BTC: amountOf(10, 0),
  ETH: amountOf(100, 0),
  SOL: amountOf(1_000, 0),
};

type Sums = Record<string, bigint>;

/**
 * What the store says an audit must find to be 0, by venue and asset: all that accounts hold beyond their opening
 * balances, with positions at what they cost, plus the house, plus the fees.
 */
export function imbalances(store: VenueStore): Sums {
  const sums: Sums = {};
  const add = (key: string, amount: bigint): void => {
    sums[key] = (sums[key] ?? 0n) + amount;
  };
  for (const { key, value } of store.range('account/')) {
    const venue = key.split('/')[2]!;
    const { balances, positions } = decodeAccount(value);
    for (const [asset, { total }] of balances) add(`${venue} ${asset}`, total - (OPENING[asset] ?? 0n));
    for (const [symbol, { net, cost }] of positions) {
      const { lotUnit, notionalUnit, instrument } = termsOf(CATALOGUE.findCanonical(venue as 'BINANCE', symbol)!);
      add(`${venue} ${symbol}`, BigInt(net) * lotUnit);
      add(`${venue} ${instrument.quote}`, -cost * notionalUnit);
    }
  }
  for (const { key, value } of store.range('house/')) {
    const venue = key.split('/')[1]!;
    const { holdings, fees } = decodeHouse(value);
    for (const [asset, amount] of [...holdings, ...fees]) add(`${venue} ${asset}`, amount);
  }
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0n));
}

/** Locked balances of all accounts, and what open orders and positions account for; the two must be equal. */
export function lockedAndNeeded(store: VenueStore): { locked: Sums; needed: Sums } {
  const [locked, needed]: [Sums, Sums] = [{}, {}];
  const add = (sums: Sums, key: string, amount: bigint): void => {
    if (amount !== 0n) sums[key] = (sums[key] ?? 0n) + amount;
  };
  for (const { key, value } of store.range('account/')) {
    const [, account, venue] = key.split('/');
    const { balances, positions } = decodeAccount(value);
    for (const [asset, balance] of balances) add(locked, `${decodeURIComponent(account!)} ${asset}`, balance.locked);
    for (const [symbol, { cost }] of positions) {
      const { marginUnit, instrument } = termsOf(CATALOGUE.findCanonical(venue as 'BINANCE', symbol)!);
      add(needed, `${decodeURIComponent(account!)} ${instrument.quote}`, (cost < 0n ? -cost : cost) * marginUnit);
    }
  }
  for (const { key, value } of store.range('open/')) {
    const [, account = '', venue = '', id = ''] = key.split('/');
    const [orderId = 0, child = 0] = id.split('-').map(Number);
    const ref = { account: decodeURIComponent(account), venue, orderId, child } as ChildRef;
    const empty = { version: 0, balances: new Map(), positions: new Map() };
    const { terms, submission, leaves, price } = decodeOrder(value, ref, {
      account: new VenueAccount(ref.account, ref.venue, empty),
      terms: (at, symbol) => termsOf(CATALOGUE.findCanonical(at, symbol)!),
    });
    const amount = heldAmount(terms, submission, leaves, notionalOf(leaves, price));
    add(needed, `${submission.account} ${heldAsset(terms, submission.side)}`, amount);
  }
  return { locked, needed };
}
