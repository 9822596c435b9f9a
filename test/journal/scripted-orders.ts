import type { Amount, Lots, Notional, Ticks } from '../../src/domain/quantity.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { BalanceChanged, OrderEvent, UnnumberedEvent } from '../../src/domain/event.js';
import type {
  AccountId,
  ChildNumber,
  ClientOrderId,
  CorrelationId,
  OrderId,
  VenueOrderId,
  VenueTradeId,
} from '../../src/domain/ids.js';
import { slotOf } from '../../src/domain/ids.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { ParentOrder } from '../../src/domain/order.js';
import { eventVenues } from '../../src/domain/order-legs.js';
import type { EpochMs } from '../../src/domain/time.js';
import { record } from '../../src/order/snapshot.js';
import { plainInstrument } from '../domain/plain-instrument.js';
import { plainOrder, withTerms } from '../domain/plain-order.js';
import { pairOf } from '../domain/sample-pair.js';
import { memoryOf } from '../order/memories.js';

export const START_MS = 1_790_000_000_000;
/** Of every parent order, in lots. */
const QUANTITY = 1_000;
const NO_COMMAND = 0 as CorrelationId;

/** One turn as a shard hands it to the journal. */
export interface Turn {
  readonly events: readonly UnnumberedEvent[];
  readonly touched: readonly ParentState[];
}

/** Makes legal events of orders, folded by the service's own rules, and collects them into turns. */
export class ScriptedOrders {
  readonly states = new Map<OrderId, ParentState>();
  nowMs = START_MS as EpochMs;
  #events: UnnumberedEvent[] = [];
  #touched = new Set<OrderId>();
  #nextId: number;
  #tradeId = 0;

  constructor(firstId = 1_000) {
    this.#nextId = firstId;
  }

  /** The id of the next order. */
  get nextId(): OrderId {
    return this.#nextId as OrderId;
  }

  create(account = 'demo' as AccountId, clientOrderId: string | null = null): OrderId {
    const orderId = this.#nextId++ as OrderId;
    this.#add(orderId, { kind: 'ParentCreated', order: orderOf(orderId, account, clientOrderId, this.nowMs) });
    return orderId;
  }

  /** Leads at BINANCE, is hedged at OKX, and rests once it is accepted. */
  createPair(account = 'demo' as AccountId, clientOrderId: string | null = null): OrderId {
    const orderId = this.#nextId++ as OrderId;
    const order = pairOf(orderOf(orderId, account, clientOrderId, this.nowMs), 'OKX');
    this.#add(orderId, { kind: 'ParentCreated', order });
    this.#add(orderId, { kind: 'ParentAccepted' });
    return orderId;
  }

  accept(orderId: OrderId): void {
    this.#add(orderId, { kind: 'ParentAccepted' });
    this.#add(orderId, { kind: 'ParentStarted', legs: [{ arrivalTwiceMid: 12_000_000, memory: memoryOf(2.5) }] });
  }

