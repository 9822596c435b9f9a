import type { Side } from '../../src/domain/order.js';
import { ANY_PRICE, type BookOrder } from '../../src/sim/matching/book-order.js';
import type { Clearing, OrderRefusal } from './clearing.js';
import type { ExchangeClock } from './clock.js';
import { ONE, type Units, multiply } from './decimal.js';
import { type ExchangeEvent, EventLog, type ExchangeListener } from './exchange-events.js';
import { type View, WaitsForEngine } from './faults.js';
import type { LoopbackInstrument } from './instrument.js';
import { Ledger, type LedgerFill } from './ledger.js';
import { Market } from './market.js';
import { LoopbackOrder, type OrderStatus, type OrderTerms } from './order.js';

/** An accepted order with the fills that it had at once. */
export interface Placement {
  readonly order: LoopbackOrder;
  readonly fills: readonly LedgerFill[];
}

/**
 * PRELAUNCH: listed, and not open yet. HALTED: takes no orders now. DELIVERING: is settled before it goes. DELISTED: is
 * gone.
 */
export type Suspension = 'PRELAUNCH' | 'HALTED' | 'DELIVERING' | 'DELISTED';

/** Rules of a market that an exchange changes while it trades. A tick or lot is a multiple of the first one. */
export type ChangedRules = Partial<
  Pick<
    LoopbackInstrument,
    'tick' | 'lot' | 'priceMin' | 'quantityMin' | 'quantityMax' | 'marketQuantityMax' | 'notionalMin'
  >
>;

interface ExchangeParts {
  readonly instruments: readonly LoopbackInstrument[];
  readonly clock: ExchangeClock;
  readonly clearing: Clearing;
  /** The first order id. Exchanges count all orders of all accounts together. */
  readonly firstOrderId: number;
  /** True: an order that may not take, or finds nothing to take, is accepted and ends at once. False: it is refused. */
  readonly acceptsFirst?: boolean;
}

/**
 * One section of the exchange (spot or futures) without any protocol:
 *
 *     place / cancel ─▶ clearing.check ─▶ order book ─▶ clearing.settle ─▶ ledger
 *                                             └─▶ events of the transaction ─▶ listeners
 *
 * Every call is one transaction. Listeners receive its events after it ended.
 */
export class Exchange {
  readonly ledger = new Ledger();
  readonly clock: ExchangeClock;
  readonly #clearing: Clearing;
  readonly #suspended = new Map<string, Suspension>();
  readonly #markets = new Map<string, Market>();
  readonly #open = new Map<number, LoopbackOrder>();
  readonly #log = new EventLog();
  readonly #acceptsFirst: boolean;
  #lastOrderId: number;
  /** True when self-trade prevention has taken lots from a maker in this transaction. */
  #hasPreventedMaker = false;

