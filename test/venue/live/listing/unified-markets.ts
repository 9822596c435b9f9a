import type { AssetCategory, Venue } from '../../../../src/domain/exchange.js';
import type { PriceBand } from '../../../../src/domain/instrument.js';
import { decimal, type Decimal, ONE, stepsAbove, times } from '../../../../src/venue/live/json/decimal.js';
import { isInScope, type MarketRules } from '../../../../src/venue/live/listing/listed-market.js';
import { asObject, namesIn, type JsonFields } from '../../../../src/venue/live/json/json-fields.js';
import {
  type MarketEntry,
  MarketList,
  type MarketListResult,
  type ReportFinding,
} from '../../../../src/venue/live/listing/market-list.js';

const MEMBERS = namesIn(`
  id lowercaseId uppercaseId symbol base quote settle baseId quoteId settleId type spot margin swap future option index
  active contract linear inverse subType taker maker contractSize expiry expiryDatetime strike optionType precision
  limits marginModes created info tierBased percentage feeSide tiers quanto underlyingId baseName quoteName wsId altname
  darkpool numericId feeLoaded`);
const TYPES = namesIn('spot swap future option index margin');

/**
 * Reads market structures of the ccxt library in its TICK_SIZE mode: an object by symbol, or an array. Quantities are
 * in contracts of contractSize base units.
 */
export function readUnifiedMarkets(venue: Venue, markets: unknown, report: ReportFinding): MarketListResult {
  const list = new MarketList(venue, report);
  const values = Array.isArray(markets) ? markets : Object.values(asObject(markets) ?? {});
  for (const value of values as readonly unknown[]) {
    const entry = list.open(value, 'id', MEMBERS);
    if (entry === null) continue;
    const type = entry.choice('type', TYPES);
    const assetCategory = type === 'spot' ? 'SPOT' : 'FUTURE';
    const quote = entry.text('quote');
    const settle = entry.value('settle');
    const isListed = type === 'spot' || (type === 'swap' && entry.value('linear') === true);
    const isScope = isListed && isInScope(assetCategory, quote, typeof settle === 'string' ? settle : null);
    if (entry.problem === null && !isScope) list.passOver();
    else list.add(entry, rulesOf(venue, assetCategory, entry));
  }
  return list;
}

function rulesOf(venue: Venue, assetCategory: AssetCategory, entry: MarketEntry): MarketRules {
  const correct = CORRECTIONS[venue]?.[assetCategory];
  const corrected = correct?.(entry.inside('info'), entry) ?? {};
  const precision = entry.inside('precision');
  const limits = entry.inside('limits');
  const amount = limits.inside('amount');
  const price = limits.inside('price');
  const cost = limits.inside('cost');
  return {
    venue,
    assetCategory,
    base: entry.text('base'),
    quote: entry.text('quote'),
    rawSymbol: entry.name,
    isTrading: entry.value('active') === true,
    tick: corrected.tick ?? precision.decimal('price'),
    lot: corrected.lot ?? precision.decimal('amount'),
    contractSize: assetCategory === 'SPOT' ? ONE : (corrected.contractSize ?? entry.decimal('contractSize')),
    quantityMin: amount.bound('min'),
    quantityMax: amount.bound('max'),
    marketQuantityMax: limits.inside('market').bound('max'),
    notionalMin: cost.bound('min'),
    notionalMax: cost.bound('max'),
    priceMin: price.bound('min'),
    priceMax: price.bound('max'),
    makerFeePpm: entry.ppm('maker'),
    takerFeePpm: entry.ppm('taker'),
    ...corrected,
  };
}

const TEN: Decimal = { units: 10n, precision: 0 };

type Correction = (info: JsonFields, entry: JsonFields) => Partial<MarketRules>;

/**
 * Fields of the unified structure that mean something else than its documentation says, and bounds that it does not
 * have. The exchange's own entry (info) has the figure. The wrong fields were found in recorded market lists.
 */
