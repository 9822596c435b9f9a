import { INITIAL_MARGIN_PPM } from '../domain/limits/trading.js';
import { instrumentFor, minimumRefusal } from '../domain/exchange-rules.js';
import type { InstrumentCatalogue } from '../domain/instrument.js';
import type { Market } from '../domain/market.js';
import type { Leg, ParentOrder } from '../domain/order.js';
import {
  type Amount,
  formatAmount,
  type Lots,
  type Ticks,
  ZERO_AMOUNT,
  amountOfLots,
  amountOfNotional,
} from '../domain/quantity.js';
import type { Rejection } from '../domain/rejection.js';
import type { EpochMs } from '../domain/time.js';
import { bandRefusal, crossingRefusal, reductionRefusal, sizeRefusal } from './admission-checks.js';
import type { AdmissionGrounds } from './decision.js';
import { legAt, type LegIndex, type PerLeg } from '../domain/pair.js';

/** Terms of a leg that determine the funds it needs. */
type Covered = Pick<Leg, 'side' | 'quantity' | 'limitPrice'> & Pick<ParentOrder, 'reduceOnly'>;

interface Need {
  readonly asset: string;
  readonly amount: Amount;
}

type AdmissionCheck = (leg: Leg, order: ParentOrder, grounds: AdmissionGrounds, nowMs: EpochMs) => Rejection | null;

interface AdmissionStep {
  readonly check: AdmissionCheck;
  /** Create: the create itself is refused, before its risk limits are checked. Admission: after them, in the shard. */
  readonly stage: 'create' | 'admission';
}

/**
 * In the order of the refusals. Balances at a venue that is down are unknown, so availability is checked before them.
 */
const ADMISSION_STEPS: readonly AdmissionStep[] = [
  { check: sizeRefusal, stage: 'create' },
  { check: unavailabilityOf, stage: 'admission' },
  { check: bandRefusal, stage: 'admission' },
  { check: crossingRefusal, stage: 'admission' },
  { check: reductionRefusal, stage: 'admission' },
  { check: fundsRefusal, stage: 'admission' },
];

/** Returns the reason to refuse the order now, or null. The venue may still reject each child. */
export function refusalOf(order: ParentOrder, grounds: PerLeg<AdmissionGrounds>, nowMs: EpochMs): Rejection | null {
  for (const { check } of ADMISSION_STEPS) {
    const found = refusalBy(check, order, grounds, nowMs);
    if (found !== null) return found;
  }
  return null;
}

/** Returns every reason of a stage to refuse the order now. The first one of both stages is that of `refusalOf`. */
export function refusalsOf(
  stage: AdmissionStep['stage'],
  order: ParentOrder,
  grounds: PerLeg<AdmissionGrounds>,
  nowMs: EpochMs,
): Rejection[] {
  const steps = ADMISSION_STEPS.filter((step) => step.stage === stage);
  return steps.flatMap(({ check }) => refusalBy(check, order, grounds, nowMs) ?? []);
}

function refusalBy(
  check: AdmissionCheck,
  order: ParentOrder,
  grounds: PerLeg<AdmissionGrounds>,
  nowMs: EpochMs,
): Rejection | null {
  if (order.legs.length === 1) return check(order.legs[0], order, grounds[0], nowMs);
  return firstOf(order, (terms, leg) => check(terms, order, legAt(grounds, leg), nowMs));
}

/**
 * Returns the refusal of an order that is under the minimum of its exchange as a whole. null: it is not, or its price
 * is not known yet. `twiceMidOf` is called for a leg without a price of its own; null: its market is not known.
 */
export function sizeRefusalOf(
  order: ParentOrder,
  catalogue: InstrumentCatalogue,
  twiceMidOf: (leg: Leg) => number | null,
): Rejection | null {
  return firstOf(order, (leg) => {
    const isPriced = leg.limitPrice !== null || leg.ladder !== null;
    const instrument = instrumentFor(order, catalogue.at(leg.instrument));
    return minimumRefusal(leg, leg.quantity, instrument, isPriced ? null : twiceMidOf(leg));
  });
}