  submit(orderId: OrderId, quantity: number): ChildNumber {
    const child = (this.#state(orderId).legs[0].childCount + 1) as ChildNumber;
    const order = {
      child,
      leg: 0,
      side: 'BUY',
      quantity: quantity as Lots,
      type: 'LIMIT',
      timeInForce: 'GTC',
      limitPrice: 6_000_000 as Ticks,
      postOnly: false,
      reduceOnly: false,
      submittedAtMs: this.nowMs,
      reason: { code: 'SLICE', detail: 'target=10 filled=0' },
    } as const;
    this.#add(orderId, { kind: 'ChildSubmitted', order, memory: memoryOf(child) });
    this.#add(orderId, { kind: 'ChildAccepted', child, venueOrderId: `v-${orderId}-${child}` as VenueOrderId });
    return child;
  }

  /** Returns the trade's id. */
  fill(orderId: OrderId, child: ChildNumber, quantity: number): VenueTradeId {
    const tradeId = ++this.#tradeId as VenueTradeId;
    const fill = {
      tradeId,
      exchangeTradeId: '',
      venueOrderId: `v-${orderId}-${child}` as VenueOrderId,
      quantity: quantity as Lots,
      price: 6_000_000 as Ticks,
      liquidity: 'MAKER',
      fee: 600_000_000_000n as Amount,
      feeCurrency: 'USDT',
    } as const;
    this.#add(orderId, { kind: 'ChildFilled', child, leg: 0, fill, isLate: false });
    return tradeId;
  }

  /** The venue was lost: the child becomes unknown. */
  lose(orderId: OrderId, child: ChildNumber): void {
    this.#add(orderId, { kind: 'ChildUnknown', child });
  }

  /** Gives an order the terms of its next revision, which its request echo names. */
  amend(orderId: OrderId): void {
    const { order } = this.#state(orderId);
    const revision = order.revision + 1;
    const amended = withTerms(order, { revision, requestEcho: `{"revision":${revision}}` });
    this.#add(orderId, { kind: 'ParentAmendRequested', order: amended });
    this.#add(orderId, { kind: 'ParentAmended', order: amended });
  }

  /** Ends an order that has no live child. */
  cancel(orderId: OrderId): void {
    this.#add(orderId, { kind: 'ParentCancelRequested', cancelCause: null });
    this.#add(orderId, { kind: 'ParentCancelled', cause: null, cancelCause: null });
  }

  /** An order from its creation to its last fill: 6 events, 3 frames of `order`, 3 of `child_order`, 1 of `trade`. */
  completeOrder(account = 'demo' as AccountId, clientOrderId: string | null = null): OrderId {
    const orderId = this.create(account, clientOrderId);
    this.accept(orderId);
    this.fill(orderId, this.submit(orderId, QUANTITY), QUANTITY);
    return orderId;
  }

  balance(account = 'demo' as AccountId, orderId: OrderId | null = null): void {
    const amount = 1_000n as Amount;
    const event: BalanceChanged = {
      kind: 'BalanceChanged',
      venue: 'BINANCE',
      asset: 'USDT',
      total: amount,
      free: amount,
      version: 1,
    };
    this.#events.push({ ...this.#frame(account, orderId), event, parent: null, child: null });
  }

  /** A market of an instrument at the present time. */
  observe(instrument = 0 as InstrumentIndex): void {
    const event = {
      kind: 'MarketObserved',
      instrument,
      bid: 5_999_990 as Ticks,
      ask: 6_000_010 as Ticks,
      volume: 7 as Lots,
      turnover: 42_000_000n as Notional,
    } as const;
    this.#events.push({ ...this.#frame('' as AccountId, null), event, parent: null, child: null });
  }

  take(): Turn {
    const turn = { events: this.#events, touched: [...this.#touched].map((orderId) => this.#state(orderId)) };
    this.#events = [];
    this.#touched = new Set();
    return turn;
  }

  #add(orderId: OrderId, event: OrderEvent): void {
    const { state, parent, child } = record(this.states.get(orderId) ?? null, event, this.nowMs);
    this.states.set(orderId, state);
    this.#touched.add(orderId);
    const frame = {
      ...this.#frame(state.order.account, orderId),
      ...eventVenues(state.order, child?.order.leg ?? null),
    };
    this.#events.push({ ...frame, event, parent, child });
  }

  #frame(account: AccountId, orderId: OrderId | null): Omit<UnnumberedEvent, 'event' | 'parent' | 'child'> {
    return {
      slot: orderId === null ? 0 : slotOf(orderId),
      account,
      venue: 'BINANCE',
      otherVenue: null,
      orderId,
      eventAtMs: this.nowMs,
      recordedAtMs: this.nowMs,
      correlationId: NO_COMMAND,
      causationSeq: 0,
    };
  }

  #state(orderId: OrderId): ParentState {
    const state = this.states.get(orderId);
    if (state === undefined) throw new Error(`no order ${orderId}`);
    return state;
  }
}

function orderOf(
  orderId: OrderId,
  account: AccountId,
  clientOrderId: string | null,
  createdAtMs: EpochMs,
): ParentOrder {
  return plainOrder(plainInstrument(), createdAtMs, {
    orderId,
    account,
    clientOrderId: clientOrderId as ClientOrderId | null,
    quantity: QUANTITY as Lots,
    endAtMs: (createdAtMs + 60_000) as EpochMs,
    requestDigest: String(orderId).padStart(32, '0'),
  });
}
