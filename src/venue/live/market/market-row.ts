import { TOTALS_CHECK_MS } from '../../../domain/limits/live.js';
import { type Market, NO_MARKET } from '../../../domain/market.js';
import { addNotional, type Lots, type Notional, type Ticks, ZERO_NOTIONAL } from '../../../domain/quantity.js';
import type { EpochMs } from '../../../domain/time.js';
import { VolatilityEstimate } from '../../../domain/volatility-estimate.js';
import type { CandleRecord, PublicTrade, TopOfBook } from '../normal/records.js';
import type { UnitScale } from '../unit-scale.js';

/** Half-life of a return: five minutes. Orders at real exchanges need an estimate seconds after a start. */
const RETURNS = { sampleMs: 1_000, memoryMs: 300_000 / Math.LN2 };
const NO_QUOTE = { bid: 0 as Ticks, ask: 0 as Ticks, bidQuantity: 0 as Lots, askQuantity: 0 as Lots };
const JULY = 6;
/** Half of the safe integers: a year of trades still fits on top. */
const VOLUME_MAX = Number.MAX_SAFE_INTEGER / 2;

/**
 * The market row of one instrument. Bids are rounded down to a tick and asks up: a strategy never sees a better price
 * than the exchange has.
 *
 * The volume counts from `totalsFromMs`: it begins with the sum of the exchange's daily candles, and takes it again
 * after a cut. A strategy that measures its share of the volume so sees the trades that this process has missed.
 */
export class MarketRow {
  readonly #scale: UnitScale;
  readonly #volatility = new VolatilityEstimate(null, RETURNS);
  #market: Market = NO_MARKET;
  #hasQuote = false;
  #hasTotals = false;
  /** True from a quote to the next cut. */
  #isLive = false;
  /** When the volume of the exchange is needed next; Infinity: it is not. */
  #totalsDueMs = 0;
  /** True until the volume was taken a second time after a cut. */
  #isCheckDue = true;
  /** True from a trade to the next cut. */
  #hasTraded = false;
  #endCount = 0;

  constructor(scale: UnitScale) {
    this.#scale = scale;
  }

  /** null: the quotes or the volume are not known yet. */
  get market(): Market | null {
    return this.#hasQuote && this.#hasTotals ? this.#market : null;
  }

  /** Grows with each `end`. The answer to a request from before an end is too old for the time after it. */
  get endCount(): number {
    return this.#endCount;
  }

  /** True when trades may be missing from the volume, and the connection delivers again. */
  needsTotals(nowMs: EpochMs): boolean {
    return this.#isLive && nowMs >= this.#totalsDueMs;
  }

  quote({ bid, ask }: Pick<TopOfBook, 'bid' | 'ask'>, nowMs: EpochMs): void {
    const scale = this.#scale;
    const bidTicks = scale.ticks(bid.price) ?? (0 as Ticks);
    const askTicks = scale.ticksAbove(ask.price) ?? (0 as Ticks);
    if (bidTicks > 0 && askTicks > 0) this.#volatility.observe((bidTicks + askTicks) / 2, nowMs);
    this.#hasQuote = true;
    this.#isLive = true;
    this.#market = {
      ...this.#market,
      bid: bidTicks,
      ask: askTicks,
      bidQuantity: quantityAt(bidTicks, scale.lots(bid.quantity)),
      askQuantity: quantityAt(askTicks, scale.lots(ask.quantity)),
      volatility: this.#volatility.perMinute,
      atMs: nowMs,
    };
  }

  /** The quotes keep their time: a trade does not make them newer. null: the trade is not readable. */
  trade({ price, quantity }: Pick<PublicTrade, 'price' | 'quantity'>): { price: Ticks; quantity: Lots } | null {
    const [ticks, lots] = [this.#scale.ticks(price), this.#scale.lots(quantity)];
    if (ticks === null || lots === null) return null;
    const { volume, turnover = ZERO_NOTIONAL } = this.#market;
    this.#hasTraded = true;
    this.#market = {
      ...this.#market,
      last: ticks,
      volume: (volume + lots) as Lots,
      turnover: addNotional(turnover, lots, ticks),
    };
    return { price: ticks, quantity: lots };
  }

  /**
   * Takes daily candles since `totalsFromMs`, oldest first. The volume never falls: an answer may be older than the
   * stream. Their close is the last price until the stream gives a trade.
   */
  setTotals(candles: readonly CandleRecord[], nowMs: EpochMs): void {
    const { volume, turnover } = this.#totalsOf(candles);
    const known = this.#market;
    const isMore = volume > known.volume;
    const close = this.#scale.ticks(candles.at(-1)?.close ?? '0') ?? (0 as Ticks);
    this.#market = {
      ...known,
      ...(isMore && { volume, turnover }),
      last: this.#hasTraded || close === 0 ? known.last : close,
    };
    this.#hasTotals = true;
    // Trades may begin later than quotes: their streams are connected one by one.
    this.#totalsDueMs = this.#isCheckDue ? nowMs + TOTALS_CHECK_MS : Infinity;
    this.#isCheckDue = false;
  }

  /**
   * Nothing wants the row. It is not published again before it has new quotes and a new volume. Its old volume stays as
   * the least: a paused order may have counted on it.
   */
  end(): void {
    this.#miss();
    this.#hasQuote = false;
    this.#hasTotals = false;
    this.#endCount += 1;
    this.#market = { ...this.#market, last: 0 as Ticks };
  }

  /** The streams are cut: there is no quote until the next one. */
  stale(nowMs: EpochMs): void {
    this.#miss();
    this.#market = { ...this.#market, ...NO_QUOTE, atMs: nowMs };
  }

  /** Trades are missed from now on. */
  #miss(): void {
    this.#isLive = false;
    this.#totalsDueMs = 0;
    this.#isCheckDue = true;
    this.#hasTraded = false;
  }

  #totalsOf(candles: readonly CandleRecord[]): { readonly volume: Lots; readonly turnover: Notional } {
    let [volume, turnover] = [0, 0n];
    // The newest days count when all of them are more than an exact number.
    for (const { volume: quantity, quoteVolume } of candles.toReversed()) {
      const sum = volume + (this.#scale.lots(quantity) ?? 0);
      if (sum > VOLUME_MAX) break;
      volume = sum;
      turnover += this.#scale.lotTicks(quoteVolume);
    }
    return { volume: volume as Lots, turnover: turnover as Notional };
  }
}

/** Begin of the half-year before the present one: at most 366 days, which is one page of candles at most exchanges. */
export function totalsFromMs(nowMs: EpochMs): EpochMs {
  const now = new Date(nowMs);
  const isFirstHalf = now.getUTCMonth() < JULY;
  return Date.UTC(now.getUTCFullYear() - (isFirstHalf ? 1 : 0), isFirstHalf ? JULY : 0) as EpochMs;
}

/** A level with less than one lot still has its price. */
function quantityAt(price: Ticks, lots: Lots | null): Lots {
  return (price === 0 ? 0 : Math.max(1, lots ?? 0)) as Lots;
}
