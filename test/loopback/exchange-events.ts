import type { Ticks } from '../../src/domain/quantity.js';
import type { LoopbackInstrument } from './instrument.js';
import type { LedgerFill } from './ledger.js';
import type { Market, PublicTrade } from './market.js';
import type { LoopbackOrder, OrderState } from './order.js';

/** A change of one order. The state is the one after the change. */
export interface OrderEvent {
  readonly kind: 'order';
  readonly change: 'NEW' | 'AMENDED' | 'TRADE' | 'CANCELED' | 'EXPIRED' | 'PREVENTED';
  readonly order: LoopbackOrder;
  readonly state: OrderState;
  /** Of a TRADE. */
  readonly fill: LedgerFill | null;
  /** Id that the client gave the cancel request, of a CANCELED. */
  readonly cancelId: string | null;
}

/** The balances and the position of an account in one instrument may have changed. */
export interface AccountEvent {
  readonly kind: 'account';
  readonly account: number;
  readonly instruments: readonly LoopbackInstrument[];
}

/** A deposit, a withdrawal or a transfer changed a balance. */
export interface TransferEvent {
  readonly kind: 'transfer';
  readonly account: number;
  readonly asset: string;
  readonly change: bigint;
}

export type ExchangeEvent =
  | OrderEvent
  | AccountEvent
  | TransferEvent
  | { readonly kind: 'trade'; readonly market: Market; readonly trade: PublicTrade }
  /** The market has other rules, is suspended, or trades again. */
  | { readonly kind: 'rules'; readonly market: Market }
  | {
      readonly kind: 'book';
      readonly market: Market;
      readonly updateId: number;
      readonly touched: { readonly bids: readonly Ticks[]; readonly asks: readonly Ticks[] };
    };

/** Receives all events of one transaction in sequence; account events are last, one for each account. */
export type ExchangeListener = (events: readonly ExchangeEvent[]) => void;

/** Collects the events of a transaction. */
export class EventLog {
  #events: ExchangeEvent[] = [];
  readonly #accounts = new Map<number, Set<LoopbackInstrument>>();
  readonly #listeners: ExchangeListener[] = [];

  listen(listener: ExchangeListener): void {
    this.#listeners.push(listener);
  }

  add(event: ExchangeEvent): void {
    this.#events.push(event);
  }

  order(event: Pick<OrderEvent, 'change' | 'order' | 'fill'> & { readonly cancelId?: string | null }): void {
    this.add({ kind: 'order', cancelId: null, ...event, state: event.order.state });
  }

  trade(market: Market, trade: PublicTrade): void {
    this.add({ kind: 'trade', market, trade });
  }

  book(market: Market, touched: { bids: readonly Ticks[]; asks: readonly Ticks[] }): void {
    this.add({ kind: 'book', market, updateId: market.updateId, touched });
  }

  account(account: number, instrument: LoopbackInstrument): void {
    const changed = this.#accounts.get(account) ?? new Set();
    this.#accounts.set(account, changed.add(instrument));
  }

  publish(): void {
    const accounts = [...this.#accounts].map(([account, instruments]): AccountEvent => {
      return { kind: 'account', account, instruments: [...instruments] };
    });
    const events = [...this.#events, ...accounts];
    this.#events = [];
    this.#accounts.clear();
    if (events.length > 0) for (const listener of this.#listeners) listener(events);
  }
}
