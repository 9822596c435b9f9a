import { createSecretKey } from 'node:crypto';
import type { AccountId } from '../../../../src/domain/ids.js';
import type { InstrumentIndex } from '../../../../src/domain/instrument.js';
import type { Lots, Ticks } from '../../../../src/domain/quantity.js';
import type { ChildSubmission } from '../../../../src/domain/venue-message.js';
import type { VenueCredentials } from '../../../../src/keys/port.js';
import { openBybitAt } from '../../../../src/venue/live/bybit/bybit-exchange.js';
import type { LiveInstrument } from '../../../../src/venue/live/live-exchange.js';
import type { ApiKey } from '../../../loopback/accounts.js';
import { BybitLoopback } from '../../../loopback/bybit/bybit-loopback.js';
import { accepted, MarketLog, now, type OpenedExchange, passed, until } from '../binance/loopback-exchange.js';
import { buyingChild, ExchangeRig } from '../exchange-rig.js';

export type Product = 'spot' | 'linear';
export const PRODUCTS: readonly Product[] = ['spot', 'linear'];

export const INSTRUMENTS: Readonly<Record<Product, LiveInstrument>> = {
  spot: {
    index: 4_096 as InstrumentIndex,
    exchangeSymbol: 'spot/BTCUSDT',
    isFuture: false,
    contractSize: '1',
    quantityPrecision: 6,
    pricePrecision: 2,
    quantityStep: 1,
    priceStep: 1,
  },
  linear: {
    index: 4_097 as InstrumentIndex,
    exchangeSymbol: 'linear/BTCUSDT',
    isFuture: true,
    contractSize: '1',
    quantityPrecision: 3,
    pricePrecision: 1,
    quantityStep: 1,
    priceStep: 1,
  },
};

/** Base units of a lot, as the ledger counts them. */
export const LOTS: Readonly<Record<Product, string>> = { spot: '0.000001', linear: '0.001' };

function indexOf(symbol: string): InstrumentIndex | null {
  return Object.values(INSTRUMENTS).find(({ exchangeSymbol }) => exchangeSymbol === symbol)?.index ?? null;
}

export async function openExchange(loopback: BybitLoopback): Promise<OpenedExchange> {
  const market = new MarketLog();
  const findings: string[] = [];
  const opened = await openBybitAt({
    rest: loopback.address('api.bybit.com'),
    streams: loopback.address('stream.bybit.com', 'ws'),
  })({
    environment: 'live',
    proxy: null,
    instruments: {
      at: (index) => Object.values(INSTRUMENTS).find((instrument) => instrument.index === index)!,
      bySymbol: indexOf,
    },
    nowMs: now,
    market,
    onFinding: ({ kind, message }) => findings.push(`${kind} ${message}`),
  });
  return { exchange: accepted(opened), market, findings };
}

export function credentials({ key, secret }: ApiKey): VenueCredentials {
  return {
    place: { account: 'alice' as AccountId, subaccount: null, venue: 'BYBIT', environment: 'live' },
    kind: 'HMAC',
    apiKey: key,
    secret: createSecretKey(Buffer.from(secret ?? '')),
    passphrase: null,
    expiresAtMs: null,
  };
}

/** A shard, a session and a unified account at a Bybit on loopback. */
export class BybitRig extends ExchangeRig<BybitLoopback> {
  static async open(): Promise<BybitRig> {
    const loopback = await BybitLoopback.start({ seed: 'desk' });
    const owner = loopback.openAccount();
    const opened = await openExchange(loopback);
    accepted(await opened.exchange.measureClock());
    return new BybitRig({ loopback, owner, opened }).connect({
      credentials: credentials(owner.keys[0]!),
      instrumentOf: (_child, symbol) => indexOf(symbol),
    });
  }

  /** Waits until the account is linked and its orders go on the socket. */
  async connected(): Promise<void> {
    await until(() => this.isLinked && this.loopback.trade.logins > 0, 'the link and the login for orders');
    // The answer to the login is on its way.
    await passed(20);
  }

  /** A child of 0.01 BTC far below the market. */
  child(product: Product, orderId: number, change: Partial<ChildSubmission> = {}): ChildSubmission {
    const quantity = (product === 'spot' ? 10_000 : 10) as Lots;
    const limitPrice = this.price(product, 49_000);
    const { index } = INSTRUMENTS[product];
    return { ...buyingChild('BYBIT', orderId, { instrument: index, quantity, limitPrice }), ...change };
  }

  /** Ticks of a price in quote units. */
  price(product: Product, quote: number): Ticks {
    return Math.round(quote * 10 ** INSTRUMENTS[product].pricePrecision) as Ticks;
  }

  /** Ticks above the best quote of the background. */
  bestBid(product: Product): Ticks {
    return this.price(product, product === 'spot' ? 49_999.98 : 49_999.8);
  }

  stateOf(orderId: number): string | undefined {
    return this.shard.children.get(`${orderId}-1`)?.state;
  }
}
