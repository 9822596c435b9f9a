import type { AccountId, OrderId } from '../../src/model/ids.js';
import type { Instrument } from '../../src/model/instrument.js';
import {
  STRATEGY_NAMES,
  TRADING_STYLES,
  TRIGGER_CONDITIONS,
  URGENCIES,
  type Clip,
  type Ladder,
  type ParentOrder,
  type Placement,
  type StrategyName,
  type Trigger,
  type Would,
} from '../../src/model/order.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import type { DurationMs, EpochMs } from '../../src/model/time.js';
import { FairMarket } from '../../src/venue/life/index.js';
import type { Chance } from './chance.js';
import { ACCOUNTS, CATALOGUE } from './listed.js';

/** Those that trade at once more often: they have more to go wrong. */
const STRATEGIES: readonly StrategyName[] = [...STRATEGY_NAMES, 'TWAP', 'MARKET', 'LIMIT'];

/** Draws orders as a parser would let them through. */
export class Clients {
  readonly #chance: Chance;
  readonly #fairMarket: FairMarket;
  #lastOrderId = 0;

  /** `venueSeed`: that of the simulated venues, so that limits lie near their prices. */
  constructor(chance: Chance, venueSeed: number) {
    this.#chance = chance;
    this.#fairMarket = new FairMarket(venueSeed);
  }

  /** Ids grow for ever and skip some, as after a crash. */
  order(nowMs: EpochMs): ParentOrder {
    const chance = this.#chance;
    const instrument = chance.pick(CATALOGUE.instruments);
    const strategy = chance.pick(STRATEGIES);
    const isFuture = instrument.assetCategory === 'FUTURE';
    const startAtMs = (nowMs + (chance.hits(0.2) ? chance.between(1, 20_000) : 0)) as EpochMs;
    const isTimed = strategy === 'TWAP' || strategy === 'VWAP' || chance.hits(0.4);
    const durationMs = isTimed ? ((1_000 * chance.skewed(1, 60)) as DurationMs) : null;
    this.#lastOrderId += chance.between(1, 3);
    return {
      quantityPrecision: instrument.quantityPrecision,
      pricePrecision: instrument.pricePrecision,
      orderId: this.#lastOrderId as OrderId,
      account: chance.pick(ACCOUNTS) as AccountId,
      clientOrderId: null,
      venue: instrument.venue,
      subaccount: null,
      instrument: instrument.index,
      symbol: instrument.symbol,
      assetCategory: instrument.assetCategory,
      side: chance.hits(0.5) ? 'BUY' : 'SELL',
      quantity: this.#quantity(instrument, nowMs),
      strategy,
      limitPrice: this.#limitOf(strategy, instrument, nowMs),
      createdAtMs: nowMs,
      startAtMs,
      endAtMs: durationMs === null ? null : ((startAtMs + durationMs) as EpochMs),
      durationMs,
      clip: this.#clip(),
      style: chance.pick(TRADING_STYLES),
      urgency: chance.pick(URGENCIES),
      randomizeQuantity: chance.hits(0.3),
      postOnly: strategy !== 'MARKET' && instrument.venue === 'BINANCE' && chance.hits(0.2),
      reduceOnly: isFuture && chance.hits(0.3),
      would: chance.hits(0.15) ? this.#would(instrument, nowMs) : null,
      trigger: chance.hits(0.1) ? this.#trigger(instrument, nowMs) : null,
      placement: chance.hits(0.2) ? this.#placement() : null,
      ladder: strategy === 'SCALE' ? this.#ladder(instrument, nowMs) : null,
      imbalanceThresholdPpm: chance.hits(0.15) ? 1_000 * chance.between(500, 990) : null,
      priceLockBps: chance.hits(0.15) ? chance.between(1, 20) : null,
      pair: null,
      requestEcho: '',
      revision: 0,
      requestDigest: '',
    };
  }

  /** Worth 20 to 400,000 USDT, more than some books hold; now and then more than the account has. */
  #quantity(instrument: Instrument, nowMs: EpochMs): Lots {
    const worth = this.#chance.hits(0.03) ? 20_000_000 : this.#chance.skewed(20, 400_000);
    const lotWorth =
      this.#fairMarket.priceAt(instrument, nowMs) / 10 ** (instrument.quantityPrecision + instrument.pricePrecision);
    return Math.min(instrument.quantityMax, Math.ceil(worth / lotWorth)) as Lots;
  }

  /** A ladder has its limits in itself. */
  #limitOf(strategy: StrategyName, instrument: Instrument, nowMs: EpochMs): Ticks | null {
    if (strategy === 'SCALE' || (strategy !== 'LIMIT' && this.#chance.hits(0.5))) return null;
    return this.#limit(instrument, nowMs);
  }

  #would(instrument: Instrument, nowMs: EpochMs): Would {
    const chance = this.#chance;
    return {
      price: chance.hits(0.3) ? null : this.#limit(instrument, nowMs),
      ppmOfPercent: chance.between(1, 100) * 1_000_000,
      style: chance.pick(TRADING_STYLES),
    };
  }

  #trigger(instrument: Instrument, nowMs: EpochMs): Trigger {
    return { price: this.#limit(instrument, nowMs), condition: this.#chance.pick(TRIGGER_CONDITIONS) };
  }

  #placement(): Placement {
    const level = this.#chance.between(1, 4);
    return this.#chance.hits(0.5)
      ? { mode: 'TIGHT' }
      : { mode: 'CUSTOM', level, cancelLevel: level + this.#chance.between(1, 4) };
  }

  #ladder(instrument: Instrument, nowMs: EpochMs): Ladder {
    const start = this.#limit(instrument, nowMs);
    const end = (this.#limit(instrument, nowMs) + (this.#chance.hits(0.5) ? 1 : 0)) as Ticks;
    return { start, end: end === start ? ((end + 1) as Ticks) : end, skewPpm: 100_000 * this.#chance.between(1, 50) };
  }

  /** Within about 20 bps of the market. */
  #limit(instrument: Instrument, nowMs: EpochMs): Ticks {
    const bps = this.#chance.between(-20, 20);
    return Math.round(this.#fairMarket.priceAt(instrument, nowMs) * (1 + bps / 10_000)) as Ticks;
  }

  #clip(): Clip {
    const count = this.#chance.between(1, 30);
    return this.#chance.hits(0.7) ? { type: 'AUTOMATIC' } : { type: 'ORDER_COUNT', count };
  }
}
