import { amountOf } from '../../src/domain/quantity.js';
import { parseVenue, type Venue } from '../../src/domain/exchange.js';
import type { AccountId, OrderId } from '../../src/domain/ids.js';
import type { ChildRef } from '../../src/domain/venue-message.js';
import { decodeAccount, decodeHouse, decodePositions } from '../../src/sim/account/account-registry.js';
import { heldAmount, notionalOf, termsOf, type TradingTerms } from '../../src/sim/account/trading-terms.js';
import { VenueAccount } from '../../src/sim/account/venue-account.js';
import { decodeOrder } from '../../src/sim/order/order-row.js';
import type { VenueStore } from '../../src/venue/port.js';
import { CATALOGUE } from './simulated-exchange.js';

const OPENING: Record<string, bigint> = {
  USDT: amountOf(1_000_000, 0),
  BTC: amountOf(10, 0),
  ETH: amountOf(100, 0),
  SOL: amountOf(1_000, 0),
};

type Sums = Record<string, bigint>;

const knownTerms = new Map<string, TradingTerms>();

function terms(venue: Venue, symbol: string): TradingTerms {
  const key = `${venue} ${symbol}`;
  const found = knownTerms.get(key) ?? termsOf(CATALOGUE.findCanonical(venue, symbol)!);
  knownTerms.set(key, found);
  return found;
}

/** Every account in the store, with its resting orders. */
function storedAccounts(store: VenueStore): VenueAccount[] {
  const accounts = new Map<string, VenueAccount>();
  for (const { key, value } of store.range('account/')) {
    const [, name = '', venueName = ''] = key.split('/');
    const venue = parseVenue(venueName)!;
    const held = store.get(`positions/${name}/${venueName}`);
    const positions = held === undefined ? new Map() : decodePositions(held, (symbol) => terms(venue, symbol));
    const account = decodeURIComponent(name) as AccountId;
    accounts.set(`${name}/${venueName}`, new VenueAccount(account, venue, { ...decodeAccount(value), positions }));
  }
  for (const { key, value } of store.range('open/')) {
    const [, name = '', venueName = '', id = ''] = key.split('/');
    const account = accounts.get(`${name}/${venueName}`)!;
    const [orderId, child] = id.split('-').map(Number);
    const ref = { account: account.account, venue: account.venue, orderId: orderId as OrderId, child } as ChildRef;
    const order = decodeOrder(value, ref, { account, terms });
    order.resume();
    account.resting.add(order);
  }
  return [...accounts.values()];
}

/**
 * Sums that an audit expects to be 0, by venue and asset: the accounts' holdings beyond their opening balances, with
 * positions at cost, plus the clearing house, the fees and the insurance fund.
 */
export function imbalances(store: VenueStore): Sums {
  const sums: Sums = {};
  const add = (key: string, amount: bigint): void => {
    sums[key] = (sums[key] ?? 0n) + amount;
  };
  for (const { venue, balances, positions } of storedAccounts(store)) {
    for (const [asset, { total }] of balances) add(`${venue} ${asset}`, total - (OPENING[asset] ?? 0n));
    for (const { net, cost, terms } of positions.values()) {
      const { lotUnit, notionalUnit, instrument } = terms;
      add(`${venue} ${instrument.symbol}`, BigInt(net) * lotUnit);
      add(`${venue} ${instrument.quote}`, -cost * notionalUnit);
    }
  }
  for (const { key, value } of store.range('house/')) {
    const venue = key.split('/')[1]!;
    const { holdings, fees, insurance } = decodeHouse(value);
    for (const [asset, amount] of [...holdings, ...fees, ...insurance]) add(`${venue} ${asset}`, amount);
  }
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0n));
}

/** Locked balances of all accounts, and the amounts that open orders and positions need; the two must be equal. */
export function lockedAndNeeded(store: VenueStore): { locked: Sums; needed: Sums } {
  const [locked, needed]: [Sums, Sums] = [{}, {}];
  const add = (sums: Sums, key: string, amount: bigint): void => {
    if (amount !== 0n) sums[key] = (sums[key] ?? 0n) + amount;
  };
  for (const { account, balances, positions, resting } of storedAccounts(store)) {
    for (const [asset, balance] of balances) add(locked, `${account} ${asset}`, balance.locked);
    for (const position of positions.values()) {
      add(needed, `${account} ${position.terms.instrument.quote}`, position.needed);
    }
    for (const order of resting.newestFirst(({ terms: { isFuture } }) => !isFuture)) {
      const { side } = order.submission;
      const amount = heldAmount(order.terms, side, order.leaves, notionalOf(order.leaves, order.price));
      add(needed, `${account} ${order.heldAsset}`, amount);
    }
  }
  return { locked, needed };
}
