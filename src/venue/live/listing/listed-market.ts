import type { AssetCategory, Venue } from '../../../domain/exchange.js';
import type { ListedInstrument, PriceBand, SelfTradePreventions } from '../../../domain/instrument.js';
import { VENUE_OPEN_ORDERS_MAX } from '../../../domain/limits/trading.js';
import { formatSteps, isUsdLike, type Lots, type Ticks } from '../../../domain/quantity.js';
import { VENUE_LISTINGS } from '../../listing/exchanges.js';
import { type Decimal, ONE, stepsAbove, stepsBelow, times } from '../json/decimal.js';

/** A market of an exchange as Sluice trades it. */
export interface ListedMarket {
  readonly instrument: ListedInstrument;
  /** The exchange's own name of the market, for its requests and messages. */
  readonly rawSymbol: string;
  /** False while the exchange takes no orders in it. */
  readonly isTrading: boolean;
  /** Base units in one unit of quantity of the exchange, as decimal text: 1 except for contracts. */
  readonly contractSize: string;
}

/** The rules of one market in base and quote units; null: the exchange states no bound. */
export interface MarketRules {
  readonly venue: Venue;
  readonly assetCategory: AssetCategory;
  readonly base: string;
  readonly quote: string;
  readonly rawSymbol: string;
  readonly isTrading: boolean;
  readonly tick: Decimal;
  /** In units of quantity of the exchange, as all quantities here. */
  readonly lot: Decimal;
  /** Base units in one unit of quantity of the exchange. */
  readonly contractSize?: Decimal;
  readonly quantityMin: Decimal | null;
  readonly quantityMax: Decimal | null;
  readonly marketQuantityMax?: Decimal | null;
  readonly notionalMin?: Decimal | null;
  readonly notionalMax?: Decimal | null;
  readonly priceMin?: Decimal | null;
  readonly priceMax?: Decimal | null;
  readonly buyBand?: PriceBand;
  readonly sellBand?: PriceBand;
  readonly openOrdersMax?: number | null;
  readonly makerFeePpm?: number | null;
  readonly takerFeePpm?: number | null;
  readonly selfTradePreventions?: SelfTradePreventions;
}

const NO_BAND: PriceBand = { minPpm: null, maxPpm: null };

/** Quote currencies of the spot markets that are listed; perpetuals are quoted in USD or a USD-like currency. */
const SPOT_QUOTES: ReadonlySet<string> = new Set(['USDT', 'USDC', 'USD', 'BTC', 'ETH', 'EUR']);

/** True for a spot pair or a linear perpetual with a quote currency that is listed. settle is ignored for spot. */
export function isInScope(assetCategory: AssetCategory, quote: string, settle: string | null): boolean {
  return assetCategory === 'SPOT' ? SPOT_QUOTES.has(quote) : isUsdLike(quote) && settle === quote;
}

/** The market with its grid and bounds in lots and ticks, or the reason why it cannot be traded. */
export function listMarket(rules: MarketRules): ListedMarket | string {
  const { venue, assetCategory, tick, contractSize = ONE } = rules;
  const base = nameOf(rules.base);
  const quote = nameOf(rules.quote);
  if (base === null || quote === null) return `${rules.base}/${rules.quote} is no pair of asset names`;
  if (contractSize.units <= 0n) return 'the contract size is not positive';
  const lot = times(rules.lot, contractSize);
  const quantityGrid = gridOf('lot', lot);
  const priceGrid = gridOf('tick', tick);
  if (typeof quantityGrid === 'string') return quantityGrid;
  if (typeof priceGrid === 'string') return priceGrid;

  // Rounds bounds towards the inside: a minimum up, a maximum down.
  const lotsFrom = (value: Decimal | null): number => atLeastOne(value, rules.lot);
  const lotsUpTo = (value: Decimal | null | undefined): number => atMost(value, rules.lot);
  const quantityMin = lotsFrom(rules.quantityMin);
  const quantityMax = lotsUpTo(rules.quantityMax);
  if (quantityMin > quantityMax) return `no quantity is from ${quantityMin} to ${quantityMax} lots`;
  const priceMin = atLeastOne(rules.priceMin, tick);
  const priceMax = atMost(rules.priceMax, tick);
  if (priceMin > priceMax) return `no price is from ${priceMin} to ${priceMax} ticks`;
  const lotTick = times(lot, tick);
  const notionalMin = atLeastOne(rules.notionalMin, lotTick);
  const notionalMax = atMost(rules.notionalMax, lotTick);
  if (notionalMin > notionalMax) return `no notional is from ${notionalMin} to ${notionalMax} lot-ticks`;

  const { selfTradePreventions, spot, perpetual } = VENUE_LISTINGS[venue];
  const { fees, isPostOnlyOffered } = assetCategory === 'SPOT' ? spot : perpetual;
  const pair = `${base}/${quote}`;
  return {
    rawSymbol: rules.rawSymbol,
    isTrading: rules.isTrading,
    contractSize: formatSteps(contractSize.units, contractSize.precision),
    instrument: {
      venue,
      symbol: assetCategory === 'SPOT' ? pair : `${pair}:${quote}`,
      assetCategory,
      base,
      quote,
      quantityPrecision: quantityGrid.precision,
      quantityStep: quantityGrid.step,
      pricePrecision: priceGrid.precision,
      priceStep: priceGrid.step,
      quantityMin: quantityMin as Lots,
      quantityMax: quantityMax as Lots,
      notionalMin,
      filters: {
        priceMin: priceMin as Ticks,
        priceMax: priceMax as Ticks,
        buyBand: rules.buyBand ?? NO_BAND,
        sellBand: rules.sellBand ?? NO_BAND,
        marketQuantityMax: Math.min(quantityMax, lotsUpTo(rules.marketQuantityMax)) as Lots,
        notionalMax,
        isReducingExempt: assetCategory === 'FUTURE',
        openOrdersMax: rules.openOrdersMax ?? VENUE_OPEN_ORDERS_MAX,
        isPostOnlyOffered,
        selfTradePreventions: rules.selfTradePreventions ?? selfTradePreventions,
      },
      makerFeePpm: rules.makerFeePpm ?? fees.makerPpm,
      takerFeePpm: rules.takerFeePpm ?? fees.takerPpm,
    },
  };
}

/** Asset names are compared in upper case; a slash, a colon or a blank would change what a symbol means. */
const NAME = /^[\p{L}\p{N}$._]{1,32}$/u;

function nameOf(asset: string): string | null {
  return NAME.test(asset) ? asset.toUpperCase() : null;
}

/** Digits after the point that a grid has at most (Grid in src/domain/quantity.ts). */
const GRID_PRECISION_MAX = 12;

function gridOf(name: string, { units, precision }: Decimal): { step: number; precision: number } | string {
  if (units <= 0n) return `the ${name} is not positive`;
  if (precision > GRID_PRECISION_MAX) return `the ${name} has ${precision} digits after the point: more than 12`;
  if (units > BigInt(Number.MAX_SAFE_INTEGER)) return `the ${name} is too large`;
  return { step: Number(units), precision };
}

function atLeastOne(value: Decimal | null | undefined, step: Decimal): number {
  if (value === null || value === undefined || value.units <= 0n) return 1;
  // A minimum beyond every maximum stays beyond it.
  return Number(stepsAbove(value, step));
}

/** Exchanges write 0 for a bound that does not apply. */
function atMost(value: Decimal | null | undefined, step: Decimal): number {
  if (value === null || value === undefined || value.units <= 0n) return Number.MAX_SAFE_INTEGER;
  const steps = stepsBelow(value, step);
  return steps > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(steps);
}