const CORRECTIONS: Readonly<Partial<Record<Venue, Readonly<Partial<Record<AssetCategory, Correction>>>>>> = {
  // The structure has the precision of the quote asset as the price step, and as the quantity step.
  BULLISH: {
    SPOT: bullish,
    FUTURE: (info) => ({ ...bullish(info), contractSize: info.decimal('contractMultiplier') }),
  },
  // The price limits of futures are the band around the price of the moment.
  GATEIO: {
    SPOT: (info) => ({ marketQuantityMax: info.bound('market_order_max_stock') }),
    FUTURE: (info) => ({
      priceMin: null,
      priceMax: null,
      ...deviation(info.ppm('order_price_deviate')),
      marketQuantityMax: info.bound('market_order_size_max'),
    }),
  },
  // The minimum of a swap is one contract, but stated in base units.
  HUOBI: {
    SPOT: (info) => ({
      ...crossing(info.ppm('buy-limit-must-less-than'), info.ppm('sell-limit-must-greater-than')),
      marketQuantityMax: info.bound('sell-market-max-order-amt'),
    }),
    FUTURE: () => ({ quantityMin: null }),
  },
  HYPERLIQUID: { SPOT: hyperliquid(8), FUTURE: hyperliquid(6) },
  // Futures have no `active`, spot pairs no least notional.
  KRAKEN: {
    SPOT: (info) => ({ notionalMin: info.bound('costmin') }),
    FUTURE: (info) => ({ isTrading: info.value('tradeable') === true }),
  },
  // The least cost is the least size of a market order in quote units. minFunds holds for every order.
  KUCOIN: {
    SPOT: (info, entry) => ({
      notionalMin: largest(info.bound('minFunds'), entry.inside('limits').inside('cost').bound('min')),
    }),
  },
  // `active` is also true for contracts that the interface takes no orders for.
  MEXC: {
    FUTURE: (info, entry) => ({ isTrading: entry.value('active') === true && info.value('apiAllowed') !== false }),
  },
  WOO: { SPOT: woo, FUTURE: woo },
};

/**
 * The bounds of the other side are left out: some spot pairs state 1 there, although orders rest away from the price.
 */
function woo(info: JsonFields): Partial<MarketRules> {
  return crossing(info.ppm('bid_cap_ratio'), info.ppm('ask_floor_ratio'));
}

/** How far a limit price may cross the reference price. */
function crossing(buyMaxPpm: number | null, sellMinPpm: number | null): { buyBand: PriceBand; sellBand: PriceBand } {
  return { buyBand: { minPpm: null, maxPpm: buyMaxPpm }, sellBand: { minPpm: sellMinPpm, maxPpm: null } };
}

function bullish(info: JsonFields): Partial<MarketRules> {
  return { tick: info.decimal('tickSize'), lot: digitStep(info, info.decimal('quantityPrecision')) };
}

/** The step 10^-digits. */
function digitStep(info: JsonFields, digits: Decimal): Decimal {
  if (digits.precision === 0 && digits.units <= 18n) return decimal(1n, Number(digits.units));
  info.fail('a number of digits is no integer up to 18');
  return ONE;
}

function deviation(ppm: number | null): { buyBand?: PriceBand; sellBand?: PriceBand } {
  if (ppm === null) return {};
  const band: PriceBand = { minPpm: 1_000_000 - ppm, maxPpm: 1_000_000 + ppm };
  return { buyBand: band, sellBand: band };
}

/** Significant digits of a price with a fraction. */
const HYPERLIQUID_DIGITS = 5;

/**
 * A price has at most 5 significant digits and at most `decimalsMax` - szDecimals digits after the point; every integer
 * is allowed. The tick is the finest one at the mark price. It is too fine after the price has passed the next power of
 * ten, so the list must be read again from time to time.
 */
function hyperliquid(decimalsMax: number): Correction {
  return (info) => {
    const sizeDigits = info.decimal('szDecimals');
    const mark = info.decimal('markPx');
    if (info.problem === null && mark.units === 0n) info.fail('info.markPx is 0');
    const lot = digitStep(info, sizeDigits);
    if (info.problem !== null) return {};
    let tick = decimal(1n, Math.max(0, decimalsMax - Number(sizeDigits.units)));
    while (tick.precision > 0 && stepsAbove(mark, tick) > 10n ** BigInt(HYPERLIQUID_DIGITS)) {
      tick = times(tick, TEN);
    }
    return { lot, tick, notionalMin: TEN };
  };
}

/** The larger of two decimals; null stands for an absent one. */
function largest(one: Decimal | null, other: Decimal | null): Decimal | null {
  if (one === null || other === null) return one ?? other;
  const precision = Math.max(one.precision, other.precision);
  const [left, right] = [one, other].map((value) => value.units * 10n ** BigInt(precision - value.precision));
  return (left as bigint) < (right as bigint) ? other : one;
}
