import { createSecretKey } from 'node:crypto';
import type { VenueEnvironment } from '../../../../src/domain/exchange.js';
import type { AccountId } from '../../../../src/domain/ids.js';
import type { InstrumentIndex } from '../../../../src/domain/instrument.js';
import type { Lots, Ticks } from '../../../../src/domain/quantity.js';
import type { ChildSubmission } from '../../../../src/domain/venue-message.js';
import type { VenueCredentials } from '../../../../src/keys/port.js';
import type { LiveInstrument, LiveInstruments } from '../../../../src/venue/live/live-exchange.js';
import { openOkxAt } from '../../../../src/venue/live/okx/okx-exchange.js';
import type { ApiKey } from '../../../loopback/accounts.js';
import { newOkxKey, OkxLoopback } from '../../../loopback/okx/okx-loopback.js';
import { accepted, MarketLog, now, type OpenedExchange } from '../binance/loopback-exchange.js';
import { buyingChild, ExchangeRig } from '../exchange-rig.js';

export type Section = 'spot' | 'swap';

const GRID = { pricePrecision: 1, quantityStep: 1, priceStep: 1 } as const;
/** Contracts have 0.01 BTC and trade in hundredths: one lot is 0.0001 BTC. */
export const INSTRUMENTS: Readonly<Record<Section, LiveInstrument>> = {
  spot: {
    ...GRID,
    index: 4_096 as InstrumentIndex,
    exchangeSymbol: 'BTC-USDT',
    isFuture: false,
    contractSize: '1',
    quantityPrecision: 8,
  },
  swap: {
    ...GRID,
    index: 4_097 as InstrumentIndex,
    exchangeSymbol: 'BTC-USDT-SWAP',
    isFuture: true,
    contractSize: '0.01',
    quantityPrecision: 4,
  },
};

const LISTED: LiveInstruments = {
  at: (index) => (index === INSTRUMENTS.spot.index ? INSTRUMENTS.spot : INSTRUMENTS.swap),
  bySymbol: (symbol) => Object.values(INSTRUMENTS).find((one) => one.exchangeSymbol === symbol)?.index ?? null,
};

export async function openExchange(
  loopback: OkxLoopback,
  environment: VenueEnvironment = 'live',
): Promise<OpenedExchange> {
  const market = new MarketLog();
  const findings: string[] = [];
  const open = openOkxAt({
    rest: loopback.address('www.okx.com'),
    sockets: loopback.address('ws.okx.com', 'ws'),
  });
  const opened = await open({
    environment,
    proxy: null,
    instruments: LISTED,
    nowMs: now,
    market,
    onFinding: ({ message }) => findings.push(message),
  });
  return { exchange: accepted(opened), market, findings };
}

export function credentials({ key, secret, passphrase }: ApiKey): VenueCredentials {
  return {
    place: { account: 'alice' as AccountId, subaccount: null, venue: 'OKX', environment: 'live' },
    kind: 'HMAC',
    apiKey: key,
    secret: createSecretKey(Buffer.from(secret ?? '')),
    passphrase: passphrase === null ? null : createSecretKey(Buffer.from(passphrase)),
    expiresAtMs: null,
  };
}

/** A shard, a session and an account at an OKX on loopback. */
export class AccountRig extends ExchangeRig<OkxLoopback> {
  static async open(key: ApiKey = newOkxKey()): Promise<AccountRig> {
    const loopback = await OkxLoopback.start({ seed: 'desk' });
    const owner = loopback.openAccount([key]);
    const opened = await openExchange(loopback);
    accepted(await opened.exchange.measureClock());
    // As the gateway does before the first account.
    accepted(await opened.exchange.listMarkets());
    return new AccountRig({ loopback, owner, opened }).connect({
      credentials: credentials(key),
      instrumentOf: (_child, symbol) => LISTED.bySymbol(symbol),
    });
  }
}

/** A child of 0.01 BTC far below the market. */
export function child(section: Section, orderId: number, change: Partial<ChildSubmission> = {}): ChildSubmission {
  const quantity = (section === 'spot' ? 1_000_000 : 100) as Lots;
  const { index } = INSTRUMENTS[section];
  return { ...buyingChild('OKX', orderId, { instrument: index, quantity, limitPrice: price(49_000) }), ...change };
}

/** Ticks of a price in quote units. */
export function price(quote: number): Ticks {
  return Math.round(quote * 10) as Ticks;
}
