import { randomBytes, randomUUID } from 'node:crypto';
import { Accounts, type ApiKey, type FirstBalances, type LoopbackAccount, newKey } from '../accounts.js';
import { Background } from '../background.js';
import { ExchangeClock } from '../clock.js';
import { units } from '../decimal.js';
import { FaultScript } from '../faults.js';
import { LoopbackHosts } from '../http-server.js';
import { accountEndpoints } from './account-endpoints.js';
import { RestApi } from './endpoint.js';
import { marketEndpoints } from './market-data.js';
import { SocketHub } from './socket-hub.js';
import { tradeEndpoints } from './trade-endpoints.js';
import { TradeRequests } from './trade-requests.js';
import { TradingAccounts } from './trading-account.js';

interface LoopbackOptions {
  /** The same seed gives the same faults and the same background market. */
  readonly seed?: string;
  /** First port; the second host uses the following one. Absent: free ports. */
  readonly port?: number;
  /** A connection without a message for so long ends. */
  readonly idleMs?: number;
  /** True for demo trading: keys work with its header alone. */
  readonly isDemo?: boolean;
}

/** Balances of an account that can trade spot and perpetuals: one wallet for both. */
const TRADER_BALANCES: FirstBalances = {
  spot: { BTC: units('10'), ETH: units('100'), USDT: units('1000000') },
  futures: {},
};

/** An OKX on loopback: spot and USDT perpetuals on the hosts www.okx.com (REST) and ws.okx.com (sockets). */
export class OkxLoopback extends LoopbackHosts {
  readonly accounts = new Accounts();
  readonly clock = new ExchangeClock();
  readonly faults: FaultScript;
  readonly trading: TradingAccounts;
  readonly rest: RestApi;
  readonly sockets: SocketHub;
  /** The market without accounts. */
  readonly background: { readonly spot: Background; readonly swap: Background };
  readonly #requests: TradeRequests;

  private constructor({ seed = 'loopback', idleMs, isDemo = false }: LoopbackOptions) {
    super();
    this.faults = new FaultScript(seed);
    const { accounts, clock, faults } = this;
    this.trading = new TradingAccounts(accounts, clock);
    const { trading } = this;
    this.background = { spot: new Background(trading.spot, seed), swap: new Background(trading.swap, seed) };
    this.#requests = new TradeRequests(trading);
    const endpoints = [
      ...marketEndpoints(trading),
      ...tradeEndpoints(trading, this.#requests),
      ...accountEndpoints(trading),
    ];
    this.rest = new RestApi(trading, endpoints, isDemo);
    const { limits } = this.rest;
    this.sockets = new SocketHub({
      trading,
      requests: this.#requests,
      faults,
      limits,
      ...(idleMs !== undefined && { idleMs }),
    });
  }

  static async start(options: LoopbackOptions = {}): Promise<OkxLoopback> {
    const loopback = new OkxLoopback(options);
    const { rest, sockets, faults, background } = loopback;
    const hosts = {
      'www.okx.com': {
        handle: rest.handle.bind(rest),
        failure: rest.failure.bind(rest),
      },
      'ws.okx.com': sockets.protocol,
    };
    await loopback.listen(hosts, faults, options.port);
    background.spot.quoteAll();
    background.swap.quoteAll();
    return loopback;
  }

  openAccount(keys: readonly ApiKey[] = [newOkxKey()], balances = TRADER_BALANCES): LoopbackAccount {
    return this.accounts.open(keys, balances, { isUnified: true });
  }

  override async close(): Promise<void> {
    this.#requests.close();
    this.sockets.close();
    await super.close();
  }
}

/** A key in the form of OKX: a UUID, 32 digits, and a passphrase of its owner. */
export function newOkxKey(options: Partial<ApiKey> = {}): ApiKey {
  const secret = randomBytes(16).toString('hex').toUpperCase();
  return newKey({ key: randomUUID(), secret, passphrase: 'loop-back', ...options });
}
