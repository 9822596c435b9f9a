import type { AccountId, OrderId } from '../../src/model/ids.js';
import type { Instrument } from '../../src/model/instrument.js';
import { TRADING_STYLES, URGENCIES, type Clip, type ParentOrder } from '../../src/model/order.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import type { DurationMs, EpochMs } from '../../src/model/time.js';
import { FairMarket } from '../../src/venue/life/index.js';
import type { Chance } from './chance.js';
import { ACCOUNTS, CATALOGUE } from './listed.js';

const STRATEGIES = ['TWAP', 'TWAP', 'LIMIT', 'MARKET'] as const;

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
    const isTimed = strategy === 'TWAP' || chance.hits(0.4);
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
      limitPrice: strategy === 'LIMIT' || chance.hits(0.5) ? this.#limit(instrument, nowMs) : null,
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
      would: null,
      trigger: null,
      placement: null,
      ladder: null,
      imbalanceThresholdPpm: null,
      priceLockBps: null,
      pair: null,
      requestEcho: '',
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
