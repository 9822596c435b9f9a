import { RISK_LOOK_MS, RISK_LOOKS_LATE_COUNT_MAX } from '../../model/limits.js';
import type { EpochMs } from '../../model/time.js';
import type { OrderLife } from '../order/order-life.js';
import type { AccountRegistry } from './account-registry.js';
import { Funding } from './funding.js';
import { Liquidation, type LiquidationParts } from './liquidation.js';

export interface ClearingParts extends LiquidationParts {
  readonly startMs: EpochMs;
}

/**
 * What time alone does to accounts with futures: once a second it pays the funding that is due and liquidates what is no
 * longer covered. Its moments are whole seconds of service time, however often it is asked.
 */
export class Clearing {
  readonly #accounts: AccountRegistry;
  readonly #life: OrderLife;
  readonly #funding: Funding;
  readonly #liquidation: Liquidation;
  #dueMs: number;

  constructor(parts: ClearingParts) {
    this.#accounts = parts.accounts;
    this.#life = parts.life;
    this.#funding = new Funding(parts);
    this.#liquidation = new Liquidation(parts);
    this.#dueMs = lookMs(parts.startMs);
  }

  /** The moments until now at which `run` is to be called, each once; of a long time only the latest ones. */
  *takeMoments(nowMs: EpochMs): Generator<EpochMs> {
    if (nowMs < this.#dueMs) return;
    const latestMs = lookMs(nowMs);
    const firstMs = Math.max(this.#dueMs, latestMs - (RISK_LOOKS_LATE_COUNT_MAX - 1) * RISK_LOOK_MS);
    this.#dueMs = latestMs + RISK_LOOK_MS;
    for (let atMs = firstMs; atMs <= latestMs; atMs += RISK_LOOK_MS) {
      if (this.#accounts.hasHolders) yield atMs as EpochMs;
    }
  }

  run(atMs: EpochMs): void {
    for (const account of this.#funding.settle(atMs)) {
      const assets = [...account.contracts.values()].map(({ terms }) => terms.instrument.quote);
      for (const asset of new Set(assets)) this.#life.keepCovered(account, asset, atMs);
    }
    this.#liquidation.look(atMs);
  }
}

function lookMs(nowMs: EpochMs): number {
  return Math.floor(nowMs / RISK_LOOK_MS) * RISK_LOOK_MS;
}
