import type { AccountId, ChildNumber, OrderId } from '../../../../src/domain/ids.js';
import type { Instrument } from '../../../../src/domain/instrument.js';
import type { Side } from '../../../../src/domain/order.js';
import { amountOf, type Lots, type Ticks } from '../../../../src/domain/quantity.js';
import type { DurationMs, EpochMs } from '../../../../src/domain/time.js';
import type { ChildSubmission, ChildTarget } from '../../../../src/domain/venue-message.js';
import type { OpeningBalances } from '../../../../src/sim/account/account-registry.js';
import { buildCatalogue } from '../../../../src/venue/listing/catalogue.js';
import type {
  CancelAnswer,
  LookUpAnswer,
  OpenOrder,
  OrderUpdate,
  PlaceAnswer,
} from '../../../../src/venue/live/exchange-line.js';
import type { Balances, Positions } from '../../../../src/venue/live/normal/records.js';
import type { PaperInstrument } from '../../../../src/venue/live/paper/paper-market.js';
import { PaperVenue } from '../../../../src/venue/live/paper/paper-venue.js';
import type { VenueStore } from '../../../../src/venue/port.js';
import { MemoryVenueStore } from '../../../sim/memory-store.js';

const catalogue = buildCatalogue();

export function listed(symbol: string): Instrument {
  const instrument = catalogue.findCanonical('BINANCE', symbol);
  if (instrument === null) throw new Error(`BINANCE does not list ${symbol}`);
  return instrument;
}

export const SPOT = listed('BTC/USDT');
export const FUTURE = listed('BTC/USDT:USDT');
export const START_MS = 1_800_000_000_000;
export const ENTRY_MS = 2;
export const RESPONSE_MS = 3;
export const ALICE = 'alice' as AccountId;
/** A price of BTC/USDT in ticks of 0.01, and a quantity above the least notional in lots of 0.00001. */
export const PRICE = 5_000_000;
export const UNIT = 1_000;

const OPENING: OpeningBalances = [
  ['USDT', amountOf(1_000_000, 0)],
  ['BTC', amountOf(10, 0)],
];

type Terms = Partial<ChildSubmission>;

/** One paper venue under a clock of its own, with one account. */
export class PaperRig {
  venue: PaperVenue;
  nowMs = START_MS;
  readonly store: VenueStore;
  /** By account, in the order of their arrival. */
  readonly updates: OrderUpdate[] = [];
  readonly balances: Balances[] = [];
  readonly positions: Positions[] = [];
  /** Rules that the exchange has changed since. */
  readonly relisted = new Map<number, Instrument>();
  /** Symbols that the exchange does not list any more. */
  readonly delisted = new Set<string>();
  readonly #contractSize: string;
  #childCount = 0;

  constructor(store: VenueStore = new MemoryVenueStore(), contractSize = '1') {
    this.store = store;
    this.#contractSize = contractSize;
    this.venue = this.#open();
  }

  get now(): EpochMs {
    return this.nowMs as EpochMs;
  }

  /** A new process on the same store: requests and answers on their way are lost. */
  restart(): void {
    this.venue = this.#open();
  }

  pass(ms: number): this {
    const endMs = this.nowMs + ms;
    for (;;) {
      const nextMs = Math.max(this.nowMs, this.venue.nextWakeMs(this.now));
      if (nextMs > endMs) break;
      this.nowMs = nextMs;
      this.venue.advance(this.now);
      if (this.venue.nextWakeMs(this.now) > endMs) break;
    }
    this.nowMs = endMs;
    this.venue.advance(this.now);
    return this;
  }

  touch(bid: number, bidQuantity: number, ask: number, askQuantity: number, { index } = SPOT): this {
    this.venue.markets.admit(index);
    this.venue.onMarket(
      index,
      (market) => market.onTouch(level(bid, bidQuantity), level(ask, askQuantity), this.now),
      this.now,
    );
    return this;
  }

  depth(bids: readonly [number, number][], asks: readonly [number, number][], { index } = SPOT): this {
    this.venue.markets.admit(index);
    this.venue.onMarket(index, (market) => market.onDepth(levels(bids), levels(asks), this.now), this.now);
    return this;
  }

  trade(takerSide: Side, price: number, quantity: number, { index } = SPOT): this {
    this.venue.onMarket(
      index,
      (market) => market.onTrade(price as Ticks, quantity as Lots, takerSide, this.now),
      this.now,
    );
    return this;
  }

