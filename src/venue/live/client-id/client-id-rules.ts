import type { AssetCategory, Venue } from '../../../domain/exchange.js';
import { type ClientIdCodec, decimalCodec, HEX_128_CODEC, integerCodec, UUID_CODEC } from './codec.js';

/**
 * Source of a rule. DOCUMENT: published by the exchange. CLIENT: read in the code of a client library, or in an error
 * message that it lists. MEMORY: without a source; the exchange's test environment must confirm it.
 */
type RuleSource = 'DOCUMENT' | 'CLIENT' | 'MEMORY';

/** The exchange's rule for client order ids, and the codec that keeps it. */
export interface ClientIdRule {
  readonly codec: ClientIdCodec;
  /** The characters that the exchange accepts, as a character class of regular expressions. */
  readonly charset: string;
  /** The most characters that the exchange accepts. */
  readonly lengthMax: number;
  readonly source: RuleSource;
}

const PLAIN = decimalCodec('', '-');
const WORD = '[A-Za-z0-9_-]';
const DIGIT = '[0-9]';
/** 2^63 - 1 has 19 digits, 2^53 - 1 has 16. */
const INT_64_DIGITS = 19;
const INT_53_DIGITS = 16;

/** 45 bits hold order ids until 2042: the ids grow by at least 64 a millisecond since 2025 (src/keys/settings.ts). */
const INT_63 = integerCodec({ orderBits: 45, childBits: 18 });
/**
 * A JavaScript number holds both ids only in part: today's order ids take 42 of its 53 bits. 43 bits hold order ids
 * until May 2029 and leave 1,023 children to an order. More children are refused.
 */
const INT_53 = integerCodec({ orderBits: 43, childBits: 10 });

function rule(codec: ClientIdCodec, charset: string, lengthMax: number, source: RuleSource): ClientIdRule {
  return { codec, charset, lengthMax, source };
}

type CategoryRules = Readonly<Record<AssetCategory, ClientIdRule>>;

function both(one: ClientIdRule): CategoryRules {
  return { SPOT: one, FUTURE: one };
}

/** B2C2 and COINBASE_PRIME have interfaces of their own and no rule yet. */
const RULES: Readonly<Partial<Record<Venue, CategoryRules>>> = {
  // The exchange names its pattern in error -1100. Futures also take a dot, a colon and a slash.
  BINANCE: both(rule(PLAIN, WORD, 36, 'DOCUMENT')),
  BYBIT: both(rule(PLAIN, WORD, 36, 'DOCUMENT')),
  OKX: both(rule(decimalCodec('', 'x'), '[A-Za-z0-9]', 32, 'DOCUMENT')),
  // `t-` and at most 28 characters.
  GATEIO: both(rule(decimalCodec('t-', '-'), '[A-Za-z0-9_.-]', 30, 'DOCUMENT')),
  // Error 40305 names 50 characters. Newer products may take 32.
  BITGET: both(rule(PLAIN, WORD, 32, 'CLIENT')),
  KUCOIN: both(rule(PLAIN, WORD, 40, 'MEMORY')),
  // Spot takes a UUID, 32 hexadecimal digits, or at most 18 characters of text.
  KRAKEN: { SPOT: rule(UUID_CODEC, '[0-9a-f-]', 36, 'DOCUMENT'), FUTURE: rule(PLAIN, WORD, 100, 'DOCUMENT') },
  HYPERLIQUID: both(rule(HEX_128_CODEC, '[0-9a-fx]', 34, 'DOCUMENT')),
  // The swap interface takes integers below 2^63, but a client that parses JSON into numbers reads only 2^53 exactly.
  HUOBI: { SPOT: rule(PLAIN, WORD, 64, 'CLIENT'), FUTURE: rule(INT_53, DIGIT, INT_53_DIGITS, 'CLIENT') },
  MEXC: both(rule(PLAIN, WORD, 32, 'MEMORY')),
  WOO: both(rule(INT_63, DIGIT, INT_64_DIGITS, 'DOCUMENT')),
  // The exchange documents a numeric id as text. Its width of 63 bits is from memory.
  BULLISH: both(rule(INT_63, DIGIT, INT_64_DIGITS, 'MEMORY')),
  // 18 ASCII characters, 20 letters, digits and dashes, 31 hexadecimal digits, or a UUID. Only a UUID holds every
  // child.
  COINBASE_INTL: both(rule(UUID_CODEC, '[0-9a-f-]', 36, 'DOCUMENT')),
};

/** The rule of an exchange for client order ids; null: real orders of this exchange are not supported. */
export function clientIdRule(venue: Venue, category: AssetCategory): ClientIdRule | null {
  return RULES[venue]?.[category] ?? null;
}
