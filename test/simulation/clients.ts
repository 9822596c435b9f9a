import type { Instrument } from '../../src/domain/instrument.js';
import {
  STRATEGY_NAMES,
  type StrategyName,
  TRADING_STYLES,
  TRIGGER_CONDITIONS,
  URGENCIES,
} from '../../src/domain/order.js';
import { formatSteps } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { FairMarket } from '../../src/sim/market/fair-market.js';
import type { Chance } from './chance.js';
import { CATALOGUE } from './listed.js';

/** Strategies that trade at once are more frequent, because more can fail in them. */
const STRATEGIES: readonly StrategyName[] = [...STRATEGY_NAMES, 'TWAP', 'MARKET', 'LIMIT'];

/** A leg has no ladder. */
const LEG_STRATEGIES = STRATEGY_NAMES.filter((name) => name !== 'SCALE');

/** The fields of a request body. */
export type Body = Readonly<Record<string, unknown>>;

/** The members of a client's order that amendments are drawn from. */
export interface Amendable {
  readonly instrument: Instrument;
  readonly quantity: bigint;
  readonly hasLimit: boolean;
}

/** Side of a leg and its value in the quote currency. */
interface LegWish {
  readonly side: string;
  readonly worth: number;
}

/** Draws request bodies; most are valid. */
export class Clients {
  readonly #chance: Chance;
  readonly #fairMarket: FairMarket;

  /** `venueSeed` is the seed of the simulated venues, so that limits are near their prices. */
  constructor(chance: Chance, venueSeed: number) {
    this.#chance = chance;
    this.#fairMarket = new FairMarket(venueSeed);
  }

