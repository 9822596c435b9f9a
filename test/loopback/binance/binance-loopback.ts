import { Accounts, type ApiKey, type FirstBalances, type LoopbackAccount, newKey } from '../accounts.js';
import { ExchangeClock } from '../clock.js';
import { units } from '../decimal.js';
import { FaultScript } from '../faults.js';
import { LoopbackHosts } from '../http-server.js';
import { FuturesSection } from './futures-section.js';
import { SpotSection } from './spot-section.js';

interface LoopbackOptions {
  /** The same seed gives the same faults and the same background market. */
  readonly seed?: string;
  /** First port; the hosts use the following ports too. Absent: free ports. */
  readonly port?: number;
  readonly pingEveryMs?: number;
  readonly unansweredPingsMax?: number;
}

const PING_EVERY_MS = 20_000;
/** A client has a minute to answer. */
const UNANSWERED_PINGS_MAX = 3;

/** Balances of an account that can trade in both sections. */
export const TRADER_BALANCES: FirstBalances = {
  spot: { BTC: units('10'), ETH: units('100'), USDT: units('1000000') },
  futures: { USDT: units('1000000') },
};

/** A Binance on loopback: the spot and the USD-M futures section with one server for each host name. */
export class BinanceLoopback extends LoopbackHosts {
  readonly accounts = new Accounts();
  readonly clock = new ExchangeClock();
  readonly faults: FaultScript;
  readonly spot: SpotSection;
  readonly futures: FuturesSection;

  private constructor(options: LoopbackOptions) {
    super();
    const { seed = 'loopback', pingEveryMs = PING_EVERY_MS, unansweredPingsMax = UNANSWERED_PINGS_MAX } = options;
    this.faults = new FaultScript(seed);
    const { accounts, clock, faults } = this;
    const parts = { accounts, clock, faults, seed, pingEveryMs, unansweredPingsMax };
    this.spot = new SpotSection(parts);
    this.futures = new FuturesSection(parts);
  }

  static async start(options: LoopbackOptions = {}): Promise<BinanceLoopback> {
    const loopback = new BinanceLoopback(options);
    await loopback.listen({ ...loopback.spot.hosts, ...loopback.futures.hosts }, loopback.faults, options.port);
    loopback.spot.background.quoteAll();
    loopback.futures.background.quoteAll();
    return loopback;
  }

  openAccount(keys: readonly ApiKey[] = [newKey()], balances: FirstBalances = TRADER_BALANCES): LoopbackAccount {
    return this.accounts.open(keys, balances);
  }

  /** Wipes the test environment, as Binance does monthly: orders, trades and balances are gone, keys stay. */
  wipe(): void {
    for (const section of [this.spot, this.futures]) section.exchange.wipe();
    for (const { spot, futures } of this.accounts.all) for (const wallet of [spot, futures]) wallet.clear();
    this.cut();
  }

  override async close(): Promise<void> {
    this.spot.close();
    this.futures.close();
    await super.close();
  }
}
