import { describe, expect, it } from 'vitest';
import type { SelfTradePrevention } from '../../src/domain/instrument.js';
import { Random } from '../../src/sim/prng.js';
import { Accounts, newKey } from './accounts.js';
import { Background } from './background.js';
import { LINEAR_INSTRUMENTS, SPOT_INSTRUMENTS } from './binance/instruments.js';
import { type Clearing, SpotClearing } from './clearing.js';
import { ExchangeClock } from './clock.js';
import { multiply, type Units, units } from './decimal.js';
import { Exchange } from './exchange.js';
import { FuturesClearing } from './futures-clearing.js';
import type { LoopbackInstrument } from './instrument.js';
import type { LoopbackOrder, OrderTerms, TimeInForce } from './order.js';

const ACTIONS = 1_500;
const MODES: readonly SelfTradePrevention[] = ['NONE', 'EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH', 'DECREMENT'];
const TIMES_IN_FORCE: readonly TimeInForce[] = ['GTC', 'GTC', 'GTC', 'IOC', 'FOK'];
const FIRST = { spot: { BTC: units('5'), USDT: units('250000') }, futures: { USDT: units('250000') } };

interface Run {
  readonly exchange: Exchange;
  readonly accounts: Accounts;
  readonly clearing: Clearing;
  readonly statuses: ReadonlySet<string>;
}

/** Random orders, cancels and moves of the market by two accounts in one instrument. */
function run(seed: string, instrument: LoopbackInstrument): Run {
  const random = new Random(seed);
  const accounts = new Accounts();
  const clock = new ExchangeClock();
  for (const _ of [1, 2]) accounts.open([newKey()], FIRST);
  const clearing: Clearing =
    instrument.kind === 'spot'
      ? new SpotClearing(accounts)
      : new FuturesClearing({ accounts, markOf: () => instrument.startPrice, nowMs: () => clock.nowMs() });
  const exchange = new Exchange({ instruments: [instrument], clock, clearing, firstOrderId: 0 });
  const background = new Background(exchange, seed);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random.uniform() * values.length)]!;
  background.quoteAll();
  for (let action = 0; action < ACTIONS; action += 1) {
    const account = pick([1, 2]);
    const open = exchange.openOrders(account);
    const chance = random.uniform();
    if (chance < 0.1) background.wander();
    else if (chance < 0.25 && open.length > 0) exchange.cancel(pick(open), 'cancel');
    else if (chance < 0.28 && open.length > 0) exchange.expire(pick(open));
    else
      exchange.place(
        randomTerms({ account, instrument, random, pick, action, reference: exchange.markets[0]!.lastPrice }),
      );
  }
  // At least one order is open at the end.
  const reference = exchange.markets[0]!.lastPrice;
  const last = randomTerms({ account: 1, instrument, random, pick, action: ACTIONS, reference });
  const price = reference - 2_000n * instrument.tick;
  const resting = { type: 'LIMIT', timeInForce: 'GTC', side: 'BUY', isPostOnly: true, isReduceOnly: false } as const;
  expect(exchange.place({ ...last, ...resting, price, quantity: instrument.lot * 100n })).toHaveProperty('order');
  const statuses = new Set(exchange.ledger.orders.map(({ state }) => state.status));
  return { exchange, accounts, clearing, statuses };
}

interface RandomParts {
  readonly account: number;
  readonly instrument: LoopbackInstrument;
  readonly random: Random;
  readonly pick: <Value>(values: readonly Value[]) => Value;
  readonly action: number;
  readonly reference: Units;
}

