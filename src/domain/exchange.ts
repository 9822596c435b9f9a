import { asciiUpper } from './letter-case.js';

/** Exchange ids of the public contract: market-data frames carry them. */
export const EXCHANGE_IDS = {
  BINANCE: 1,
  HUOBI: 2,
  BYBIT: 3,
  KUCOIN: 4,
  OKX: 5,
  GATEIO: 6,
  KRAKEN: 7,
  BITGET: 8,
  WOO: 9,
  MEXC: 10,
  BULLISH: 11,
  B2C2: 12,
  HYPERLIQUID: 13,
  COINBASE_PRIME: 14,
  COINBASE_INTL: 15,
  COINBASE_ADV: 16,
  EXTENDED: 17,
  LIGHTER: 18,
} as const;

/** Any of the 18 exchanges that list instruments. */
export type ExchangeCode = keyof typeof EXCHANGE_IDS;

const LISTING_ONLY = ['COINBASE_ADV', 'EXTENDED', 'LIGHTER'] as const;
/** One of the 15 exchanges that take orders. */
export type Venue = Exclude<ExchangeCode, (typeof LISTING_ONLY)[number]>;

export const EXCHANGE_CODES = Object.keys(EXCHANGE_IDS) as readonly ExchangeCode[];
export const VENUES = EXCHANGE_CODES.filter(
  (code): code is Venue => !(LISTING_ONLY as readonly string[]).includes(code),
);

const venueByUpperName = new Map<string, Venue>(VENUES.map((venue) => [venue, venue]));

export const VENUE_ENVIRONMENTS = ['testnet', 'live'] as const;
/** Environment of a real exchange: play money or real money. */
export type VenueEnvironment = (typeof VENUE_ENVIRONMENTS)[number];

/**
 * How the service trades at an exchange. simulated: the simulated exchange. paper: real market data, simulated fills. shadow:
 * orders are logged and not sent. testnet: real orders with play money. live: real money.
 */
export const EXCHANGE_MODES = ['simulated', 'paper', 'shadow', 'testnet', 'live'] as const;
export type ExchangeMode = (typeof EXCHANGE_MODES)[number];
/** A mode in which the service connects to the real exchange. */
export type RealMode = Exclude<ExchangeMode, 'simulated'>;
export const REAL_MODES = EXCHANGE_MODES.filter((mode): mode is RealMode => mode !== 'simulated');
/** The exchanges that are not simulated, with their modes. */
export type RealVenues = ReadonlyMap<Venue, RealMode>;

/** Finds a trading exchange by its name in any letter case; null: there is none. */
export function parseVenue(name: string): Venue | null {
  return venueByUpperName.get(name) ?? venueByUpperName.get(asciiUpper(name)) ?? null;
}

export const ASSET_CLASS_IDS = { UNDEFINED: 0, SPOT: 1, FUTURE: 2, OPTION: 3, CFD: 4 } as const;
/** Category of the instrument of an order. */
export type AssetCategory = 'SPOT' | 'FUTURE';
