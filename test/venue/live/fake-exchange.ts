import type { AssetCategory } from '../../../src/domain/exchange.js';
import { reject, type OrRejection } from '../../../src/domain/rejection.js';
import type { DurationMs, EpochMs } from '../../../src/domain/time.js';
import type { ChildSubmission } from '../../../src/domain/venue-message.js';
import type { VenueCredentials } from '../../../src/keys/port.js';
import type { ListedOrder } from '../../../src/domain/venue-report.js';
import type { ExchangeClient, PlaceAnswer, PlacedQuery } from '../../../src/venue/live/exchange-client.js';
import type { ListedMarket } from '../../../src/venue/live/listing/listed-market.js';
import type {
  AccountCheck,
  AccountEvents,
  ClockReading,
  LiveAccount,
  LiveExchange,
  LiveMarketData,
  MarketTopic,
} from '../../../src/venue/live/live-exchange.js';
import { EXECUTION_MS_MAX } from '../../../src/venue/live/fence.js';
import type { Balances } from '../../../src/venue/live/normal/records.js';
import { topicKey } from '../../../src/venue/live/live-exchange.js';

export const GOOD_CHECK: AccountCheck = {
  latencyMs: 1 as DurationMs,
  clockOffsetMs: 0,
  mayTrade: true,
  mayWithdraw: false,
  isAddressBound: null,
  positionMode: null,
  limits: [],
};

/** An exchange without a network: a test decides what it answers. */
export class FakeExchange implements LiveExchange {
  readonly venue = 'BINANCE';
  readonly categories: readonly AssetCategory[];
  readonly rules = {
    expiryMs: 2_000 as DurationMs,
    executionMsMax: EXECUTION_MS_MAX,
    marginMs: 500 as DurationMs,
    clockErrorMs: (): number => this.clockErrorMs,
    orderHistoryMs: 86_400_000 as DurationMs,
  };
  markets: OrRejection<readonly ListedMarket[]>;
  clock: OrRejection<ClockReading> = { offsetMs: 0, roundTripMs: 1 as DurationMs };
  clockErrorMs = 0;
  /** How often the clock was measured. */
  measurements = 0;
  check: OrRejection<AccountCheck> = GOOD_CHECK;
  /** False: the private stream of an account does not open. */
  opensStream = true;
  /** Answer to each placement. */
  placement: PlaceAnswer = { kind: 'unknown' };
  /** Look-ups whose absence may be believed. */
  finalLooks = 0;
  /** Time until the counts of the exchange leave room for a request. */
  turnMs = 0;
  readonly placed: ChildSubmission[] = [];
  /** Answer to each look-up of balances. */
  balances: () => Promise<OrRejection<Balances>> = () =>
    Promise.resolve({
      kind: 'Balances',
      isSnapshot: true,
      balances: [{ asset: 'USDT', total: '100.5', free: '100.5' }],
      atMs: null,
    });
  /** Orders that the exchange lists. */
  listed: (query: PlacedQuery) => OrRejection<readonly ListedOrder[]> = () => [];
  readonly accounts: FakeAccount[] = [];
  readonly topics = new Set<string>();
  readonly market: LiveMarketData = {
    subscribe: (topic: MarketTopic) => void this.topics.add(topicKey(topic)),
    unsubscribe: (topic: MarketTopic) => void this.topics.delete(topicKey(topic)),
    candles: () => Promise.resolve([]),
    fundingRates: () => Promise.resolve([]),
  };

  constructor(markets: readonly ListedMarket[], categories: readonly AssetCategory[] = ['SPOT']) {
    this.markets = markets;
    this.categories = categories;
  }

  listMarkets = () => Promise.resolve(this.markets);
  /** Milliseconds of a ban from now on. */
  banMs = 0;
  barredMs = () => this.banMs;
  measureClock = () => {
    this.measurements += 1;
    return Promise.resolve(this.clock);
  };
  close = () => Promise.resolve();

  openAccount(credentials: VenueCredentials, events: AccountEvents): Promise<OrRejection<LiveAccount>> {
    if (credentials.kind === 'TOKEN') return Promise.resolve(reject('INVALID_API_KEY', 'no such kind'));
    const account = new FakeAccount(this, credentials, events);
    this.accounts.push(account);
    return Promise.resolve(account);
  }
}

export class FakeAccount implements LiveAccount {
  readonly credentials: VenueCredentials;
  readonly events: AccountEvents;
  readonly #exchange: FakeExchange;
  isStarted = false;
  isClosed = false;

  constructor(exchange: FakeExchange, credentials: VenueCredentials, events: AccountEvents) {
    this.#exchange = exchange;
    this.credentials = credentials;
    this.events = events;
  }

  readonly client: ExchangeClient = {
    place: (order, _expiresAtMs, answer) => {
      this.#exchange.placed.push(order);
      setImmediate(() => answer(this.#exchange.placement, now()));
    },
    cancel: (_target, answer) => void setImmediate(() => answer({ kind: 'unknown' }, now())),
    lookUp: (_target, answer) => void setImmediate(() => answer({ kind: 'absent' }, now())),
    lookInLists: (_target, answer) => {
      this.#exchange.finalLooks += 1;
      setImmediate(() => answer({ kind: 'absent' }, now()));
    },
    openOrders: (answer) => void setImmediate(() => answer([], now())),
    listOrders: (query, answer) => void setImmediate(() => answer(this.#exchange.listed(query), now())),
  };

  turnMs = () => this.#exchange.turnMs;

  start(): void {
    this.isStarted = true;
    if (this.#exchange.opensStream) setImmediate(() => this.events.onSubscribed(now()));
  }

  balances = () => this.#exchange.balances();
  positions = () => Promise.resolve({ kind: 'Positions' as const, isSnapshot: true, positions: [], atMs: null });
  check = () => Promise.resolve(this.#exchange.check);

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }
}

function now(): EpochMs {
  return Date.now() as EpochMs;
}
