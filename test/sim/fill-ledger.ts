import { amountOf, type Amount } from '../../src/model/amount.js';
import { assert } from '../../src/model/assert.js';
import type { Fill } from '../../src/model/event.js';
import type { ChildNumber } from '../../src/model/ids.js';
import type { Instrument } from '../../src/model/instrument.js';
import type { ParentOrder } from '../../src/model/order.js';
import { Position } from '../../src/venue/account/position.js';
import { CATALOGUE } from './listed.js';

export interface RecordedFill {
  readonly order: ParentOrder;
  readonly child: ChildNumber;
  readonly fill: Fill;
}

/** Opening balances of an account at each venue, in whole units. */
const OPENING: ReadonlyMap<string, number> = new Map([
  ['USDT', 1_000_000],
  ['BTC', 10],
  ['ETH', 100],
  ['SOL', 1_000],
]);

/** Every fill in the journal, and the money that these fills must have left at the venue. */
export class FillLedger {
  readonly #fills = new Map<string, RecordedFill>();

  /** 5. Fills are idempotent by venue trade id; none is worse than the order's limit. */
  record(order: ParentOrder, child: ChildNumber, fill: Fill): void {
    const id = `${order.orderId}-${child}/${fill.tradeId}`;
    assert(!this.#fills.has(id), `fill ${id} is recorded once`);
    const { limitPrice } = order;
    const isInside = order.side === 'BUY' ? fill.price <= (limitPrice ?? Infinity) : fill.price >= (limitPrice ?? 0);
    assert(isInside, `fill ${id} at ${fill.price} is inside the limit`);
    this.#fills.set(id, { order, child, fill });
  }

  /** The fills of one child. */
  of(orderId: number, child: number): Fill[] {
    const fills: Fill[] = [];
    for (const one of this.#fills.values()) {
      if (one.order.orderId === orderId && one.child === child) fills.push(one.fill);
    }
    return fills;
  }

  /** 10. Total and free balance of each asset, when no order rests: what the account was opened with, and its fills. */
  balances(account: string, venue: string): Map<string, { total: bigint; free: bigint }> {
    const balances = new Map<string, { total: bigint; free: bigint }>();
    const credit = (asset: string, total: bigint, free: bigint = total): void => {
      const before = balances.get(asset) ?? { total: 0n, free: 0n };
      balances.set(asset, { total: before.total + total, free: before.free + free });
    };
    for (const [asset, units] of OPENING) credit(asset, amountOf(units, 0));
    const positions = new Map<Instrument, Position>();
    for (const { order, fill } of this.#inOrder(account, venue)) {
      const instrument = CATALOGUE.at(order.instrument);
      const { base, quote, quantityPrecision, pricePrecision } = instrument;
      const money = (notional: bigint): Amount => amountOf(notional, quantityPrecision + pricePrecision);
      credit(quote, 0n - fill.fee);
      if (instrument.assetCategory === 'SPOT') {
        const direction = order.side === 'BUY' ? 1 : -1;
        credit(base, amountOf(direction * fill.quantity, quantityPrecision));
        credit(quote, money(-BigInt(direction) * BigInt(fill.quantity) * BigInt(fill.price)));
      } else {
        const position = positions.get(instrument) ?? new Position(0, 0n);
        positions.set(instrument, position);
        credit(quote, money(position.trade(order.side, fill.quantity, fill.price)));
      }
    }
    for (const [{ quote, quantityPrecision, pricePrecision }, { cost }] of positions) {
      const margin = amountOf(cost < 0n ? -cost : cost, quantityPrecision + pricePrecision) / 10n;
      credit(quote, 0n, -margin);
    }
    return balances;
  }

  /** Trade ids of an instrument grow in the order of its trades. */
  #inOrder(account: string, venue: string): RecordedFill[] {
    return [...this.#fills.values()]
      .filter(({ order }) => order.account === account && order.venue === venue)
      .sort((one, other) => one.fill.tradeId - other.fill.tradeId);
  }
}
