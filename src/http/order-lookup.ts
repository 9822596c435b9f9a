import type { StateReader } from '../journal/port.js';
import type { Venue } from '../model/exchange.js';
import type { AccountId } from '../model/ids.js';
import type { ParentState } from '../model/order.js';
import { tradesAt } from '../model/pair.js';
import type { CancelAllResult } from './order-cancellation.js';
import type { DetailsWanted, OrderNames, OrderSearch, TradeSearch } from './parse/order-query.js';
import { arrayText } from './present/json-text.js';
import { detailsText } from './present/order-details.js';
import { tradeText } from './present/trade-details.js';

/** Answers questions about an account's orders, each as the JSON text of its list. Sees every commit made before. */
export class OrderLookup {
  readonly #reader: StateReader;

  constructor(reader: StateReader) {
    this.#reader = reader;
  }

  open(account: AccountId, wanted: DetailsWanted): string {
    this.#reader.refresh();
    return this.#listText(this.#reader.openOrders(account), wanted);
  }

  /** Newest first. */
  find(account: AccountId, search: OrderSearch, wanted: DetailsWanted): string {
    this.#reader.refresh();
    if (search.fromMs > search.toMs) return this.#listText([], wanted);
    return this.#listText(this.#reader.find(account, search.fromMs, search.toMs, search.limit), wanted);
  }

  byNames(account: AccountId, names: OrderNames, wanted: DetailsWanted): string {
    this.#reader.refresh();
    return this.#listText(this.#named(account, names), wanted);
  }

  /** Fills of the named orders at one venue, order by order as they were named. */
  trades(account: AccountId, { venue, subaccount, names }: TradeSearch): string {
    this.#reader.refresh();
    const orders = this.#named(account, names).filter(
      ({ order }) => tradesAt(order, venue) && (subaccount === null || order.subaccount === subaccount),
    );
    return `{"trades":${arrayText(orders.flatMap((state) => this.#tradeTexts(state, venue)))}}`;
  }

  /** Orders as they stand now; `refusal` is said instead of an order's own outcome. */
  afterCancel(results: readonly CancelAllResult[]): string {
    this.#reader.refresh();
    const texts = results.flatMap(({ orderId, refusal }) => {
      const state = this.#reader.order(orderId);
      return state === null ? [] : [detailsText(state, { trades: null, withFees: false, outcome: refusal })];
    });
    return `{"orders":${arrayText(texts)}}`;
  }

  /** Each order once, in the order in which they were named; what is unknown or another account's is left out. */
  #named(account: AccountId, { orderIds, clientOrderIds }: OrderNames): ParentState[] {
    const named = new Set(orderIds);
    for (const clientOrderId of clientOrderIds) {
      const entry = this.#reader.byClientOrderId(account, clientOrderId);
      if (entry !== null) named.add(entry.orderId);
    }
    return [...named].flatMap((orderId) => {
      const state = this.#reader.order(orderId);
      return state !== null && state.order.account === account ? [state] : [];
    });
  }

  #listText(states: readonly ParentState[], { withTrades, withFees }: DetailsWanted): string {
    const texts = states.map((state) =>
      detailsText(state, { trades: withTrades ? this.#tradeTexts(state) : null, withFees, outcome: null }),
    );
    return `{"orders":${arrayText(texts)}}`;
  }

  /** At one venue, or at all. */
  #tradeTexts({ order }: ParentState, at: Venue | null = null): string[] {
    const fills = this.#reader.trades(order.orderId).filter(({ venue }) => at === null || venue === at);
    return fills.map((envelope) => tradeText(order, envelope));
  }
}
