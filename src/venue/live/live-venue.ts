import type { RealMode, Venue } from '../../domain/exchange.js';
import type { AccountId } from '../../domain/ids.js';
import type { Instrument } from '../../domain/instrument.js';
import {
  LIVE_AGAIN_MS_MAX,
  LIVE_AGAIN_MS_MIN,
  LIVE_CLOCK_GAP_MS,
  LIVE_CLOCK_MS,
  LIVE_CLOCK_OFFSET_MS_WARNING,
  LIVE_FINDINGS_MAX,
  LIVE_LISTING_MS,
  LIVE_MARKET_ROUND_MS,
  LIVE_RELIST_GAP_MS,
  LIVE_SYMBOLS_LOGGED_MAX,
} from '../../domain/limits/live.js';
import { isRejected, type OrRejection } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { MarketRegistry, VenueKeyDirectory } from '../../keys/port.js';
import type { LiveExchange, LiveExchangeOptions, OpenLiveExchange } from './live-exchange.js';
import { LiveGateway } from './live-gateway.js';
import { LiveListing } from './live-listing.js';
import { LiveMarket, type MarketOutlet } from './live-market.js';
import { SpacedTask } from './spaced-task.js';
import type { SessionLog, Wallet } from './wallet-session.js';
import { doubledMs, pause } from './waits.js';

export interface LiveVenueParts {
  readonly venue: Venue;
  readonly mode: RealMode;
  /** One for each wallet of the exchange. */
  readonly openers: readonly OpenLiveExchange[];
  readonly proxy: string | null;
  /** The address that replaces the hosts of the exchange. It is dialled without the proxy. null: none. */
  readonly origin: string | null;
  readonly registry: MarketRegistry;
  readonly publish: (instrument: Instrument) => void;
  readonly keys: VenueKeyDirectory;
  readonly hasRiskLimits: (account: AccountId) => boolean;
  readonly outlet: MarketOutlet;
  readonly shardCount: number;
  readonly nowMs: () => EpochMs;
  readonly onBarred: (untilMs: EpochMs) => void;
  readonly wake: () => void;
  readonly log: SessionLog;
}

/**
 * Everything of one real exchange in its thread: the wallets, their market lists and clocks on timers, public data, and
 * the gateway that the other threads see.
 */
export class LiveVenue {
  readonly gateway: LiveGateway;
  readonly #parts: LiveVenueParts;
  readonly #listing: LiveListing;
  readonly #wallets: readonly Wallet[];
  readonly #markets: readonly LiveMarket[];
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #listingTask: SpacedTask;
  readonly #clockTask: SpacedTask;
  #isClosed = false;

