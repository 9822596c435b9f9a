import { VENUES } from '../domain/exchange.js';
import type { AnyEvent, FoldableEvent, OrderEvent } from '../domain/event.js';
import { UNKNOWN_CHILDREN_COUNTED_MAX } from '../domain/limits/process.js';
import type { LiveChild, ParentState } from '../domain/order-state.js';
import { isTerminal, type Leg, type Reason } from '../domain/order.js';
import { legAt } from '../domain/pair.js';
import { lotTickUnits } from '../domain/quantity.js';
import { REASONS } from '../domain/reason.js';
import { REJECTION_CODES } from '../domain/rejection.js';
import {
  ACKNOWLEDGE_ENDS_MS,
  LAG_ENDS,
  SCHEDULED_STRATEGIES,
  UNKNOWN_AGES_S,
  VALUE_DIGITS,
} from '../domain/trading-figures.js';
import type { Fold } from './replay.js';
import { ENDS, LIQUIDITIES, type Section, sectionsOf, valuesOf } from './trading-memory.js';

const SCHEDULED: readonly string[] = SCHEDULED_STRATEGIES;

/** Codes of decisions whose figures begin with the target of the schedule and the filled quantity, in lots. */
const DECISIONS: ReadonlySet<string> = new Set(
  Object.entries(REASONS)
    .filter(([, { figures }]) => figures[0] === 'target' && figures[1] === 'filled')
    .map(([code]) => code),
);

const PUBLISH_MS = 1_000;
/** Largest precision of a Grid. */
const PRECISION_MAX = 12;

/** A child of unknown state. */
interface UnknownChild {
  readonly venueIndex: number;
  /** Real time, monotonic milliseconds. */
  readonly sinceMs: number;
}

/**
 * Counts what orders do, from the events that the projector folds: far from the path of an order. It counts each event
 * once, also when LMDB repeats a transaction.
 */
export class TradingMeter {
  readonly #words: Readonly<Record<Section, Float64Array>>;
  readonly #values: BigInt64Array;
  readonly #monotonicMs: () => number;
  /** By the client id of the child. At most UNKNOWN_CHILDREN_COUNTED_MAX. */
  readonly #unknown = new Map<string, UnknownChild>();
  #countedSeq = 0;
  #publishedAtMs = 0;

  constructor(memory: SharedArrayBuffer, monotonicMs: () => number) {
    this.#words = sectionsOf(memory);
    this.#values = valuesOf(memory);
    this.#monotonicMs = monotonicMs;
  }

  /** The fold, which also counts. */
  over(fold: Fold): Fold {
    return (before, envelope) => {
      const after = fold(before, envelope);
      if (before !== null && envelope.seq > this.#countedSeq) {
        this.#countedSeq = envelope.seq;
        this.#count(before, after, envelope);
      }
      return after;
    };
  }

