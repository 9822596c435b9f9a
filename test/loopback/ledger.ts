import type { Side } from '../../src/domain/order.js';
import type { Units } from './decimal.js';
import type { LoopbackOrder, PositionSide } from './order.js';

/** One side of one trade that an account took part in. */
export interface LedgerFill {
  readonly account: number;
  readonly symbol: string;
  readonly orderId: number;
  readonly clientId: string;
  readonly tradeId: number;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly price: Units;
  readonly quantity: Units;
  readonly quoteQuantity: Units;
  readonly fee: Units;
  readonly feeAsset: string;
  readonly realizedPnl: Units;
  readonly isMaker: boolean;
  readonly atMs: number;
}

/**
 * Everything that the exchange accepted and executed, kept apart from the wallets and positions that it changed. A test
 * compares it with what a client believes.
 */
export class Ledger {
  /** Accepted orders in sequence. An order that was refused is not here. */
  readonly orders: LoopbackOrder[] = [];
  readonly fills: LedgerFill[] = [];
  readonly #byId = new Map<number, LoopbackOrder>();
  readonly #byClientId = new Map<string, LoopbackOrder[]>();

  accept(order: LoopbackOrder): void {
    this.orders.push(order);
    this.#byId.set(order.id, order);
    const name = clientKey(order.terms.account, order.terms.instrument.symbol, order.terms.clientId);
    this.#byClientId.set(name, [...(this.#byClientId.get(name) ?? []), order]);
  }

  clear(): void {
    this.orders.length = 0;
    this.fills.length = 0;
    this.#byId.clear();
    this.#byClientId.clear();
  }

  order(id: number): LoopbackOrder | null {
    return this.#byId.get(id) ?? null;
  }

  /**
   * All orders that an account placed under one client id, oldest first. More than one means that the account sent the
   * id again after the first order had ended: the exchange permits it.
   */
  withClientId(account: number, symbol: string, clientId: string): readonly LoopbackOrder[] {
    return this.#byClientId.get(clientKey(account, symbol, clientId)) ?? [];
  }

  ordersOf(account: number): readonly LoopbackOrder[] {
    return this.orders.filter(({ terms }) => terms.account === account);
  }

  fillsOf(account: number): readonly LedgerFill[] {
    return this.fills.filter((fill) => fill.account === account);
  }

  /** Client ids that an account used for more than one accepted order. */
  repeatedClientIds(account: number): readonly string[] {
    const ids = this.ordersOf(account).map(({ terms }) => terms.clientId);
    return ids.filter((id, index) => ids.indexOf(id) !== index);
  }

  /** Change of each asset of a spot account by its fills: what the wallets must show besides their first balances. */
  spotChanges(account: number): ReadonlyMap<string, Units> {
    const changes = new Map<string, Units>();
    const add = (asset: string, change: Units): unknown => changes.set(asset, (changes.get(asset) ?? 0n) + change);
    for (const fill of this.fillsOf(account)) {
      const { base, quote } = this.order(fill.orderId)!.terms.instrument;
      const sign = fill.side === 'BUY' ? 1n : -1n;
      add(base, sign * fill.quantity);
      add(quote, -sign * fill.quoteQuantity);
      add(fill.feeAsset, -fill.fee);
    }
    return changes;
  }

  /** Signed position of a futures account by its fills. */
  positionOf(account: number, symbol: string): Units {
    return this.fillsOf(account)
      .filter((fill) => fill.symbol === symbol)
      .reduce((sum, { side, quantity }) => sum + (side === 'BUY' ? quantity : -quantity), 0n);
  }
}

function clientKey(account: number, symbol: string, clientId: string): string {
  return `${account}|${symbol}|${clientId}`;
}
