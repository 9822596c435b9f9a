import { LIQUIDATION_FEE_PPM } from '../../model/limits.js';
import type { Side } from '../../model/order.js';
import type { Lots } from '../../model/quantity.js';
import type { Rejection } from '../../model/rejection.js';
import type { EpochMs } from '../../model/time.js';
import type { OrderLife } from '../order/order-life.js';
import type { AccountRegistry } from './account-registry.js';
import type { Contract } from './contract.js';
import { payInsurance } from './house.js';
import type { MarkSource } from './mark-source.js';
import type { Position } from './position.js';
import type { TradingTerms } from './trading-terms.js';
import { crossBacking, isolatedBacking, maintenanceMargin, type Backing, type MarkOf } from './valuation.js';
import type { VenueAccount } from './venue-account.js';

/** An order of the venue itself that closes an account's position at the market. */
export interface ForcedOrder {
  readonly account: VenueAccount;
  readonly terms: TradingTerms;
  readonly side: Side;
  readonly quantity: Lots;
}

export interface LiquidationParts {
  readonly accounts: AccountRegistry;
  readonly marks: MarkSource;
  readonly life: OrderLife;
  /** Trades at the market now and returns what was traded, in lot-ticks. */
  readonly force: (order: ForcedOrder, atMs: EpochMs) => bigint;
}

interface Holding {
  readonly contract: Contract;
  readonly position: Position;
}

/**
 * Closes positions whose margin has become too small, before they cost more than their owner has:
 *
 *     backing < maintenance ─▶ cancel the orders ─▶ trade at the market ─▶ fee to the insurance fund, or its help
 *
 * What the book could not take at once is closed at the next look.
 */
export class Liquidation {
  readonly #parts: LiquidationParts;

  constructor(parts: LiquidationParts) {
    this.#parts = parts;
  }

  look(atMs: EpochMs): void {
    const { accounts, marks } = this.#parts;
    const markOf: MarkOf = ({ instrument }) => marks.markPrice(instrument.index, atMs);
    for (const account of accounts.holders()) {
      const holdings = holdingsOf(account);
      for (const holding of holdings) {
        if (holding.contract.marginMode === 'ISOLATED') this.#lookIsolated(account, holding, markOf, atMs);
      }
      const crossed = holdings.filter(({ contract }) => contract.marginMode === 'CROSS');
      const assets = new Set(crossed.map(({ contract }) => contract.terms.instrument.quote));
      for (const asset of assets) this.#lookCross(account, asset, markOf, atMs);
    }
  }

  #lookIsolated(account: VenueAccount, holding: Holding, markOf: MarkOf, atMs: EpochMs): void {
    const { contract, position } = holding;
    const { terms } = contract;
    const backing = isolatedBacking(position, terms, markOf(terms));
    if (isCovered(backing)) return;
    const { symbol, quote } = terms.instrument;
    const cause = causeOf(`the ${symbol} position`);
    this.#parts.life.cancelAll(account, (order) => order.terms === terms, cause, atMs);
    const [marginBefore, totalBefore] = [position.margin, account.total(quote)];
    const notional = this.#close(account, holding, atMs);
    const left = marginBefore - position.margin + account.total(quote) - totalBefore;
    this.#settleRest(account, quote, left < 0n ? left : smaller(left, feeOn(notional, terms)));
  }

  #lookCross(account: VenueAccount, asset: string, markOf: MarkOf, atMs: EpochMs): void {
    const { life } = this.#parts;
    if (isCovered(crossBacking(account, asset, markOf))) return;
    life.cancelAll(account, (order) => order.heldAsset === asset, causeOf(`the account's ${asset}`), atMs);
    for (const holding of this.#largestFirst(account, asset, markOf)) {
      const notional = this.#close(account, holding, atMs);
      const { equity, maintenance } = crossBacking(account, asset, markOf);
      const spare = equity > maintenance ? equity - maintenance : 0n;
      this.#settleRest(account, asset, smaller(spare, feeOn(notional, holding.contract.terms)));
      if (isCovered(crossBacking(account, asset, markOf))) break;
    }
    life.keepCovered(account, asset, atMs);
  }

  /** Closing the largest first leaves the account as many positions as possible. */
  #largestFirst(account: VenueAccount, asset: string, markOf: MarkOf): Holding[] {
    const weigh = ({ contract: { terms }, position }: Holding): bigint =>
      maintenanceMargin(position, terms, markOf(terms));
    return holdingsOf(account)
      .filter(({ contract }) => contract.marginMode === 'CROSS' && contract.terms.instrument.quote === asset)
      .map((holding) => ({ holding, weight: weigh(holding) }))
      .toSorted((one, other) => (one.weight < other.weight ? 1 : one.weight > other.weight ? -1 : 0))
      .map(({ holding }) => holding);
  }

  #close(account: VenueAccount, { contract, position }: Holding, atMs: EpochMs): bigint {
    const { terms } = contract;
    // In pieces of the largest order: lots × ticks of one fill must stay exact.
    const quantity = Math.min(Math.abs(position.net), terms.instrument.quantityMax) as Lots;
    const side = position.net > 0 ? 'SELL' : 'BUY';
    return this.#parts.force({ account, terms, side, quantity }, atMs);
  }

  /** A positive amount goes to the insurance fund, a negative one is what the fund must give. */
  #settleRest(account: VenueAccount, asset: string, amount: bigint): void {
    const { accounts } = this.#parts;
    if (amount === 0n) return;
    accounts.touchFutures(account);
    accounts.touchHouse(account.venue);
    payInsurance(account, accounts.house(account.venue), { asset, amount: -amount });
  }
}

function holdingsOf(account: VenueAccount): Holding[] {
  const contracts = [...account.contracts.values()];
  return contracts.flatMap((contract) => contract.open().map(([, position]) => ({ contract, position })));
}

function isCovered({ equity, maintenance }: Backing): boolean {
  return equity >= maintenance;
}

function causeOf(what: string): Rejection {
  return { code: 'INSUFFICIENT_FUNDS', message: `liquidation: ${what} no longer covers its maintenance margin` };
}

/** On what was traded, in lot-ticks. */
function feeOn(notional: bigint, { ppmUnit }: TradingTerms): bigint {
  return notional * ppmUnit * BigInt(LIQUIDATION_FEE_PPM);
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
