import { createSecretKey } from 'node:crypto';
import type { RealMode } from '../../../src/domain/exchange.js';
import type { AccountId, ChildNumber, CorrelationId, OrderId } from '../../../src/domain/ids.js';
import { firstIndexOf, type Instrument, type InstrumentIndex } from '../../../src/domain/instrument.js';
import type { Lots, Ticks } from '../../../src/domain/quantity.js';
import { isRejected, type OrRejection } from '../../../src/domain/rejection.js';
import type { EpochMs } from '../../../src/domain/time.js';
import type { VenueRequest } from '../../../src/domain/venue-message.js';
import type { VenueReport } from '../../../src/domain/venue-report.js';
import type {
  ListedName,
  MarketRegistry,
  StoredMarket,
  VenueCredentials,
  VenueKeyDirectory,
  VenueKeyPlace,
} from '../../../src/keys/port.js';
import type { ListedMarket } from '../../../src/venue/live/listing/listed-market.js';
import { LiveVenue } from '../../../src/venue/live/live-venue.js';
import { plainInstrument } from '../../domain/plain-instrument.js';
import { FakeExchange } from './fake-exchange.js';

export const ACCOUNT = 'alice' as AccountId;
export const MAIN = -1;
/** An outlet without subscribers to market data. */
export const QUIET_OUTLET = {
  isWanted: () => false,
  isDepthWanted: () => false,
  feedsVersion: 0,
  followed: () => [],
  nextClosedMs: () => 0 as EpochMs,
  writeMarket: () => undefined,
  writeDepth: () => undefined,
  offer: () => true,
};
const SHARD = 0;

/** A registry in memory. */
export class MemoryRegistry implements MarketRegistry {
  readonly #indices = new Map<string, InstrumentIndex>();
  readonly #markets = new Map<InstrumentIndex, StoredMarket>();

  indicesOf(names: readonly ListedName[]): InstrumentIndex[] {
    return names.map((name) => {
      const { mode, assetCategory, symbol, quantityPrecision, pricePrecision, quantityStep, priceStep } = name;
      const key = JSON.stringify([
        mode,
        assetCategory,
        symbol,
        quantityPrecision,
        pricePrecision,
        quantityStep,
        priceStep,
      ]);
      const index = this.#indices.get(key) ?? ((firstIndexOf(mode) + this.#indices.size) as InstrumentIndex);
      this.#indices.set(key, index);
      return index;
    });
  }

  store(markets: readonly StoredMarket[]): void {
    for (const market of markets) this.#markets.set(market.instrument.index, market);
  }

  load(): StoredMarket[] {
    return [...this.#markets.values()];
  }
}

export function marketOf(symbol = 'BTC/USDT', change: Partial<ListedMarket['instrument']> = {}): ListedMarket {
  const [base = '', quote = ''] = symbol.split('/');
  const { index: _index, ...instrument } = plainInstrument({ symbol, base, quote });
  return {
    instrument: { ...instrument, ...change },
    rawSymbol: symbol.replace('/', ''),
    isTrading: true,
    contractSize: '1',
  };
}

function credentials(place: VenueKeyPlace): VenueCredentials {
  const secret = createSecretKey(Buffer.from('secret-of-the-test'));
  return { place, kind: 'HMAC', apiKey: 'key', secret, passphrase: null, expiresAtMs: null };
}

/** The keys of one exchange in memory. */
class MemoryKeys implements VenueKeyDirectory {
  readonly #mode: RealMode;
  readonly #listeners: ((place: VenueKeyPlace) => void)[] = [];
  #hasKey = true;

  constructor(mode: RealMode) {
    this.#mode = mode;
  }

  get place(): VenueKeyPlace {
    const environment = this.#mode === 'testnet' ? 'testnet' : 'live';
    return { account: ACCOUNT, subaccount: null, venue: 'BINANCE', environment };
  }

  set(hasKey: boolean): void {
    this.#hasKey = hasKey;
    for (const listener of this.#listeners) listener(this.place);
  }

  find(place: VenueKeyPlace): OrRejection<VenueCredentials> | null {
    return this.#hasKey ? credentials(place) : null;
  }

  accounts(): readonly VenueKeyPlace[] {
    return this.#hasKey ? [this.place] : [];
  }

  onChange(listener: (place: VenueKeyPlace) => void): void {
    this.#listeners.push(listener);
  }

  refresh(): void {}
}

interface RigOptions {
  readonly mode?: RealMode;
  readonly exchange?: FakeExchange;
  /** Further wallets of the exchange. */
  readonly others?: readonly FakeExchange[];
  readonly hasRiskLimits?: boolean;
}

/** What a test changes: the time that has passed beside that of the machine, and the risk limits of the account. */
interface World {
  passedMs: number;
  hasRiskLimits: boolean;
}

/** One real exchange as its thread runs it, over a fake one, with one shard and the main thread. */
export class LiveRig {
  readonly exchange: FakeExchange;
  readonly keys: MemoryKeys;
  readonly reports: { readonly report: VenueReport; readonly destination: number }[] = [];
  readonly instruments: Instrument[] = [];
  readonly lines: { readonly facts: Record<string, unknown>; readonly message: string }[] = [];
  /** Ends of the bans that were shown. */
  readonly bans: EpochMs[] = [];
  readonly #venue: LiveVenue;
  readonly #world: World;
  readonly #timer: NodeJS.Timeout;

