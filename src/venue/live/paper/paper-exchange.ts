import { type AccountId, tradingAccount } from '../../../domain/ids.js';
import type { InstrumentIndex, ListedInstrument } from '../../../domain/instrument.js';
import { isRejected, type OrRejection, reject } from '../../../domain/rejection.js';
import type { DurationMs, EpochMs } from '../../../domain/time.js';
import type { VenueCredentials } from '../../../keys/port.js';
import type { OpeningBalances } from '../../../sim/account/account-registry.js';
import { VENUE_LISTINGS } from '../../listing/exchanges.js';
import type { VenueStore } from '../../port.js';
import type { ExchangeLine } from '../exchange-line.js';
import type { ListedMarket } from '../listing/listed-market.js';
import type {
  AccountCheck,
  AccountEvents,
  LiveAccount,
  LiveExchange,
  LiveExchangeOptions,
  LiveMarketData,
  MarketTopic,
  OpenLiveExchange,
} from '../live-exchange.js';
import { topicKey } from '../live-exchange.js';
import type { Balances, MarketRecord, Positions } from '../normal/records.js';
import { applyRecord } from './paper-feed.js';
import type { PaperInstrument, PaperMarket } from './paper-market.js';
import { isOneGrid } from './paper-markets.js';
import { type OutgoingRequest, shadowLine, SILENT_LINES } from './shadow-line.js';
import { PaperVenue } from './paper-venue.js';

export interface PaperOptions {
  /** What a new account holds in each wallet of the exchange. */
  readonly opening: OpeningBalances;
  /** Opens the store of one wallet; the name has letters, digits and hyphens only. */
  readonly openStore: (name: string) => VenueStore;
  /** Runs the function in the event loop after the delay. */
  readonly schedule: (run: () => void, delayMs: number) => void;
  /** Shadow mode: also writes each request as live mode would send it. null: paper mode. */
  readonly shadow: ShadowOptions | null;
}

export interface ShadowOptions {
  readonly record: (account: AccountId, request: OutgoingRequest) => void;
}

const US_PER_MS = 1_000;

/**
 * An exchange in paper mode: the market data and the market list of the real one, with orders, wallets and positions of our
 * own. Nothing is sent for an account, so its key is not used.
 */
export function paperExchange(open: OpenLiveExchange, paper: PaperOptions): OpenLiveExchange {
  return async (options) => {
    const tap = new PaperTap(options, paper);
    const real = await open({ ...options, market: tap });
    return isRejected(real) ? real : tap.join(real);
  };
}

/** Passes records of the real streams on to the paper matching and to the gateway. */
class PaperTap {
  readonly #options: LiveExchangeOptions;
  readonly #paper: PaperOptions;
  #exchange: PaperExchange | null = null;

  constructor(options: LiveExchangeOptions, paper: PaperOptions) {
    this.#options = options;
    this.#paper = paper;
  }

  /** Rejected: shadow mode does not know the requests of the exchange. */
  join(real: LiveExchange): OrRejection<LiveExchange> {
    const { venue, categories } = real;
    const isSilent = categories.every((category) => SILENT_LINES[venue]?.[category] !== undefined);
    if (this.#paper.shadow !== null && !isSilent) {
      return reject('INVALID_PARAM', `${venue} has no shadow mode for ${categories.join(', ')}`);
    }
    this.#exchange = new PaperExchange(real, this.#options, this.#paper);
    return this.#exchange;
  }

  onRecord(record: MarketRecord, nowMs: EpochMs): void {
    this.#exchange?.onRecord(record, nowMs);
  }

  onStale(symbols: readonly string[], nowMs: EpochMs): void {
    this.#exchange?.onStale(symbols, nowMs);
  }
}

class PaperExchange implements LiveExchange {
  readonly venue: LiveExchange['venue'];
  readonly categories: LiveExchange['categories'];
  readonly rules: LiveExchange['rules'];
  readonly market: SharedMarketData;
  readonly #real: LiveExchange;
  readonly #options: LiveExchangeOptions;
  readonly #paper: PaperOptions;
  readonly #orders: PaperVenue;
  /** The exchange's rules by its own symbol, from its last market list. */
  readonly #listed = new Map<string, ListedInstrument>();
  readonly #instruments = new Map<InstrumentIndex, PaperInstrument>();
  /** The symbols of its last market list, also halted ones; null: no list was read. */
  #symbols: ReadonlySet<string> | null = null;
  /** When `advance` runs next; Infinity: no run is scheduled. */
  #wakeAtMs = Infinity;
  #isClosed = false;

