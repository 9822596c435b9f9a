import { createSecretKey, createPrivateKey } from 'node:crypto';
import type { VenueEnvironment } from '../../../../src/domain/exchange.js';
import type { AccountId } from '../../../../src/domain/ids.js';
import type { InstrumentIndex } from '../../../../src/domain/instrument.js';
import { isRejected, type OrRejection } from '../../../../src/domain/rejection.js';
import type { EpochMs } from '../../../../src/domain/time.js';
import type { VenueCredentials } from '../../../../src/keys/port.js';
import { openBinance } from '../../../../src/venue/live/binance/binance-exchange.js';
import { BINANCE_SPOT, BINANCE_USDM } from '../../../../src/venue/live/binance/binance-wallet.js';
import type { BinanceAddresses } from '../../../../src/venue/live/binance/binance-rest.js';
import type {
  LiveExchange,
  LiveInstrument,
  LiveInstruments,
  MarketEvents,
} from '../../../../src/venue/live/live-exchange.js';
import type { MarketRecord } from '../../../../src/venue/live/normal/records.js';
import type { BinanceLoopback } from '../../../loopback/binance/binance-loopback.js';

export type Section = 'spot' | 'futures';

const WALLETS = { spot: BINANCE_SPOT, futures: BINANCE_USDM } as const;
export const BTC = 4_096 as InstrumentIndex;

const INSTRUMENTS: Readonly<Record<Section, LiveInstrument>> = {
  spot: {
    index: BTC,
    exchangeSymbol: 'BTCUSDT',
    isFuture: false,
    contractSize: '1',
    quantityPrecision: 5,
    pricePrecision: 2,
    quantityStep: 1,
    priceStep: 1,
  },
  futures: {
    index: BTC,
    exchangeSymbol: 'BTCUSDT',
    isFuture: true,
    contractSize: '1',
    quantityPrecision: 3,
    pricePrecision: 1,
    quantityStep: 1,
    priceStep: 1,
  },
};

export function instrumentsOf(section: Section): LiveInstruments {
  return {
    at: () => INSTRUMENTS[section],
    bySymbol: (symbol) => (symbol === 'BTCUSDT' ? BTC : null),
  };
}

export function addressesOf(loopback: BinanceLoopback, section: Section): BinanceAddresses {
  const walletApi = loopback.address('api.binance.com');
  return section === 'spot'
    ? {
        rest: walletApi,
        walletApi,
        streams: loopback.address('stream.binance.com', 'ws'),
        socketApi: loopback.address('ws-api.binance.com', 'ws'),
      }
    : {
        rest: loopback.address('fapi.binance.com'),
        walletApi,
        streams: loopback.address('fstream.binance.com', 'ws'),
        socketApi: loopback.address('ws-fapi.binance.com', 'ws'),
      };
}

/** What an exchange has delivered about its markets. */
export class MarketLog implements MarketEvents {
  readonly records: (MarketRecord & { readonly seenAtMs: number })[] = [];
  readonly stale: string[] = [];

  onRecord(record: MarketRecord, nowMs: EpochMs): void {
    this.records.push({ ...record, seenAtMs: nowMs });
  }

  onStale(symbols: readonly string[]): void {
    this.stale.push(...symbols);
  }

  of<Kind extends MarketRecord['kind']>(kind: Kind): readonly Extract<MarketRecord, { readonly kind: Kind }>[] {
    return this.records.filter((record) => record.kind === kind) as never;
  }
}

export interface OpenedExchange {
  readonly exchange: LiveExchange;
  readonly market: MarketLog;
  readonly findings: string[];
}

export async function openExchange(
  loopback: BinanceLoopback,
  section: Section,
  environment: VenueEnvironment = 'live',
): Promise<OpenedExchange> {
  const market = new MarketLog();
  const findings: string[] = [];
  const opened = await openBinance(
    WALLETS[section],
    addressesOf(loopback, section),
  )({
    environment,
    proxy: null,
    instruments: instrumentsOf(section),
    nowMs: now,
    market,
    onFinding: ({ message }) => findings.push(message),
  });
  return { exchange: accepted(opened), market, findings };
}

export function credentials(
  apiKey: string,
  secret: { readonly text: string } | { readonly pem: string },
): VenueCredentials {
  const isText = 'text' in secret;
  return {
    place: { account: 'alice' as AccountId, subaccount: null, venue: 'BINANCE', environment: 'live' },
    kind: isText ? 'HMAC' : 'ED25519',
    apiKey,
    secret: isText ? createSecretKey(Buffer.from(secret.text)) : createPrivateKey(secret.pem),
    passphrase: null,
    expiresAtMs: null,
  };
}

export function accepted<Value>(result: OrRejection<Value>): Value {
  if (isRejected(result)) throw new Error(`${result.rejection.code}: ${result.rejection.message}`);
  return result;
}

export function now(): EpochMs {
  return Date.now() as EpochMs;
}

export function passed(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Waits until something is true, at most 180 s: an order is absent 65 s after its sending at the earliest. */
export async function until(isTrue: () => boolean, what: string): Promise<void> {
  for (let waitedMs = 0; !isTrue(); waitedMs += 10) {
    if (waitedMs > 180_000) throw new Error(`waited in vain: ${what}`);
    await passed(10);
  }
}