  constructor({ instruments, clock, clearing, firstOrderId, acceptsFirst = false }: ExchangeParts) {
    this.clock = clock;
    this.#clearing = clearing;
    this.#lastOrderId = firstOrderId;
    this.#acceptsFirst = acceptsFirst;
    for (const instrument of instruments) {
      const market: Market = new Market(instrument, {
        traded: (taker, maker, price, lots) => {
          this.#traded(market, {
            taker,
            maker,
            price: BigInt(price) * instrument.tick,
            quantity: BigInt(lots) * instrument.lot,
          });
        },
        prevented: (order, lots) => this.#makerPrevented(market, order, BigInt(lots) * instrument.lot),
      });
      this.#markets.set(instrument.symbol, market);
    }
  }

  get markets(): readonly Market[] {
    return [...this.#markets.values()];
  }

  market(symbol: string): Market | null {
    return this.#markets.get(symbol) ?? null;
  }

  /** null: the market trades. */
  suspensionOf(symbol: string): Suspension | null {
    return this.#suspended.get(symbol) ?? null;
  }

  /** The market takes no orders from now on. Its book and its resting orders stay. */
  halt(symbol: string): void {
    this.#suspend(symbol, 'HALTED');
  }

  /** The market takes no orders before its launch. Its resting orders stay. */
  announceLaunch(symbol: string): void {
    this.#suspend(symbol, 'PRELAUNCH');
  }

  /** The market is settled and takes no orders. Its resting orders end first. */
  deliver(symbol: string): void {
    this.#endOrders(symbol);
    this.#suspend(symbol, 'DELIVERING');
  }

  /** The market is gone. Its resting orders end first. */
  delist(symbol: string): void {
    this.#endOrders(symbol);
    this.#suspend(symbol, 'DELISTED');
  }

  /** A suspended market trades again. */
  reopen(symbol: string): void {
    this.#suspended.delete(symbol);
    this.#announceRules(symbol);
  }

  /** Changes what new orders must meet. Orders that rest stay as they are. */
  changeRules(symbol: string, change: ChangedRules): void {
    const market = this.#markets.get(symbol)!;
    const rules = { ...market.rules, ...change };
    const isCoarser = rules.tick % market.instrument.tick === 0n && rules.lot % market.instrument.lot === 0n;
    if (!isCoarser) throw new RangeError(`the grid of ${symbol} is no multiple of the first one`);
    market.rules = rules;
    this.#announceRules(symbol);
  }

  listen(listener: ExchangeListener): void {
    this.#log.listen(listener);
  }

  openOrders(account: number, symbol?: string): readonly LoopbackOrder[] {
    const own = [...this.#open.values()].filter(({ terms }) => terms.account === account);
    return symbol === undefined ? own : own.filter(({ terms }) => terms.instrument.symbol === symbol);
  }

  /**
   * Places an order. A client id must be unique among the open orders of the account only. Throws WaitsForEngine when
   * the engine leaves it for `engineMs`: then it is placed or refused later, and only the ledger and the events show
   * it.
   */
  place(asked: OrderTerms, { engineMs }: Pick<View, 'engineMs'> = { engineMs: 0 }): Placement | OrderRefusal {
    if (engineMs > 0) {
      setTimeout(() => this.place(asked), engineMs).unref();
      throw new WaitsForEngine();
    }
    const market = this.#markets.get(asked.instrument.symbol)!;
    const refusal = this.#refusal(asked, market);
    const endsAtOnce = this.#acceptsFirst && (refusal === 'WOULD_TAKE' || refusal === 'NO_LIQUIDITY');
    if (refusal !== null && !endsAtOnce) return refusal;
    const terms = { ...asked, quantity: this.#clearing.permitted(asked) };
    this.#lastOrderId += 1;
    const order = new LoopbackOrder(this.#lastOrderId, terms, this.clock.nowMs());
    this.ledger.accept(order);
    this.#open.set(order.id, order);
    this.#clearing.reserved(order, terms.quantity);
    this.#log.order({ change: 'NEW', order, fill: null });
    this.#log.account(terms.account, terms.instrument);
    const isTakerPrevented = !endsAtOnce && this.#match(market, order);
    // Prevention with decrement takes lots from the taker without a trade.
    const decremented = terms.quantity - order.state.filled - BigInt(order.leaves) * terms.instrument.lot;
    if (decremented > 0n) this.#clearing.released(order, decremented);
    if (order.isOpen && !order.isResting) {
      this.#end(order, isTakerPrevented || order.leaves === 0 ? 'PREVENTED' : 'EXPIRED', null);
    }
    this.#endTransaction(market);
    return { order, fills: this.ledger.fills.filter(({ orderId }) => orderId === order.id) };
  }

  /**
   * Changes the price and the whole quantity of an open order, which loses its place in the queue. The quantity is
   * above what has traded. Returns why the account may not have the changed order; the order then stays as it was.
   */
  amend(order: LoopbackOrder, { price, quantity }: { price: Units; quantity: Units }): OrderRefusal | null {
    const { instrument } = order.terms;
    const market = this.#markets.get(instrument.symbol)!;
    const before = order.terms;
    const rest = quantity - order.state.filled;
    const oldRest = BigInt(order.leaves) * instrument.lot;
    this.#clearing.released(order, oldRest);
    const refusal = this.#clearing.check({ ...before, price, quantity: rest }, multiply(price, rest));
    if (refusal !== null) {
      this.#clearing.reserved(order, oldRest);
      return refusal;
    }
    this.#remove(market, order);
    order.amend({ ...before, price, quantity }, rest, this.clock.nowMs());
    this.#clearing.reserved(order, rest);
    this.#log.order({ change: 'AMENDED', order, fill: null });
    this.#log.account(before.account, instrument);
    const wouldTake = before.isPostOnly && isCrossing(market, order.side, price);
    const isTakerPrevented = !wouldTake && this.#match(market, order);
    if (order.isOpen && !order.isResting) this.#end(order, isTakerPrevented ? 'PREVENTED' : 'EXPIRED', null);
    this.#endTransaction(market);
    return null;
  }

  /** Cancels an open order. `cancelId` is the id that the client gave the cancel request. */
  cancel(order: LoopbackOrder, cancelId: string | null): void {
    const market = this.#markets.get(order.terms.instrument.symbol)!;
    this.#remove(market, order);
    this.#end(order, 'CANCELED', cancelId);
    this.#endTransaction(market);
  }

  /** Ends an open order as the exchange itself does, for example in maintenance. */
  expire(order: LoopbackOrder): void {
    const market = this.#markets.get(order.terms.instrument.symbol)!;
    this.#remove(market, order);
    this.#end(order, 'EXPIRED', null);
    this.#endTransaction(market);
  }

  /** Places an order of the background. It trades with accounts and rests when `mayRest`. Returns it. */
  background(symbol: string, terms: { side: Side; price: Units; quantity: Units; mayRest: boolean }): BookOrder {
    const market = this.#markets.get(symbol)!;
    this.#lastOrderId += 1;
    const order = market.backgroundOrder(this.#lastOrderId, terms.side, terms.price, terms.quantity);
    if (terms.price === ANY_PRICE_UNITS) market.book.market(order, 'NONE');
    else market.book.limit(order, terms.mayRest ? 'GTC' : 'IOC', false, 'NONE');
    if (order.isResting) market.touch(order.side, order.price);
    this.#endTransaction(market);
    return order;
  }

  removeBackground(symbol: string, order: BookOrder): void {
    if (!order.isResting) return;
    const market = this.#markets.get(symbol)!;
    market.book.cancel(order);
    market.touch(order.side, order.price);
    this.#endTransaction(market);
  }

  /** What a market order would cost at the current book. */
  costOf(market: Market, side: Side, quantity: Units): { readonly quantity: Units; readonly cost: Units } {
    const { tick, lot } = market.instrument;
    const preview = market.book.preview(side, Number(quantity / lot) as never, null);
    return { quantity: BigInt(preview.quantity) * lot, cost: (preview.notional * tick * lot) / ONE };
  }

  /** Forgets all orders and fills of accounts without an event, as when a test environment begins anew. */
  wipe(): void {
    for (const order of this.#open.values()) {
      const market = this.#markets.get(order.terms.instrument.symbol)!;
      this.#remove(market, order);
      this.#clearing.released(order, BigInt(order.leaves) * order.terms.instrument.lot);
      this.#endTransaction(market);
    }
    this.#open.clear();
    this.ledger.clear();
  }

  /** Notes a change of an account that comes from outside the market, and publishes it. */
  announce(event: ExchangeEvent): void {
    this.#log.add(event);
    this.#log.publish();
  }

  #suspend(symbol: string, suspension: Suspension): void {
    this.#suspended.set(symbol, suspension);
    this.#announceRules(symbol);
  }

  #endOrders(symbol: string): void {
    for (const order of this.#open.values()) if (order.terms.instrument.symbol === symbol) this.expire(order);
  }

  #announceRules(symbol: string): void {
    this.announce({ kind: 'rules', market: this.#markets.get(symbol)! });
  }

  #refusal(terms: OrderTerms, market: Market): OrderRefusal | null {
    const { account, clientId, instrument, side, price, quantity } = terms;
    const sameName = this.openOrders(account, instrument.symbol).some((order) => order.terms.clientId === clientId);
    if (sameName) return 'DUPLICATE';
    const wouldTake = terms.isPostOnly && isCrossing(market, side, price);
    if (wouldTake && !this.#acceptsFirst) return 'WOULD_TAKE';
    if (terms.type === 'LIMIT') {
      return this.#clearing.check(terms, multiply(price, quantity)) ?? (wouldTake ? 'WOULD_TAKE' : null);
    }
    const { quantity: found, cost } = this.costOf(market, side, quantity);
    return found === 0n ? 'NO_LIQUIDITY' : this.#clearing.check(terms, cost);
  }

  /** True when self-trade prevention ended the taker. */
  #match(market: Market, order: LoopbackOrder): boolean {
    const { type, timeInForce, prevention } = order.terms;
    this.#hasPreventedMaker = false;
    const { book } = market;
    const result =
      type === 'MARKET' ? book.market(order, prevention) : book.limit(order, timeInForce, false, prevention);
    if (result === 'RESTING') market.touch(order.side, order.price);
    if (result !== 'EXPIRED' || prevention === 'NONE') return false;
    if (prevention === 'EXPIRE_BOTH' && this.#hasPreventedMaker) return true;
    const best = order.side === 'BUY' ? book.bestAsk() : book.bestBid();
    const maker = best === 0 ? null : book.frontOf(order.side === 'BUY' ? 'SELL' : 'BUY', best);
    const isInReach = order.price === ANY_PRICE || (order.side === 'BUY' ? best <= order.price : best >= order.price);
    const isOwn = maker?.participant === order.participant && isInReach;
    return isOwn || (type === 'LIMIT' && timeInForce === 'GTC');
  }

  #traded(market: Market, match: { taker: BookOrder; maker: BookOrder; price: Units; quantity: Units }): void {
    const { taker, maker, price, quantity } = match;
    const atMs = this.clock.nowMs();
    market.touch(maker.side, maker.price);
    const isBuyerMaker = maker.side === 'BUY';
    const trade = market.record({ price, quantity, atMs, isBuyerMaker, takerId: taker.id });
    this.#log.trade(market, trade);
    for (const order of [taker, maker]) {
      if (order instanceof LoopbackOrder) {
        this.#fill(order, { tradeId: trade.id, price, quantity, isMaker: order === maker, atMs });
      }
    }
  }

  #fill(
    order: LoopbackOrder,
    trade: { tradeId: number; price: Units; quantity: Units; isMaker: boolean; atMs: number },
  ): void {
    const { account, instrument, clientId, side, positionSide } = order.terms;
    const settlement = this.#clearing.settle({ order, ...trade });
    const quoteQuantity = multiply(trade.price, trade.quantity);
    const fill: LedgerFill = {
      account,
      symbol: instrument.symbol,
      orderId: order.id,
      clientId,
      side,
      positionSide,
      ...trade,
      ...settlement,
      quoteQuantity,
    };
    this.ledger.fills.push(fill);
    const { filled, quoteFilled } = order.state;
    const isFilled = filled + trade.quantity === order.terms.quantity;
    order.change({
      atMs: trade.atMs,
      status: isFilled ? 'FILLED' : 'PARTIALLY_FILLED',
      filled: filled + trade.quantity,
      quoteFilled: quoteFilled + quoteQuantity,
      isWorking: !isFilled,
    });
    if (isFilled) this.#open.delete(order.id);
    this.#log.order({ change: 'TRADE', order, fill });
    this.#log.account(account, instrument);
    // Prevention had taken the rest of this maker before: the trade took what was left. A taker ends in `place`.
    if (!isFilled && order.leaves === 0 && trade.isMaker) this.#end(order, 'PREVENTED', null);
  }

  /** Self-trade prevention took lots from a resting order; the order may have ended. */
  #makerPrevented(market: Market, order: BookOrder, quantity: Units): void {
    this.#hasPreventedMaker = true;
    market.touch(order.side, order.price);
    if (!(order instanceof LoopbackOrder)) return;
    this.#clearing.released(order, quantity);
    if (order.leaves > 0) return;
    this.#open.delete(order.id);
    order.change({ atMs: this.clock.nowMs(), status: 'PREVENTED', isWorking: false });
    this.#log.order({ change: 'PREVENTED', order, fill: null });
    this.#log.account(order.terms.account, order.terms.instrument);
  }

  #remove(market: Market, order: LoopbackOrder): void {
    market.touch(order.side, order.price);
    market.book.cancel(order);
  }

  #end(
    order: LoopbackOrder,
    status: Extract<OrderStatus, 'CANCELED' | 'EXPIRED' | 'PREVENTED'>,
    cancelId: string | null,
  ): void {
    const { account, instrument } = order.terms;
    this.#clearing.released(order, BigInt(order.leaves) * instrument.lot);
    this.#open.delete(order.id);
    order.change({ atMs: this.clock.nowMs(), status, isWorking: false });
    this.#log.order({ change: status, order, fill: null, cancelId });
    this.#log.account(account, instrument);
  }

  #endTransaction(market: Market): void {
    const touched = market.takeTouched();
    if (touched !== null) this.#log.book(market, touched);
    this.#log.publish();
  }
}

const ANY_PRICE_UNITS = 0n;

function isCrossing({ book, instrument }: Market, side: Side, price: Units): boolean {
  const ticks = Number(price / instrument.tick);
  const best = side === 'BUY' ? book.bestAsk() : book.bestBid();
  return best !== 0 && (side === 'BUY' ? ticks >= best : ticks <= best);
}