  mark(price: number, fundingRatePpm: number, { index } = FUTURE): this {
    this.venue.onMarket(index, (market) => market.onMark(price as Ticks, fundingRatePpm), this.now);
    return this;
  }

  submission(terms: Terms): ChildSubmission {
    this.#childCount += 1;
    return {
      account: ALICE,
      venue: 'BINANCE',
      orderId: 7 as OrderId,
      child: this.#childCount as ChildNumber,
      instrument: SPOT.index,
      side: 'BUY',
      quantity: UNIT as Lots,
      type: 'LIMIT',
      timeInForce: 'GTC',
      limitPrice: PRICE as Ticks,
      postOnly: false,
      reduceOnly: false,
      selfTradePrevention: 'EXPIRE_TAKER',
      ...terms,
    };
  }

  /** Sends an order and waits for its answer. */
  place(terms: Terms, expiresInMs = Infinity): { readonly answer: PlaceAnswer; readonly order: ChildSubmission } {
    const order = this.submission(terms);
    const answer = this.#wait<PlaceAnswer>((done) =>
      this.venue.place(order, (this.nowMs + expiresInMs) as EpochMs, done, this.now),
    );
    return { answer, order };
  }

  cancel(order: ChildSubmission): CancelAnswer {
    return this.#wait((done) => this.venue.cancel(targetOf(order), done, this.now));
  }

  lookUp(order: ChildSubmission): LookUpAnswer {
    return this.#wait((done) => this.venue.lookUp(targetOf(order), done, this.now));
  }

  openOrders(account = ALICE): readonly OpenOrder[] {
    return this.#wait((done) => this.venue.openOrders(account, done, this.now));
  }

  wallet(account = ALICE): Balances {
    return this.#wait((done) => this.venue.balances(account, done, this.now));
  }

  held(account = ALICE): Positions {
    return this.#wait((done) => this.venue.positions(account, done, this.now));
  }

  /** Updates of an order in short form: `OPEN 0`, `FILLED 1000 (1000 @ 5000000 TAKER)`. */
  updatesOf({ child }: ChildSubmission): string[] {
    return this.updates.filter((update) => update.child.child === child).map(shortly);
  }

  #wait<Outcome>(send: (done: (outcome: Outcome) => void) => void): Outcome {
    let found: { readonly outcome: Outcome } | null = null;
    send((outcome) => (found = { outcome }));
    this.pass(ENTRY_MS + RESPONSE_MS);
    if (found === null) throw new Error('the answer is late');
    return (found as { readonly outcome: Outcome }).outcome;
  }

  #open(): PaperVenue {
    const venue = new PaperVenue({
      venue: 'BINANCE',
      store: this.store,
      opening: OPENING,
      instrumentAt: (index): PaperInstrument => {
        const instrument = this.relisted.get(index) ?? catalogue.at(index);
        return { instrument, exchangeSymbol: instrument.symbol.replace('/', ''), contractSize: this.#contractSize };
      },
      isDelisted: (exchangeSymbol) => this.delisted.has(exchangeSymbol),
      orderHistoryMs: 86_400_000 as DurationMs,
      entryMs: ENTRY_MS as DurationMs,
      responseMs: RESPONSE_MS as DurationMs,
      startMs: this.now,
    });
    venue.subscribe(ALICE, {
      onOrder: (update) => this.updates.push(update),
      onBalances: (balances) => this.balances.push(balances),
      onPositions: (positions) => this.positions.push(positions),
    });
    return venue;
  }
}

function levels(side: readonly [number, number][]) {
  return side.map(([price, quantity]) => level(price, quantity));
}

function level(price: number, quantity: number) {
  return { price: price as Ticks, quantity: quantity as Lots };
}

export function targetOf({ account, venue, orderId, child, instrument }: ChildSubmission): ChildTarget {
  return { account, venue, orderId, child, instrument, submittedAtMs: START_MS as EpochMs, venueOrderId: null };
}

function shortly({ order: { state, filled }, fill }: OrderUpdate): string {
  if (fill === null) return `${state} ${filled}`;
  const { quantity, price, liquidity } = fill.fill;
  return `${state} ${filled} (${quantity} @ ${price} ${liquidity})`;
}
