import type { Accounts } from './accounts.js';
import type { Clearing, Execution, OrderRefusal, Settlement } from './clearing.js';
import { multiply, type Units } from './decimal.js';
import type { LoopbackOrder, OrderTerms, PositionSide } from './order.js';

/** A position of one account. The amount is negative for a short position. */
export interface Position {
  readonly symbol: string;
  readonly side: PositionSide;
  amount: Units;
  entryPrice: Units;
  /** Profit realised since the position was first opened, without fees. */
  realized: Units;
  updatedAtMs: number;
}

/** Settings of a futures account that its owner may change. */
export interface FuturesSettings {
  isDualSide: boolean;
  readonly leverage: Map<string, number>;
}

const LEVERAGE_DEFAULT = 20;
/** Open orders reserve margin at this leverage, so that a later change of the leverage releases what was reserved. */
const ORDER_LEVERAGE = BigInt(LEVERAGE_DEFAULT);

/** USD-M futures: cross margin in the quote asset, positions in one-way or hedge mode. Nothing is ever liquidated. */
export class FuturesClearing implements Clearing {
  readonly #accounts: Accounts;
  readonly #markOf: (symbol: string) => Units;
  readonly #positions = new Map<string, Position>();
  readonly #settings = new Map<number, FuturesSettings>();
  readonly #reserved = new Map<number, Units>();
  readonly #nowMs: () => number;

  constructor(parts: { accounts: Accounts; markOf: (symbol: string) => Units; nowMs: () => number }) {
    this.#accounts = parts.accounts;
    this.#markOf = parts.markOf;
    this.#nowMs = parts.nowMs;
  }

  settings(account: number): FuturesSettings {
    const settings = this.#settings.get(account) ?? { isDualSide: false, leverage: new Map() };
    this.#settings.set(account, settings);
    return settings;
  }

  leverage(account: number, symbol: string): number {
    return this.settings(account).leverage.get(symbol) ?? LEVERAGE_DEFAULT;
  }

  position(account: number, symbol: string, side: PositionSide): Position {
    const key = `${account}|${symbol}|${side}`;
    const found = this.#positions.get(key);
    if (found !== undefined) return found;
    const position = { symbol, side, amount: 0n, entryPrice: 0n, realized: 0n, updatedAtMs: 0 };
    this.#positions.set(key, position);
    return position;
  }

  /** Positions that are not flat. */
  openPositions(account: number): readonly Position[] {
    const own = [...this.#positions].filter(([key]) => key.startsWith(`${account}|`));
    return own.map(([, position]) => position).filter(({ amount }) => amount !== 0n);
  }

  unrealized({ symbol, amount, entryPrice }: Position): Units {
    return amount === 0n ? 0n : multiply(amount, this.#markOf(symbol) - entryPrice);
  }

  initialMargin(account: number, { symbol, amount }: Position): Units {
    return multiply(amount < 0n ? -amount : amount, this.#markOf(symbol)) / BigInt(this.leverage(account, symbol));
  }

  orderMargin(account: number): Units {
    return this.#reserved.get(account) ?? 0n;
  }

  /** Wallet with unrealised profit, without the margins of positions and open orders. */
  available(account: number, asset: string): Units {
    const positions = this.openPositions(account);
    const profit = positions.reduce((sum, position) => sum + this.unrealized(position), 0n);
    const margin = positions.reduce((sum, position) => sum + this.initialMargin(account, position), 0n);
    const free = this.#accounts.at(account).futures.balance(asset).free + profit - margin - this.orderMargin(account);
    return free < 0n ? 0n : free;
  }

  check(terms: OrderTerms, cost: Units): OrderRefusal | null {
    if (terms.isReduceOnly) return this.permitted(terms) === 0n ? 'NOTHING_TO_REDUCE' : null;
    if (this.#reducible(terms) >= terms.quantity) return null;
    const margin = cost / BigInt(this.leverage(terms.account, terms.instrument.symbol));
    return this.available(terms.account, terms.instrument.quote) < margin ? 'NO_FUNDS' : null;
  }

  permitted(terms: OrderTerms): Units {
    if (!terms.isReduceOnly) return terms.quantity;
    const reducible = this.#reducible(terms);
    return reducible < terms.quantity ? reducible : terms.quantity;
  }

  reserved(order: LoopbackOrder, quantity: Units): void {
    this.#reserve(order, quantity, 1n);
  }

  settle({ order, price, quantity, isMaker }: Execution): Settlement {
    const { account, side, instrument, positionSide } = order.terms;
    this.#reserve(order, quantity, -1n);
    const { futures } = this.#accounts.at(account);
    const fee = multiply(multiply(price, quantity), isMaker ? instrument.makerRate : instrument.takerRate);
    const position = this.position(account, instrument.symbol, positionSide);
    const realizedPnl = applyFill(position, side === 'BUY' ? quantity : -quantity, price);
    position.updatedAtMs = this.#nowMs();
    futures.add(instrument.quote, realizedPnl - fee);
    return { fee, feeAsset: instrument.quote, realizedPnl };
  }

  released(order: LoopbackOrder, quantity: Units): void {
    this.#reserve(order, quantity, -1n);
  }

  /** Quantity by which this order could reduce the position of its side. */
  #reducible({ account, side, instrument, positionSide }: OrderTerms): Units {
    const { amount } = this.position(account, instrument.symbol, positionSide);
    const opposite = side === 'BUY' ? -amount : amount;
    return opposite > 0n ? opposite : 0n;
  }

  #reserve({ terms }: LoopbackOrder, quantity: Units, sign: bigint): void {
    if (terms.isReduceOnly || terms.type === 'MARKET') return;
    const margin = multiply(terms.price, quantity) / ORDER_LEVERAGE;
    this.#reserved.set(terms.account, this.orderMargin(terms.account) + sign * margin);
  }
}

/** Changes a position by a signed quantity; returns the realised profit. */
function applyFill(position: Position, change: Units, price: Units): Units {
  const { amount, entryPrice } = position;
  const isGrowing = amount === 0n || amount > 0n === change > 0n;
  position.amount = amount + change;
  if (isGrowing) {
    position.entryPrice = (amount * entryPrice + change * price) / position.amount;
    return 0n;
  }
  const closed = abs(change) < abs(amount) ? -change : amount;
  const realized = multiply(closed, price - entryPrice);
  position.realized += realized;
  if (position.amount === 0n) position.entryPrice = 0n;
  else if (abs(change) > abs(amount)) position.entryPrice = price;
  return realized;
}

function abs(value: Units): Units {
  return value < 0n ? -value : value;
}