  /** A create. `mark` is unique for the request: the service carries it as the subaccount. */
  create(mark: string, clientOrderId: string | null, nowMs: EpochMs): Body {
    const chance = this.#chance;
    const instrument = chance.pick(CATALOGUE.instruments);
    const strategy = chance.pick(STRATEGIES);
    const isTimed = strategy === 'TWAP' || strategy === 'VWAP' || chance.hits(0.5);
    const limit = this.#limitOf(strategy, instrument, nowMs);
    return {
      ...(clientOrderId !== null && { client_order_id: clientOrderId }),
      exchange: instrument.venue,
      subaccount: mark,
      symbol: instrument.symbol,
      asset_category: instrument.assetCategory,
      side: chance.hits(0.5) ? 'BUY' : 'SELL',
      quantity: formatSteps(this.#quantity(instrument, nowMs), instrument.quantityPrecision),
      strategy,
      ...(limit !== null && { limit_price: limit }),
      ...(chance.hits(0.15) && { start_time: String(nowMs + chance.between(1, 15_000)) }),
      ...(strategy !== 'SCALE' && chance.hits(0.3) && this.#clip()),
      params: this.#params(strategy, instrument, isTimed, nowMs),
    };
  }

  /** A multi-leg create: two markets on opposite sides, mostly of about the same value. */
  pair(mark: string, clientOrderId: string | null, nowMs: EpochMs): Body {
    const chance = this.#chance;
    const first = chance.pick(CATALOGUE.instruments);
    const second = chance.pick(CATALOGUE.instruments.filter((one) => one !== first));
    const side = chance.hits(0.5) ? 'BUY' : 'SELL';
    const worth = chance.skewed(200, 100_000);
    const says = chance.pick([{}, { is_leading: true }, { is_leading: false }]);
    const isEnding = chance.hits(0.3);
    return {
      ...(clientOrderId !== null && { client_order_id: clientOrderId }),
      algo: 'PAIR',
      subaccount: mark,
      ...(isEnding && { end_time: String(nowMs + chance.between(2_000, 30_000)) }),
      legs: [
        this.#leg(first, { side, worth }, says, nowMs),
        this.#leg(second, { side: side === 'BUY' ? 'SELL' : 'BUY', worth }, {}, nowMs),
      ],
      params: {
        max_unhedged_seconds: String(chance.between(1, 5)),
        ...(chance.hits(0.5) && { max_unhedged_value: String(chance.skewed(100, 50_000)) }),
        ...(chance.hits(0.5) && { hedge_slippage_bps: String(chance.between(1, 100)) }),
      },
    };
  }

  #leg(instrument: Instrument, { side, worth }: LegWish, says: Body, nowMs: EpochMs): Body {
    const chance = this.#chance;
    const strategy = chance.pick(LEG_STRATEGIES);
    const isTimed = strategy === 'TWAP' || strategy === 'VWAP' || chance.hits(0.3);
    const limit = strategy === 'LIMIT' || chance.hits(0.2) ? this.#limit(instrument, nowMs) : null;
    const mid = this.#fairMarket.priceAt(instrument, nowMs);
    const lots = Math.ceil((worth * 10 ** (instrument.quantityPrecision + instrument.pricePrecision)) / mid);
    const target = chance.hits(0.3)
      ? { target_value: String(worth), ccy: instrument.quote }
      : { target_value: formatSteps(lots, instrument.quantityPrecision), ccy: instrument.base };
    return {
      exchange: instrument.venue,
      symbol: instrument.symbol,
      asset_category: instrument.assetCategory,
      side,
      ...target,
      strategy,
      ...(limit !== null && { limit_price: limit }),
      ...(chance.hits(0.3) && this.#clip()),
      params: {
        ...(isTimed && { duration_seconds: String(chance.skewed(1, 30)) }),
        trading_style: chance.pick(TRADING_STYLES),
        urgency: chance.pick(URGENCIES),
        ...says,
      },
    };
  }

  /** New terms of an order, named by one of its ids. */
  amendment(name: Body, { instrument, quantity, hasLimit }: Amendable, nowMs: EpochMs): Body {
    const chance = this.#chance;
    switch (chance.between(1, 4)) {
      case 1:
      case 2: {
        const changed = (quantity * BigInt(chance.between(30, 200))) / 100n;
        return { ...name, quantity: formatSteps(changed > 0n ? changed : 1n, instrument.quantityPrecision) };
      }
      case 3:
        if (hasLimit) return { ...name, limit_price: this.#limit(instrument, nowMs) };
        return { ...name, params: { urgency: chance.pick(URGENCIES) } };
      default:
        return { ...name, params: { trading_style: chance.pick(TRADING_STYLES) } };
    }
  }

  #params(strategy: StrategyName, instrument: Instrument, isTimed: boolean, nowMs: EpochMs): Body {
    const chance = this.#chance;
    const isFuture = instrument.assetCategory === 'FUTURE';
    return {
      ...(isTimed && { duration_seconds: String(chance.skewed(1, 30)) }),
      trading_style: chance.pick(TRADING_STYLES),
      urgency: chance.pick(URGENCIES),
      ...(chance.hits(0.3) && { randomize_amount: true }),
      ...(isFuture && chance.hits(0.3) && { reduce_only: true }),
      ...(strategy !== 'MARKET' && instrument.venue === 'BINANCE' && chance.hits(0.2) && { post_only: true }),
      ...(chance.hits(0.1) && { price_lock_bps: String(chance.between(1, 20)) }),
      ...(chance.hits(0.1) && { ob_imbalance_cancel: true }),
      ...(chance.hits(0.1) && { trigger: this.#trigger(instrument, nowMs) }),
      ...(strategy === 'SCALE' && this.#ladder(instrument, nowMs)),
    };
  }

  /**
   * A quantity worth 20 to 400,000 USDT, more than the depth of some books; sometimes more than the funds of the
   * account.
   */
  #quantity(instrument: Instrument, nowMs: EpochMs): number {
    const worth = this.#chance.hits(0.03) ? 20_000_000 : this.#chance.skewed(20, 400_000);
    const lotWorth =
      this.#fairMarket.priceAt(instrument, nowMs) / 10 ** (instrument.quantityPrecision + instrument.pricePrecision);
    return Math.min(instrument.quantityMax, Math.ceil(worth / lotWorth));
  }

  /** A ladder brings its own limits. */
  #limitOf(strategy: StrategyName, instrument: Instrument, nowMs: EpochMs): string | null {
    if (strategy === 'SCALE' || (strategy !== 'LIMIT' && this.#chance.hits(0.5))) return null;
    return this.#limit(instrument, nowMs);
  }

  #trigger(instrument: Instrument, nowMs: EpochMs): Body {
    return { trigger_price: this.#limit(instrument, nowMs), trigger_condition: this.#chance.pick(TRIGGER_CONDITIONS) };
  }

  #ladder(instrument: Instrument, nowMs: EpochMs): Body {
    const mid = this.#fairMarket.priceAt(instrument, nowMs);
    const text = (price: number): string => formatSteps(Math.round(price), instrument.pricePrecision);
    return { start_ladder_price: text(mid * 0.999), end_ladder_price: text(mid * 1.001 + 2) };
  }

  /** A price within about 20 bps of the market. */
  #limit(instrument: Instrument, nowMs: EpochMs): string {
    const bps = this.#chance.between(-20, 20);
    const price = Math.round(this.#fairMarket.priceAt(instrument, nowMs) * (1 + bps / 10_000));
    return formatSteps(price, instrument.pricePrecision);
  }

  #clip(): Body {
    return { clip_size_type: 'ORDER_COUNT', clip_size_val: String(this.#chance.between(1, 30)) };
  }
}
