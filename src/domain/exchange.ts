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

/** A mode in which the service trades at the real exchange: the environment that its orders go to. */
export type RealMode = VenueEnvironment;
/** How the service trades at an exchange: in a simulation, or in an environment of the real exchange. */
export const EXCHANGE_MODES = ['simulated', ...VENUE_ENVIRONMENTS] as const;
export type ExchangeMode = (typeof EXCHANGE_MODES)[number];
/** Modes of release 0.1.0 with simulated fills. Ended orders of them may be stored; no exchange can have them. */
export const FORMER_MODES = ['paper', 'shadow'] as const;
export type FormerMode = (typeof FORMER_MODES)[number];
/** The exchanges that are not simulated, with their modes. */
export type RealVenues = ReadonlyMap<Venue, RealMode>;

/** Finds a trading exchange by its name in any letter case; null: there is none. */
export function parseVenue(name: string): Venue | null {
  return venueByUpperName.get(name) ?? venueByUpperName.get(asciiUpper(name)) ?? null;
}

export const ASSET_CLASS_IDS = { UNDEFINED: 0, SPOT: 1, FUTURE: 2, OPTION: 3, CFD: 4 } as const;
/** Category of the instrument of an order. */
export type AssetCategory = 'SPOT' | 'FUTURE';
