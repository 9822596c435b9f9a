import type { Fill } from '../domain/event.js';
import type { Venue } from '../domain/exchange.js';
import type { ChildNumber } from '../domain/ids.js';
import { type InstrumentIndex, quoteOf, withSlash } from '../domain/instrument.js';
import type { ChildOrder, FeeTotal } from '../domain/order-state.js';
import type { SettledStatus, Side, StrategyName } from '../domain/order.js';
import type { Traded } from '../domain/order-legs.js';
import { type Amount, type Grid, type Lots, ZERO_LOTS } from '../domain/quantity.js';
import type { EpochMs } from '../domain/time.js';
import type { ExecutedFill } from './traded-volume.js';
import type { LegMemory } from '../domain/strategy-memory.js';

/** Counts of a leg's children. */
export interface ChildCounts {
  readonly sent: number;
  /** Total quantity of the sent children. */
  readonly sentQuantity: Lots;
  /** Children with at least one fill. */
  readonly filled: number;
  readonly rejected: number;
  /** Children that we or the venue ended with quantity left. */
  readonly cancelled: number;
  /** Number of cancel requests. */
  readonly cancelRequests: number;
}

/** A plan of the strategy, from its start or from a pause or an amendment, and its end. */
export interface WorkedPlan {
  /** Quantity of the leg by the terms at that time. */
  readonly quantity: Lots;
  readonly atMs: EpochMs;
  readonly filled: Lots;
  readonly memory: LegMemory;
  /** When the plan was interrupted or the order ended; null: still working. */
  readonly untilMs: EpochMs | null;
}

/** One leg of an order as executed, folded from its journal. With the market this determines its cost. */
export interface WorkedLeg extends Grid {
  readonly venue: Venue;
  readonly instrument: InstrumentIndex;
  /** As the client sent it. */
  readonly symbol: string;
  readonly side: Side;
  readonly strategy: StrategyName;
  /** By the latest terms. */
  readonly quantity: Lots;
  readonly status: SettledStatus;
  /** When the leg could first trade, and twice the mid at that time; null: not yet. */
  readonly startedAtMs: EpochMs | null;
  readonly arrivalTwiceMid: number | null;
  /** null: still working. */
  readonly endedAtMs: EpochMs | null;
  /** Due time by the terms or the plan; null: none. */
  readonly dueAtMs: EpochMs | null;
  /** Wanted share of all volume; null unless the strategy is POV. */
  readonly wantedParticipation: number | null;
  /** In order of time. A fee in base currency is valued at the price of its fill. Other currencies count as 0. */
  readonly fills: readonly ExecutedFill[];
  /** As charged, one entry per currency. */
  readonly fees: readonly FeeTotal[];
  /** True when all fees could be valued in quote currency. */
  readonly areFeesValued: boolean;
  readonly children: ChildCounts;
  readonly plans: readonly WorkedPlan[];
}

type Changing<Record> = { -readonly [Key in keyof Record]: Record[Key] };

/** Collects a leg's children, fills and fees from the order's journal. */
export class LegFills {
  #filled = 0;
  #areFeesValued = true;
  readonly #fills: ExecutedFill[] = [];
  readonly #fees: Changing<FeeTotal>[] = [];
  readonly #filledChildren = new Set<ChildNumber>();
  readonly #children: Changing<Omit<ChildCounts, 'filled'>> = {
    sent: 0,
    sentQuantity: ZERO_LOTS,
    rejected: 0,
    cancelled: 0,
    cancelRequests: 0,
  };

  get filled(): Lots {
    return this.#filled as Lots;
  }

  get work(): Pick<WorkedLeg, 'fills' | 'fees' | 'areFeesValued' | 'children'> {
    return {
      // Reports of two children may arrive in another order than their fills.
      fills: this.#fills.toSorted((one, other) => one.atMs - other.atMs),
      fees: this.#fees,
      areFeesValued: this.#areFeesValued,
      children: { ...this.#children, filled: this.#filledChildren.size },
    };
  }

  submitted({ quantity }: ChildOrder): void {
    this.#children.sent += 1;
    this.#children.sentQuantity = (this.#children.sentQuantity + quantity) as Lots;
  }

  count(what: 'rejected' | 'cancelled' | 'cancelRequests'): void {
    this.#children[what] += 1;
  }

  fill(child: ChildNumber, fill: Fill, traded: Traded, atMs: EpochMs): void {
    const { quantity, price, liquidity, feeCurrency } = fill;
    this.#filled += quantity;
    this.#filledChildren.add(child);
    const fee = feeInQuote(fill, traded);
    if (fee === null) this.#areFeesValued = false;
    this.#fills.push({ atMs, quantity, price, liquidity, fee: fee ?? (0n as Amount) });
    const total = this.#fees.find(({ currency }) => currency === feeCurrency);
    if (total === undefined) this.#fees.push({ currency: feeCurrency, amount: fill.fee });
    else total.amount = (total.amount + fill.fee) as Amount;
  }
}

/** An instrument by its symbol: `BTC/USDT`, or `BTC/USDT:USDT`. */
interface SymbolGrid extends Grid {
  readonly symbol: string;
}

/** Values a fill's fee in quote currency, a base-currency fee at the price of the fill; null for another currency. */
function feeInQuote(
  { fee, feeCurrency, price }: Fill,
  { symbol, pricePrecision, priceStep }: SymbolGrid,
): Amount | null {
  if (feeCurrency === quoteOf(symbol)) return fee;
  const full = withSlash(symbol);
  const base = full.slice(0, full.indexOf('/'));
  if (feeCurrency !== base) return null;
  return ((fee * BigInt(price) * BigInt(priceStep)) / 10n ** BigInt(pricePrecision)) as Amount;
}