  private constructor(
    venue: LiveVenue,
    world: World,
    parts: Pick<LiveRig, 'exchange' | 'keys' | 'instruments' | 'lines' | 'bans'>,
  ) {
    this.#venue = venue;
    this.#world = world;
    this.exchange = parts.exchange;
    this.keys = parts.keys;
    this.instruments = parts.instruments;
    this.lines = parts.lines;
    this.bans = parts.bans;
    this.#timer = setInterval(() => this.#advance(), 5);
  }

  static async open(options: RigOptions = {}): Promise<LiveRig> {
    const { mode = 'testnet', exchange = new FakeExchange([marketOf()]), others = [], hasRiskLimits = true } = options;
    const world: World = { passedMs: 0, hasRiskLimits };
    const nowMs = (): EpochMs => (Date.now() + world.passedMs) as EpochMs;
    const keys = new MemoryKeys(mode);
    const instruments: Instrument[] = [];
    const lines: LiveRig['lines'] = [];
    const bans: LiveRig['bans'] = [];
    const note = (facts: object, message: string): void => void lines.push({ facts: { ...facts }, message });
    const venue = await LiveVenue.open({
      venue: 'BINANCE',
      mode,
      openers: [exchange, ...others].map((one) => () => Promise.resolve(one)),
      proxy: null,
      origin: null,
      registry: new MemoryRegistry(),
      publish: (instrument) => instruments.push(instrument),
      keys,
      hasRiskLimits: () => world.hasRiskLimits,
      outlet: QUIET_OUTLET,
      shardCount: 1,
      nowMs,
      onBarred: (untilMs) => bans.push(untilMs),
      wake: () => undefined,
      log: { info: note, warn: note, error: note },
    });
    if (isRejected(venue)) throw new Error(venue.rejection.message);
    return new LiveRig(venue, world, { exchange, keys, instruments, lines, bans });
  }

  /** `lateMs`: how long ago the turn of the thread began. */
  send(request: VenueRequest, origin = SHARD, lateMs = 0): void {
    this.#venue.gateway.handle(request, origin, (this.#now() - lateMs) as EpochMs);
  }

  /** Lets time pass for the gateway. */
  pass(ms: number): void {
    this.#world.passedMs += ms;
  }

  setRiskLimits(hasRiskLimits: boolean): void {
    this.#world.hasRiskLimits = hasRiskLimits;
  }

  submit(orderId: number, instrument = this.instruments[0]!.index, lateMs = 0): void {
    const submission: VenueRequest = {
      kind: 'Submit',
      account: ACCOUNT,
      venue: 'BINANCE',
      orderId: orderId as OrderId,
      child: 1 as ChildNumber,
      instrument,
      side: 'BUY',
      quantity: 1_000 as Lots,
      type: 'LIMIT',
      timeInForce: 'GTC',
      limitPrice: 4_900_000 as Ticks,
      postOnly: false,
      reduceOnly: false,
      selfTradePrevention: 'EXPIRE_TAKER',
    };
    this.send(submission, SHARD, lateMs);
  }

  ask(orderId: number, instrument: InstrumentIndex): void {
    this.send({
      kind: 'QueryStatus',
      account: ACCOUNT,
      venue: 'BINANCE',
      orderId: orderId as OrderId,
      child: 1 as ChildNumber,
      instrument,
      submittedAtMs: this.#now(),
      venueOrderId: null,
    });
  }

  askFunds(origin = MAIN): void {
    const correlationId = 7 as CorrelationId;
    this.send({ kind: 'QueryFunds', correlationId, account: ACCOUNT, venue: 'BINANCE' }, origin);
  }

  /** Reads the market list again. */
  async relist(markets: readonly ListedMarket[]): Promise<void> {
    this.exchange.markets = markets;
    await this.#venue.relist();
  }

  /** The latest link of the account, or of the exchange (null). */
  link(account: AccountId | null = ACCOUNT): boolean | undefined {
    const links = this.reports.flatMap(({ report }) => (report.kind === 'Link' ? [report] : []));
    return links.findLast((report) => report.account === account)?.isUp;
  }

  rejection(orderId: number) {
    for (const { report } of this.reports) {
      if (report.kind === 'Rejected' && report.orderId === orderId) return report.rejection;
    }
    return undefined;
  }

  async until(isTrue: () => boolean, what: string): Promise<void> {
    for (let waitedMs = 0; !isTrue(); waitedMs += 5) {
      if (waitedMs > 60_000) throw new Error(`waited in vain: ${what}; ${JSON.stringify(this.lines)}`);
      await passed(5);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#venue.close();
  }

  #now(): EpochMs {
    return (Date.now() + this.#world.passedMs) as EpochMs;
  }

  #advance(): void {
    this.#venue.gateway.advance(this.#now(), {
      report: (report, destination) => this.reports.push({ report, destination }),
      market: () => undefined,
      trade: () => undefined,
    });
  }
}

export function passed(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