  private constructor(parts: LiveVenueParts, listing: LiveListing, opened: readonly OpenedWallet[]) {
    const { venue, mode, keys, hasRiskLimits, shardCount, nowMs, onBarred, wake, log } = parts;
    this.#parts = parts;
    this.#listing = listing;
    this.#wallets = opened.map(({ exchange }) => ({ exchange, instruments: listing.of(exchange.categories) }));
    this.#markets = opened.map(({ exchange, events }) => {
      const market = new LiveMarket({ exchange, listing, outlet: parts.outlet, nowMs });
      events.market = market;
      return market;
    });
    this.#listingTask = new SpacedTask(() => this.relist(), LIVE_RELIST_GAP_MS, nowMs);
    this.#clockTask = new SpacedTask(() => this.#measureClocks(), LIVE_CLOCK_GAP_MS, nowMs);
    this.gateway = new LiveGateway({
      venue,
      mode,
      environment: mode,
      wallets: this.#wallets,
      listing,
      keys,
      hasRiskLimits,
      shardCount,
      startedAtMs: nowMs(),
      nowMs,
      onRefusedMarket: () => this.#listingTask.soon(),
      onRefusedTime: () => this.#clockTask.soon(),
      onBarred,
      wake,
      log,
    });
    for (const [place, { exchange }] of this.#wallets.entries()) void this.#begin(place, exchange);
    this.#timers.push(setInterval(() => this.round(), LIVE_MARKET_ROUND_MS));
    this.#timers.push(setInterval(() => void this.relist(), LIVE_LISTING_MS));
  }

  /** Opens all wallets. Rejected: one of them cannot be configured. */
  static async open(parts: LiveVenueParts): Promise<OrRejection<LiveVenue>> {
    const { venue, mode, origin, registry, publish, openers, log } = parts;
    if (origin !== null) log.warn({ venue, origin }, 'an address replaces the hosts of the exchange');
    const onFull = (count: number): void => log.error({ count }, 'instruments have no row left and are not listed');
    const listing = new LiveListing({ venue, mode, registry, publish, onFull });
    const opened: OpenedWallet[] = [];
    for (const open of openers) {
      const wallet = await openWallet(open, parts, listing);
      if (isRejected(wallet)) return wallet;
      opened.push(wallet);
    }
    return new LiveVenue(parts, listing, opened);
  }

  /** Compares wanted and subscribed market data. Call it after each ring of the bell. */
  round(): void {
    if (!this.#isClosed) for (const market of this.#markets) market.round();
  }

  /** Reads the market lists again. False: one of them was not read. */
  async relist(): Promise<boolean> {
    const read = await Promise.all(this.#wallets.map(({ exchange }) => this.#list(exchange)));
    return read.every(Boolean);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#listingTask.close();
    this.#clockTask.close();
    this.gateway.close();
    await Promise.all(this.#wallets.map(({ exchange }) => exchange.close()));
  }

  /** Accounts are opened when the clock is measured and the market list is read. */
  async #begin(place: number, exchange: LiveExchange): Promise<void> {
    await this.#until(() => this.#measureClock(exchange));
    await this.#until(() => this.#list(exchange));
    if (this.#isClosed) return;
    this.gateway.onListed(place);
    this.#parts.wake();
    this.#timers.push(setInterval(() => void this.#measureClock(exchange), LIVE_CLOCK_MS));
  }

  async #until(attempt: () => Promise<boolean>): Promise<void> {
    for (let failures = 0; !this.#isClosed && !(await attempt()); failures += 1) {
      await pause(doubledMs(LIVE_AGAIN_MS_MIN, failures, LIVE_AGAIN_MS_MAX));
    }
  }

  async #measureClock(exchange: LiveExchange): Promise<boolean> {
    const { log } = this.#parts;
    const reading = await exchange.measureClock();
    if (isRejected(reading)) {
      log.warn({ ...reading.rejection }, 'the clock of the exchange was not measured');
      return false;
    }
    const { offsetMs, roundTripMs } = reading;
    this.#markets[this.#wallets.findIndex((wallet) => wallet.exchange === exchange)]!.onClock(offsetMs);
    if (Math.abs(offsetMs) < LIVE_CLOCK_OFFSET_MS_WARNING) return true;
    log.warn({ offsetMs, roundTripMs }, 'the clock of the exchange differs: requests are corrected by the difference');
    return true;
  }

  /** One of the clocks was stepped: until it is measured again, the exchange refuses every order of the wallet. */
  async #measureClocks(): Promise<void> {
    await Promise.all(this.#wallets.map(({ exchange }) => this.#measureClock(exchange)));
  }

  async #list(exchange: LiveExchange): Promise<boolean> {
    const { log } = this.#parts;
    this.#listingTask.began();
    const markets = await exchange.listMarkets();
    if (this.#isClosed) return false;
    if (isRejected(markets)) {
      log.warn({ ...markets.rejection }, 'the market list was not read');
      return false;
    }
    const { added, changed, halted, reopened, ended } = this.#listing.replace(exchange.categories, markets);
    const count = markets.length;
    if (added + changed > 0) log.info({ count, added, changed }, 'instruments are listed');
    if (halted.length > 0) log.warn(named(halted), 'instruments do not trade now');
    if (reopened.length > 0) log.info(named(reopened), 'instruments trade again');
    if (ended.length > 0) log.warn(named(ended), 'instruments are not listed any more, or with another grid');
    return true;
  }
}

/** The market of a wallet is made after its exchange, which already needs its callbacks. */
interface OpenedWallet {
  readonly exchange: LiveExchange;
  readonly events: { market: LiveMarket | null };
}

async function openWallet(
  open: OpenLiveExchange,
  { mode, proxy, origin, nowMs, log }: LiveVenueParts,
  listing: LiveListing,
): Promise<OrRejection<OpenedWallet>> {
  const events: OpenedWallet['events'] = { market: null };
  let found: LiveExchange | null = null;
  const options: LiveExchangeOptions = {
    environment: mode,
    proxy: origin === null ? proxy : null,
    origin,
    instruments: {
      at: (index) => listing.at(index),
      bySymbol: (symbol) => (found === null ? null : listing.of(found.categories).bySymbol(symbol)),
    },
    nowMs,
    market: {
      onRecord: (record, atMs) => events.market?.onRecord(record, atMs),
      onStale: (symbols, atMs) => events.market?.onStale(symbols, atMs),
    },
    onFinding: findingsOnce(log),
  };
  const exchange = await open(options);
  if (isRejected(exchange)) return exchange;
  found = exchange;
  return { exchange, events };
}

/** The first symbols of a list for a log line, and how many there are. */
function named(symbols: readonly string[]): object {
  return { count: symbols.length, symbols: symbols.slice(0, LIVE_SYMBOLS_LOGGED_MAX) };
}

/** Logs each finding once, and only so many. */
function findingsOnce(log: SessionLog): LiveExchangeOptions['onFinding'] {
  const seen = new Set<string>();
  return (finding) => {
    const key = JSON.stringify(finding);
    if (seen.has(key) || seen.size >= LIVE_FINDINGS_MAX) return;
    seen.add(key);
    log.warn({ finding }, 'a message of the exchange is not as expected');
  };
}
