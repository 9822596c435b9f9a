import { LIQUIDATION_FEE_PPM } from '../../domain/limits/trading.js';
import type { Side } from '../../domain/order.js';
import { type Lots, smaller } from '../../domain/quantity.js';
import type { Rejection } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { VenueOrderLifecycle } from '../order/order-lifecycle.js';
import type { AccountRegistry } from './account-registry.js';
import { payInsurance } from './clearing-house.js';
import type { FuturesPosition } from './futures-position.js';
import { backingOf, maintenanceMargin, type Backing, type MarkOf, type MarkSource } from './margin.js';
import type { TradingTerms } from './trading-terms.js';
import type { VenueAccount } from './venue-account.js';

/** A market order of the venue itself that closes a position of an account. */
export interface ForcedOrder {
  readonly account: VenueAccount;
  readonly terms: TradingTerms;
  readonly side: Side;
  readonly quantity: Lots;
}

export interface LiquidationParts {
  readonly accounts: AccountRegistry;
  readonly marks: MarkSource;
  readonly lifecycle: VenueOrderLifecycle;
  /** Trades at the market now and returns the traded notional, in lot-ticks. */
  readonly force: (order: ForcedOrder, atMs: EpochMs) => bigint;
}

/**
 * Closes positions whose margin has become too small, before they cost more than the account holds:
 *
 *     equity < maintenance ─▶ cancel the orders ─▶ trade at the market ─▶ fee to the insurance fund, or payment from it
 *
 * Lots that the book cannot take at once are closed at the next check.
 */
export class Liquidation {
  readonly #parts: LiquidationParts;

  constructor(parts: LiquidationParts) {
    this.#parts = parts;
  }

  check(atMs: EpochMs): void {
    const { accounts, marks } = this.#parts;
    const markOf: MarkOf = ({ instrument }) => marks.markPrice(instrument.index, atMs);
    for (const account of accounts.holders()) {
      const assets = [...account.positions.values()].flatMap(({ isOpen, terms }) =>
        isOpen ? [terms.instrument.quote] : [],
      );
      for (const asset of new Set(assets)) {
        if (this.#isValued(account, asset)) this.#checkAccount(account, asset, markOf, atMs);
      }
    }
  }

  /** False: the equity is not known, because a position may have any price. */
  #isValued(account: VenueAccount, asset: string): boolean {
    const { marks } = this.#parts;
    if (marks.isKnown === undefined) return true;
    return account.openPositions(asset).every(({ terms }) => marks.isKnown?.(terms.instrument.index));
  }

  #checkAccount(account: VenueAccount, asset: string, markOf: MarkOf, atMs: EpochMs): void {
    const { lifecycle } = this.#parts;
    if (isCovered(backingOf(account, asset, markOf))) return;
    lifecycle.cancelAll(account, (order) => order.heldAsset === asset, causeOf(asset), atMs);
    for (const position of largestFirst(account, asset, markOf)) {
      const notional = this.#close(account, position, atMs);
      const { equity, maintenance } = backingOf(account, asset, markOf);
      const spare = equity > maintenance ? equity - maintenance : 0n;
      this.#payFee(account, asset, smaller(spare, feeOn(notional, position.terms)));
      if (isCovered(backingOf(account, asset, markOf))) break;
    }
    lifecycle.keepCovered(account, asset, atMs);
  }

  #close(account: VenueAccount, { net, terms }: FuturesPosition, atMs: EpochMs): bigint {
    // In pieces of the largest order: lots × ticks of one fill must stay exact.
    const quantity = Math.min(Math.abs(net), terms.instrument.quantityMax) as Lots;
    return this.#parts.force({ account, terms, side: net > 0 ? 'SELL' : 'BUY', quantity }, atMs);
  }

  #payFee(account: VenueAccount, asset: string, fee: bigint): void {
    const { accounts } = this.#parts;
    if (fee === 0n) return;
    accounts.touchFutures(account);
    accounts.touchHouse(account.venue);
    payInsurance(account, accounts.house(account.venue), { asset, amount: -fee });
  }
}

/** Closing the largest position first leaves the account as many positions as possible. */
function largestFirst(account: VenueAccount, asset: string, markOf: MarkOf): FuturesPosition[] {
  return account
    .openPositions(asset)
    .map((position) => ({ position, weight: maintenanceMargin(position, markOf(position.terms)) }))
    .toSorted((one, other) => (one.weight < other.weight ? 1 : one.weight > other.weight ? -1 : 0))
    .map(({ position }) => position);
}

function isCovered({ equity, maintenance }: Backing): boolean {
  return equity >= maintenance;
}

function causeOf(asset: string): Rejection {
  const message = `liquidation: the account's ${asset} no longer covers its maintenance margin`;
  return { code: 'INSUFFICIENT_FUNDS', message };
}

/** Fee on a traded notional in lot-ticks. */
function feeOn(notional: bigint, { ppmUnit }: TradingTerms): bigint {
  return notional * ppmUnit * BigInt(LIQUIDATION_FEE_PPM);
}
