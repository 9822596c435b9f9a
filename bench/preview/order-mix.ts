import type { Instrument } from '../../src/domain/instrument.js';
import { type Side, type StrategyName, TRADING_STYLES, type TradingStyle } from '../../src/domain/order.js';
import { formatLots, formatTicks, type Lots, type Ticks } from '../../src/domain/quantity.js';
import type { DurationMs } from '../../src/domain/time.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';
import type { Random } from '../../src/sim/prng.js';
import { alone } from '../quality/simulated-world.js';

/** A random order of a client, drawn before the market is known. */
export interface DrawnOrder {
  readonly instrument: Instrument;
  readonly strategy: StrategyName;
  readonly style: TradingStyle;
  readonly side: Side;
  readonly durationMs: DurationMs;
  /** Fraction of the expected volume in its time. */
  readonly share: number;
  /**
   * Distance of its limit, or of the end of its ladder, in standard deviations of the price over its time; null:
   * neither.
   */
  readonly distance: number | null;
}

/** Spot and perpetuals, coarse and fine grids, large and small exchanges. */
const MARKETS = [
  ['BINANCE', 'BTC/USDT'],
  ['BINANCE', 'BTC/USDT:USDT'],
  ['BINANCE', 'ETH/USDT:USDT'],
  ['BINANCE', 'DOGE/USDT:USDT'],
  ['OKX', 'ETH/USDT'],
  ['OKX', 'BTC/USDT:USDT'],
  ['BYBIT', 'SOL/USDT:USDT'],
] as const;
const DURATION_MS_MIN = 60_000;
const DURATION_DECADES = 1;
const SHARE_MIN = 0.001;
const SHARE_FACTOR = 50;
const DISTANCE_MAX = 1.5;
const LADDER_START = 0.1;
/** Amount that a new account can pay, in quote currency, with a margin. */
const NOTIONAL_MAX = { SPOT: 500_000, FUTURE: 5_000_000 };
const POV_MARGIN = 1.5;
const DAY_MS = 24 * 3600 * 1000;

export function marketsOfMix(): Instrument[] {
  const catalogue = buildCatalogue();
  return MARKETS.map(([venue, symbol]) => {
    const instrument = catalogue.findCanonical(venue, symbol);
    if (instrument === null) throw new Error(`${venue} lists ${symbol}`);
    return alone(instrument);
  });
}

export function drawOrder(strategy: StrategyName, markets: readonly Instrument[], chance: Random): DrawnOrder {
  const oneOf = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(chance.uniform() * values.length)] as Value;
  const instrument = oneOf(markets);
  const hasPrice = strategy === 'LIMIT' || strategy === 'SCALE' || (strategy === 'ICEBERG' && chance.uniform() < 0.5);
  return {
    instrument,
    strategy,
    style: oneOf(TRADING_STYLES),
    side: oneOf(['BUY', 'SELL']),
    durationMs: (1_000 *
      Math.round((DURATION_MS_MIN / 1_000) * 10 ** (DURATION_DECADES * chance.uniform()))) as DurationMs,
    share: SHARE_MIN * SHARE_FACTOR ** chance.uniform(),
    distance: hasPrice ? DISTANCE_MAX * chance.uniform() : null,
  };
}

/** The market in which the order is placed. */
export interface OrderSetting {
  /** In ticks. */
  readonly mid: number;
  /** Lots of an average day. */
  readonly dailyVolume: number;
  /** Standard deviation of a day's return. */
  readonly dailyVolatility: number;
}

/** Returns the body of the create request. */
export function requestOf(drawn: DrawnOrder, setting: OrderSetting): object {
  const { instrument, strategy, side, style, durationMs, distance } = drawn;
  const quantity = quantityOf(drawn, setting);
  const priceAt = (deviations: number): string => {
    const move = deviations * setting.dailyVolatility * Math.sqrt(durationMs / DAY_MS);
    return formatTicks(Math.round(setting.mid * (1 + (side === 'BUY' ? -move : move))) as Ticks, instrument);
  };
  return {
    exchange: instrument.venue,
    symbol: instrument.symbol,
    asset_category: instrument.assetCategory,
    side,
    quantity: formatLots(quantity, instrument),
    strategy,
    ...(strategy === 'POV' && { clip_size_type: 'PERCENTAGE', clip_size_val: percentOf(drawn) }),
    ...(distance !== null && strategy !== 'SCALE' && { limit_price: priceAt(distance) }),
    params: {
      duration_seconds: String(durationMs / 1_000),
      trading_style: style,
      ...(distance !== null &&
        strategy === 'SCALE' && {
          start_ladder_price: priceAt(LADDER_START),
          end_ladder_price: priceAt(LADDER_START + distance),
        }),
    },
  };
}

function quantityOf({ instrument, durationMs, share }: DrawnOrder, { mid, dailyVolume }: OrderSetting): Lots {
  const { pricePrecision, quantityPrecision, assetCategory } = instrument;
  const affordable = (NOTIONAL_MAX[assetCategory] / mid) * 10 ** (pricePrecision + quantityPrecision);
  return Math.max(1, Math.round(Math.min(affordable, (share * dailyVolume * durationMs) / DAY_MS))) as Lots;
}

/** Slightly more than the share that would suffice, because the volume is not known in advance. */
function percentOf({ share }: DrawnOrder): string {
  return ((100 * POV_MARGIN * share) / (1 + share)).toFixed(4);
}