function randomTerms({ account, instrument, random, pick, action, reference }: RandomParts): OrderTerms {
  const type = random.uniform() < 0.15 ? 'MARKET' : 'LIMIT';
  const steps = BigInt(Math.round(random.normal() * 8)) * 5n;
  const timeInForce = pick(TIMES_IN_FORCE);
  return {
    account,
    instrument,
    clientId: `order-${action}`,
    side: pick(['BUY', 'SELL'] as const),
    type,
    timeInForce,
    isPostOnly: type === 'LIMIT' && timeInForce === 'GTC' && random.uniform() < 0.2,
    isReduceOnly: instrument.kind === 'linear' && random.uniform() < 0.1,
    positionSide: 'BOTH',
    quantity: BigInt(Math.ceil(random.uniform() * 60_000)) * instrument.lot,
    price: type === 'MARKET' ? 0n : reference + steps * instrument.tick,
    prevention: pick(MODES),
    wireType: type,
    wireTimeInForce: timeInForce,
    quoteQuantity: 0n,
  };
}

function leavesOf({ leaves, terms }: LoopbackOrder): Units {
  return BigInt(leaves) * terms.instrument.lot;
}

describe.each(['a', 'b', 'c', 'd'])('random orders with seed %s', (seed) => {
  it('keep spot wallets equal to the ledger and lock what open orders may spend', () => {
    const [instrument] = SPOT_INSTRUMENTS;
    const { exchange, accounts, statuses } = run(seed, instrument!);
    for (const account of [1, 2]) {
      const { spot } = accounts.at(account);
      const changes = exchange.ledger.spotChanges(account);
      const open = exchange.openOrders(account);
      const locked = (side: string, amount: (order: LoopbackOrder) => Units): Units => {
        return open.filter((order) => order.side === side).reduce((sum, order) => sum + amount(order), 0n);
      };
      for (const [asset, first] of Object.entries(FIRST.spot)) {
        const balance = spot.balance(asset);
        expect(balance.free + balance.locked).toBe(first + (changes.get(asset) ?? 0n));
        expect(balance.free >= 0n).toBe(true);
      }
      expect(spot.balance('USDT').locked).toBe(locked('BUY', (order) => multiply(order.terms.price, leavesOf(order))));
      expect(spot.balance('BTC').locked).toBe(locked('SELL', leavesOf));
    }
    expect([...statuses]).toEqual(expect.arrayContaining(['NEW', 'FILLED', 'CANCELED', 'EXPIRED', 'PREVENTED']));
  });

  it('fill every order by exactly its fills', () => {
    const { exchange } = run(seed, SPOT_INSTRUMENTS[0]!);
    const { ledger } = exchange;
    for (const order of ledger.orders) {
      const fills = ledger.fills.filter(({ orderId }) => orderId === order.id);
      expect(fills.reduce((sum, { quantity }) => sum + quantity, 0n)).toBe(order.state.filled);
      expect(fills.reduce((sum, { quoteQuantity }) => sum + quoteQuantity, 0n)).toBe(order.state.quoteFilled);
      expect(order.isOpen).toBe(order.isResting);
    }
  });

  it('keep futures positions, profits and reserved margin equal to the ledger', () => {
    const [instrument] = LINEAR_INSTRUMENTS;
    const { exchange, accounts, clearing } = run(seed, { ...instrument!, lot: units('0.00001') });
    const futures = clearing as FuturesClearing;
    for (const account of [1, 2]) {
      const { ledger } = exchange;
      const fills = ledger.fillsOf(account);
      const position = futures.position(account, instrument!.symbol, 'BOTH');
      expect(position.amount).toBe(ledger.positionOf(account, instrument!.symbol));
      const result = fills.reduce((sum, { fee, realizedPnl }) => sum + realizedPnl - fee, 0n);
      expect(accounts.at(account).futures.balance('USDT').free).toBe(FIRST.futures.USDT + result);
      if (exchange.openOrders(account).length === 0) expect(futures.orderMargin(account)).toBe(0n);
      for (const order of exchange.openOrders(account)) exchange.cancel(order, null);
      // Each part of an order is cut to 8 places, so a sum may differ by one unit a part.
      const rest = futures.orderMargin(account);
      expect(rest < 0n ? -rest : rest).toBeLessThanOrEqual(BigInt(fills.length + ledger.orders.length));
    }
    expect(exchange.ledger.fills.length).toBeGreaterThan(100);
  });
});
