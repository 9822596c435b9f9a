import type { LoopbackAccount } from '../../loopback/accounts.js';
import type { ExchangeClock } from '../../loopback/clock.js';
import type { FaultScript } from '../../loopback/faults.js';
import type { LedgerCopy } from './ledger-copy.js';
import type { FaultNames } from './weather.js';

/** Key of an account at the exchange, for `venue-keys add`. */
export interface AccountKey {
  /** Id in the ledger. */
  readonly account: number;
  readonly apiKey: string;
  readonly secret: string;
  /** Only of exchanges that have one. */
  readonly passphrase?: string;
}

/** One market that orders are placed in. */
export interface TradedMarket {
  /** Name in the ledger, such as `SPOT BTCUSDT`. */
  readonly name: string;
  /** As in requests of the service. */
  readonly symbol: string;
  readonly category: 'SPOT' | 'FUTURE';
  /** Digits of a quantity before the last one that an order may have. */
  readonly quantityPrefix: string;
  readonly price: number;
}

export const [SPOT_BTC, SPOT_ETH, PERPETUAL_BTC, PERPETUAL_ETH] = [
  { name: 'SPOT BTCUSDT', symbol: 'BTC/USDT', category: 'SPOT', quantityPrefix: '0.00', price: 50_000 },
  { name: 'SPOT ETHUSDT', symbol: 'ETH/USDT', category: 'SPOT', quantityPrefix: '0.0', price: 2_500 },
  { name: 'FUTURE BTCUSDT', symbol: 'BTC/USDT:USDT', category: 'FUTURE', quantityPrefix: '0.', price: 50_000 },
  { name: 'FUTURE ETHUSDT', symbol: 'ETH/USDT:USDT', category: 'FUTURE', quantityPrefix: '0.', price: 2_500 },
] as const satisfies readonly TradedMarket[];

/** A loopback exchange as the torture uses it: one implementation for each protocol. */
export interface TradedExchange {
  readonly markets: readonly TradedMarket[];
  readonly names: FaultNames;
  readonly faults: FaultScript;
  readonly clock: ExchangeClock;
  /** Local port of each host name that the service dials, test hosts included. */
  readonly ports: ReadonlyMap<string, number>;
  /** Hosts of private streams. */
  readonly privateHosts: readonly string[];
  openAccount(): AccountKey;
  /** Moves all markets a little and trades in them. */
  wander(): void;
  /** Ends all connections, or those of one host. */
  cut(host?: string): void;
  /** Refuses a key, or accepts it again. */
  setKeyAccepted(apiKey: string, isAccepted: boolean): void;
  /** Ends the subscriptions of private streams, as an expired listen key does. */
  expireStreams(account: number): void;
  /** True: the exchange's own limits of requests apply. At first they do not. */
  setCounting(isCounting: boolean): void;
  /** Copies the ledger, or only the latest orders and fills of each section. */
  copy(latest?: number): LedgerCopy;
  close(): Promise<void>;
}

/** Opens an account with one key, and adds its id to `opened`. */
export function openAccount(loopback: { openAccount(): LoopbackAccount }, opened: number[]): AccountKey {
  const { id, keys } = loopback.openAccount();
  const { key, secret, passphrase } = keys[0]!;
  opened.push(id);
  return { account: id, apiKey: key, secret: secret!, ...(passphrase !== null && { passphrase }) };
}

/** Lets an exchange forget its counts of requests while it does not count. */
export class Pardon {
  readonly #timer: NodeJS.Timeout;
  isCounting = false;

  constructor(intervalMs: number, pardon: () => void) {
    this.#timer = setInterval(() => {
      if (!this.isCounting) pardon();
    }, intervalMs);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