  /** Publishes the unknown children by their age, at most once in PUBLISH_MS. */
  publishUnknown(): void {
    const { unknown } = this.#words;
    const nowMs = this.#monotonicMs();
    if (nowMs - this.#publishedAtMs < PUBLISH_MS) return;
    this.#publishedAtMs = nowMs;
    const counts = new Float64Array(unknown.length);
    for (const { venueIndex, sinceMs } of this.#unknown.values()) {
      for (const [column, ageS] of UNKNOWN_AGES_S.entries()) {
        if (nowMs - sinceMs >= ageS * 1_000) counts[venueIndex * UNKNOWN_AGES_S.length + column]! += 1;
      }
    }
    unknown.set(counts);
  }

  #count(before: ParentState, after: ParentState, { event, eventAtMs }: FoldableEvent): void {
    if (!isTerminal(before.status) && isTerminal(after.status)) {
      const codeIndex = after.outcome === null ? 0 : REJECTION_CODES.indexOf(after.outcome.code) + 1;
      add(this.#words.ends, ENDS.findIndex((end) => end === after.status) * (REJECTION_CODES.length + 1) + codeIndex);
    }
    if (event.kind === 'ChildSubmitted') {
      this.#noteLag(legAt(before.order.legs, event.order.leg), event.order.reason);
    } else if (event.kind === 'StrategyNoted') {
      this.#noteLag(legAt(before.order.legs, event.leg), event.reason);
    } else if (isAnswer(event)) {
      this.#onChild(before, after, event, eventAtMs);
    }
  }

  #onChild(before: ParentState, after: ParentState, event: ChildAnswer, atMs: number): void {
    const known = childOf(before, event.child);
    this.#followUnknown(before, after, event);
    if (event.kind === 'ChildFilled') this.#noteFill(legAt(before.order.legs, event.leg), event);
    if (known === null) return;
    const venueIndex = VENUES.indexOf(legAt(before.order.legs, known.order.leg).venue);
    if (event.kind === 'ChildRejected') {
      add(this.#words.refusals, venueIndex * REJECTION_CODES.length + REJECTION_CODES.indexOf(event.rejection.code));
    }
    if (known.state !== 'IN_FLIGHT' || event.kind === 'ChildUnknown' || event.kind === 'ChildNeverPlaced') return;
    observe(this.#words.acknowledged, venueIndex, ACKNOWLEDGE_ENDS_MS, Math.max(0, atMs - known.order.submittedAtMs));
  }

  #followUnknown(before: ParentState, after: ParentState, { kind, child }: ChildAnswer): void {
    if (kind !== 'ChildUnknown' && this.#unknown.size === 0) return;
    const name = `${before.order.orderId}-${child}`;
    const left = childOf(after, child);
    if (left?.state !== 'UNKNOWN') {
      this.#unknown.delete(name);
      return;
    }
    if (this.#unknown.has(name) || this.#unknown.size >= UNKNOWN_CHILDREN_COUNTED_MAX) return;
    const { venue } = legAt(before.order.legs, left.order.leg);
    this.#unknown.set(name, { venueIndex: VENUES.indexOf(venue), sinceMs: this.#monotonicMs() });
  }

  #noteFill(leg: Leg, { fill }: Extract<OrderEvent, { kind: 'ChildFilled' }>): void {
    // The exchange has shown what an operator has settled: that fill is counted.
    if (fill.quantity === 0) return;
    add(this.#words.fills, VENUES.indexOf(leg.venue) * LIQUIDITIES.length + LIQUIDITIES.indexOf(fill.liquidity));
    const units = BigInt(fill.quantity) * BigInt(fill.price) * lotTickUnits(leg);
    const value = toValueUnits(units, leg.quantityPrecision + leg.pricePrecision);
    if (leg.instrument < this.#values.length) Atomics.add(this.#values, leg.instrument, value);
  }

  #noteLag({ strategy, quantity }: Leg, { code, figures }: Reason): void {
    const row = SCHEDULED.indexOf(strategy);
    if (row < 0 || !DECISIONS.has(code)) return;
    const [target = Number.NaN, filled = Number.NaN] = figures ?? [];
    if (!Number.isNaN(target - filled))
      observe(this.#words.lags, row, LAG_ENDS, Math.max(0, target - filled) / quantity);
  }
}

/** Events that may change what is known of a child. */
const ANSWERS = [
  'ChildAccepted',
  'ChildRejected',
  'ChildFilled',
  'ChildCancelled',
  'ChildUnknown',
  'ChildNeverPlaced',
] as const satisfies readonly OrderEvent['kind'][];
const ANSWER_KINDS: ReadonlySet<string> = new Set(ANSWERS);

type ChildAnswer = Extract<OrderEvent, { kind: (typeof ANSWERS)[number] }>;

function isAnswer(event: AnyEvent): event is ChildAnswer {
  return ANSWER_KINDS.has(event.kind);
}

function childOf({ legs }: ParentState, number: number): LiveChild | null {
  for (const { children } of legs) {
    for (const child of children) if (child.order.child === number) return child;
  }
  return null;
}

function add(words: Float64Array, index: number): void {
  words[index]! += 1;
}

/** Counts a value in the smallest bucket that covers it, and adds it to the sum in the last word of the row. */
function observe(words: Float64Array, row: number, ends: readonly number[], value: number): void {
  const from = row * (ends.length + 2);
  let bucket = 0;
  while (bucket < ends.length && value > ends[bucket]!) bucket += 1;
  words[from + bucket]! += 1;
  words[from + ends.length + 1]! += value;
}

/** 10^exponent by the exponent: a power of bigints would be computed for each fill. */
const POWERS = Array.from({ length: 2 * PRECISION_MAX + 1 }, (_, exponent) => 10n ** BigInt(exponent));

/** Units of 10^-digits as units of 10^-VALUE_DIGITS, half up. */
function toValueUnits(units: bigint, digits: number): bigint {
  if (digits <= VALUE_DIGITS) return units * POWERS[VALUE_DIGITS - digits]!;
  const divisor = POWERS[digits - VALUE_DIGITS]!;
  return (units + divisor / 2n) / divisor;
}