/**
 * Returns the reason to refuse terms that need more funds than the terms before. `done`: lots of each leg whose funds
 * the venue already holds. null: they need no more, there are enough funds, or the free balance is unknown.
 */
export function refusalOfMore(
  before: ParentOrder,
  terms: ParentOrder,
  done: PerLeg<number>,
  grounds: PerLeg<AdmissionGrounds>,
): Rejection | null {
  return firstOf(terms, (wanted, leg) => {
    const [own, lots] = [legAt(grounds, leg), legAt(done, leg)];
    const rest = restOfTerms(wanted, terms, lots);
    const { asset, amount } = needOf(rest, own);
    const needBefore = needOf(restOfTerms(legAt(before.legs, leg), before, lots), own);
    return amount <= needBefore.amount || own.freeOf(asset) === null ? null : shortageOf(rest, own);
  });
}

function restOfTerms({ side, quantity, limitPrice }: Leg, { reduceOnly }: ParentOrder, done: number): Covered {
  return { side, quantity: Math.max(0, quantity - done) as Lots, limitPrice, reduceOnly };
}

/** The first refusal of a leg. For a pair it names the leg. */
function firstOf({ legs }: ParentOrder, refusal: (terms: Leg, leg: LegIndex) => Rejection | null): Rejection | null {
  if (legs.length === 1) return refusal(legs[0], 0);
  for (const leg of [0, 1] as const) {
    const found = refusal(legs[leg], leg);
    if (found !== null) return { ...found, message: `legs[${leg}]: ${found.message}` };
  }
  return null;
}

function unavailabilityOf({ venue }: Leg, _order: ParentOrder, { isVenueUp }: AdmissionGrounds): Rejection | null {
  return isVenueUp ? null : { code: 'EXCHANGE_NOT_AVAILABLE', message: `exchange ${venue} is not available` };
}

function fundsRefusal(leg: Leg, order: ParentOrder, grounds: AdmissionGrounds): Rejection | null {
  return grounds.isVenueUp ? shortageOf(restOfTerms(leg, order, 0), grounds) : null;
}

function shortageOf(terms: Covered, grounds: AdmissionGrounds): Rejection | null {
  const { asset, amount } = needOf(terms, grounds);
  const free = grounds.freeOf(asset) ?? ZERO_AMOUNT;
  if (amount <= free) return null;
  const message = `the order needs ${formatAmount(amount)} ${asset}, of which ${formatAmount(free)} is free`;
  return { code: 'INSUFFICIENT_FUNDS', message };
}

/** Free balance that the venue account needs: the sold asset, or the cost with the taker fee. */
function needOf(terms: Covered, { instrument, market }: AdmissionGrounds): Need {
  const { base, quote, takerFeePpm, assetCategory } = instrument;
  if (assetCategory === 'SPOT' && terms.side === 'SELL') {
    return { asset: base, amount: amountOfLots(terms.quantity, instrument) };
  }
  if (terms.reduceOnly) return { asset: quote, amount: ZERO_AMOUNT };
  const notional = amountOfNotional(BigInt(terms.quantity) * BigInt(priceOf(terms, market)), instrument);
  const ownPpm = assetCategory === 'SPOT' ? 1_000_000 : INITIAL_MARGIN_PPM;
  return { asset: quote, amount: partOf(notional, ownPpm + takerFeePpm) };
}

/** The limit price, else the opposite touch, else the last price. 0: the market has no price yet. */
function priceOf({ side, limitPrice }: Covered, market: Market): Ticks {
  if (limitPrice !== null) return limitPrice;
  const touch = side === 'BUY' ? market.ask : market.bid;
  return touch > 0 ? touch : market.last;
}

/** Rounds up to whole units of 10^-18. */
function partOf(amount: Amount, ppm: number): Amount {
  return ((amount * BigInt(ppm) + 999_999n) / 1_000_000n) as Amount;
}