  constructor(real: LiveExchange, options: LiveExchangeOptions, paper: PaperOptions) {
    const { venue, categories, rules } = real;
    const { entry, response } = VENUE_LISTINGS[venue].latency;
    this.venue = venue;
    this.categories = categories;
    // Paper orders meet no matching engine of an exchange: a request that has not arrived in time is refused.
    this.rules = { ...rules, executionMsMax: rules.expiryMs ?? rules.executionMsMax };
    this.market = new SharedMarketData(real.market, (symbol) => this.#onDepthEnded(symbol));
    this.#real = real;
    this.#options = options;
    this.#paper = paper;
    this.#orders = new PaperVenue({
      venue,
      store: paper.openStore(`${venue}-${categories.join('-')}`.toLowerCase()),
      opening: paper.opening,
      instrumentAt: (index) => this.#instrumentAt(index),
      isDelisted: (symbol) => this.#symbols?.has(symbol) === false,
      orderHistoryMs: rules.orderHistoryMs,
      entryMs: Math.ceil(entry.medianUs / US_PER_MS) as DurationMs,
      responseMs: Math.ceil(response.medianUs / US_PER_MS) as DurationMs,
      startMs: options.nowMs(),
    });
    this.#follow();
  }

  async listMarkets(): Promise<OrRejection<readonly ListedMarket[]>> {
    const markets = await this.#real.listMarkets();
    if (isRejected(markets)) return markets;
    this.#listed.clear();
    this.#instruments.clear();
    this.#symbols = new Set(markets.map(({ rawSymbol }) => rawSymbol));
    for (const { rawSymbol, instrument, isTrading } of markets) if (isTrading) this.#listed.set(rawSymbol, instrument);
    return markets;
  }

  measureClock: LiveExchange['measureClock'] = () => this.#real.measureClock();

  openAccount({ place }: VenueCredentials, events: AccountEvents): Promise<OrRejection<LiveAccount>> {
    const account = tradingAccount(place.account, place.subaccount);
    const orders = this.#orders;
    const line: ExchangeLine = {
      place: (order, expiresAtMs, answer) => this.#send((nowMs) => orders.place(order, expiresAtMs, answer, nowMs)),
      cancel: (target, answer) => this.#send((nowMs) => orders.cancel(target, answer, nowMs)),
      lookUp: (target, _isFinal, answer) => this.#send((nowMs) => orders.lookUp(target, answer, nowMs)),
      openOrders: (answer) => this.#send((nowMs) => orders.openOrders(account, answer, nowMs)),
      listOrders: (query, answer) => this.#send((nowMs) => orders.listOrders(account, query, answer, nowMs)),
    };
    const opened: LiveAccount = {
      line: this.#shadowed(line, account),
      // Nothing is sent, so nothing is counted.
      turnMs: () => 0,
      start: () => {
        orders.subscribe(account, events);
        this.#later((nowMs) => events.onSubscribed(nowMs));
      },
      balances: () =>
        new Promise<Balances>((resolve) => this.#send((nowMs) => orders.balances(account, resolve, nowMs))),
      positions: () =>
        new Promise<Positions>((resolve) => this.#send((nowMs) => orders.positions(account, resolve, nowMs))),
      check: () => Promise.resolve(this.#check()),
      close: () => Promise.resolve(orders.subscribe(account, null)),
    };
    return Promise.resolve(opened);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#real.close();
    this.#orders.close();
  }

  onRecord(record: MarketRecord, nowMs: EpochMs): void {
    if (this.#isClosed) return;
    const { instruments, market } = this.#options;
    const index = instruments.bySymbol(record.symbol);
    if (index !== null) {
      // The book of an instrument is kept from its first record: an order may come at any time.
      if (record.kind === 'TopOfBook' || record.kind === 'Depth') this.#admit(index);
      this.#apply(record.symbol, (paper) => applyRecord(record, paper, nowMs), nowMs);
      this.#wake(nowMs);
    }
    if (this.market.isForwarded(record)) market.onRecord(record, nowMs);
  }

  onStale(symbols: readonly string[], nowMs: EpochMs): void {
    if (this.#isClosed) return;
    for (const symbol of symbols) this.#apply(symbol, ({ shown }) => shown.clear(), nowMs);
    this.#options.market.onStale(symbols, nowMs);
  }

  #onDepthEnded(symbol: string): void {
    this.#apply(symbol, ({ shown }) => shown.dropDepth(), this.#options.nowMs());
  }

  /** Until its orders have ended, a market keeps the lots and ticks that they were placed in. */
  #apply(symbol: string, apply: (paper: PaperMarket) => void, nowMs: EpochMs): void {
    const { markets } = this.#orders;
    const index = this.#options.instruments.bySymbol(symbol);
    const paper = (index === null ? null : markets.find(index)) ?? markets.named(symbol);
    if (paper !== null) this.#orders.onMarket(paper.listed.instrument.index, apply, nowMs);
  }

  #admit(index: InstrumentIndex): void {
    if (this.#orders.markets.find(index) === null) this.#orders.markets.admit(index);
  }

  #instrumentAt(index: InstrumentIndex): PaperInstrument | null {
    const traded = this.#options.instruments.at(index);
    const { exchangeSymbol, contractSize } = traded;
    const listed = this.#listed.get(exchangeSymbol);
    // A new grid gets another index soon.
    if (listed === undefined || !isOneGrid(listed, traded)) return null;
    let known = this.#instruments.get(index);
    if (known === undefined) {
      known = { instrument: { ...listed, venue: this.venue, index }, exchangeSymbol, contractSize };
      this.#instruments.set(index, known);
    }
    return known;
  }

  #shadowed(line: ExchangeLine, account: AccountId): ExchangeLine {
    const { shadow } = this.#paper;
    const [category] = this.categories;
    const open = category === undefined ? undefined : SILENT_LINES[this.venue]?.[category];
    if (shadow === null || open === undefined) return line;
    const { instruments, nowMs, onFinding } = this.#options;
    return shadowLine(
      line,
      open({ instruments, nowMs, onFinding, record: (request) => shadow.record(account, request) }),
    );
  }

  #check(): AccountCheck {
    const positionMode = this.categories.includes('FUTURE') ? 'ONE_WAY' : null;
    return {
      latencyMs: 0 as DurationMs,
      clockOffsetMs: 0,
      mayTrade: true,
      mayWithdraw: false,
      isAddressBound: null,
      positionMode,
      limits: [],
    };
  }

  #send(request: (nowMs: EpochMs) => void): void {
    const nowMs = this.#options.nowMs();
    request(nowMs);
    this.#wake(nowMs);
  }

  /** Calls back in the event loop, never inside the call. */
  #later(run: (nowMs: EpochMs) => void): void {
    this.#paper.schedule(() => {
      if (!this.#isClosed) run(this.#options.nowMs());
    }, 0);
  }

  /** Schedules `advance`. The run that was scheduled for a later time is left out: each run schedules the next one. */
  #wake(nowMs: EpochMs): void {
    const dueMs = Math.max(nowMs, this.#orders.nextWakeMs(nowMs));
    if (dueMs >= this.#wakeAtMs || dueMs === Infinity) return;
    this.#wakeAtMs = dueMs;
    this.#paper.schedule(() => {
      if (this.#wakeAtMs === dueMs) this.#advance();
    }, dueMs - nowMs);
  }

  #advance(): void {
    if (this.#isClosed) return;
    const nowMs = this.#options.nowMs();
    this.#wakeAtMs = Infinity;
    this.#orders.advance(nowMs);
    this.#follow();
    this.#wake(nowMs);
  }

  /** Subscribes the streams that resting orders and positions need. */
  #follow(): void {
    const topics: MarketTopic[] = [];
    for (const { market, isHeld } of this.#orders.followed()) {
      const symbol = market.listed.exchangeSymbol;
      topics.push({ kind: 'topOfBook', symbol }, { kind: 'trades', symbol });
      if (isHeld) topics.push({ kind: 'mark', symbol });
    }
    this.market.need(topics);
  }
}

const TOPIC_OF_RECORD = {
  TopOfBook: 'topOfBook',
  Depth: 'depth',
  PublicTrade: 'trades',
  MarkPrice: 'mark',
  OpenInterest: 'openInterest',
} as const;

/** The real market data with two subscribers: the gateway and the paper matching. */
class SharedMarketData implements LiveMarketData {
  readonly #real: LiveMarketData;
  readonly #onDepthEnded: (symbol: string) => void;
  readonly #wanted = new Set<string>();
  #needed = new Map<string, MarketTopic>();

  constructor(real: LiveMarketData, onDepthEnded: (symbol: string) => void) {
    this.#real = real;
    this.#onDepthEnded = onDepthEnded;
  }

  subscribe(topic: MarketTopic): void {
    this.#wanted.add(topicKey(topic));
    this.#real.subscribe(topic);
  }

  unsubscribe(topic: MarketTopic): void {
    const key = topicKey(topic);
    this.#wanted.delete(key);
    if (topic.kind === 'depth') this.#onDepthEnded(topic.symbol);
    if (!this.#needed.has(key)) this.#real.unsubscribe(topic);
  }

  candles: LiveMarketData['candles'] = (query) => this.#real.candles(query);

  fundingRates: LiveMarketData['fundingRates'] = (query) => this.#real.fundingRates(query);

  /** Subscribes these topics for the matching, and no others. */
  need(topics: readonly MarketTopic[]): void {
    const needed = new Map(topics.map((topic) => [topicKey(topic), topic]));
    for (const [key, topic] of needed) {
      if (!this.#needed.has(key) && !this.#wanted.has(key)) this.#real.subscribe(topic);
    }
    for (const [key, topic] of this.#needed) {
      if (!needed.has(key) && !this.#wanted.has(key)) this.#real.unsubscribe(topic);
    }
    this.#needed = needed;
  }

  /** False for a record that only the matching has subscribed. */
  isForwarded(record: MarketRecord): boolean {
    if (record.kind === 'Candle') return true;
    return this.#wanted.has(topicKey({ kind: TOPIC_OF_RECORD[record.kind], symbol: record.symbol }));
  }
}
