import type { RejectionCode } from './rejection.js';

/**
 * How a figure of a reason is stored, as a number, and shown, as a decimal:
 *
 *   quantity          lots of the leg of the reason            base units
 *   other quantity    lots of the other leg of the pair        base units
 *   leading quantity  lots of the leading leg of the pair      base units
 *   price             ticks of the leg of the reason           quote units
 *   value             10^-8 quote units of the leading leg     quote units
 *   share             10^-6                                    0 to 1
 *   bps               10^-2 basis points                       basis points
 *   time              ms since the epoch                       the same
 *   count             a whole number                           the same
 *   leg               index in `legs`; the figures after it are of this leg
 *   flag              1 is true                                boolean
 */
export type FigureUnit =
  | 'quantity'
  | 'other quantity'
  | 'leading quantity'
  | 'price'
  | 'value'
  | 'share'
  | 'bps'
  | 'time'
  | 'count'
  | 'leg'
  | 'flag';

interface Figure {
  readonly unit: FigureUnit;
  readonly meaning: string;
}

/** Members of the detail of a reason. */
export const FIGURES = {
  target: { unit: 'quantity', meaning: 'Quantity that the schedule wants to be filled now.' },
  filled: { unit: 'quantity', meaning: 'Filled quantity of the order, or of the leg.' },
  working: { unit: 'quantity', meaning: 'Leaves of the live children.' },
  bid: { unit: 'price', meaning: 'Best bid. Absent: there is none.' },
  ask: { unit: 'price', meaning: 'Best ask. Absent: there is none.' },
  bid_share: { unit: 'share', meaning: 'Part of the bid in the quantity at the best bid and ask.' },
  taking_is_cheaper: { unit: 'flag', meaning: 'true: the order rests, although taking was expected to be cheaper.' },
  wanted: { unit: 'quantity', meaning: 'Quantity that the order wants to trade at this price.' },
  price: { unit: 'price', meaning: 'Worst price for it.' },
  other_share: { unit: 'share', meaning: 'Part of the other side in that quantity, without own children.' },
  threshold: { unit: 'share', meaning: 'ob_imbalance_threshold of the order.' },
  since: { unit: 'time', meaning: 'Start of the imbalance, service time.' },
  refusals: { unit: 'count', meaning: 'Refused children in a row.' },
  until: { unit: 'time', meaning: 'The order places no child before, service time.' },
  quantity: { unit: 'quantity', meaning: 'Quantity of the child at the exchange.' },
  leg: { unit: 'leg', meaning: 'Index in `legs` of the leg that is behind. The other figures are of this leg.' },
  other_filled: { unit: 'other quantity', meaning: 'Filled quantity of the other leg.' },
  due: { unit: 'quantity', meaning: 'Quantity that the leg must have filled to match the other leg.' },
  deficit: { unit: 'quantity', meaning: 'Quantity that is to be hedged and not working; negative: too much works.' },
  try: { unit: 'count', meaning: 'Number of the try, from 1.' },
  tolerance_bps: { unit: 'bps', meaning: 'Distance of the price beyond the best price of the other side.' },
  unhedged: { unit: 'leading quantity', meaning: 'Filled quantity of the leading leg that is not hedged.' },
  unhedged_max: { unit: 'leading quantity', meaning: 'Largest unhedged quantity. Above it the leading leg waits.' },
  unhedged_value: {
    unit: 'value',
    meaning: 'Value of the unhedged quantity at the mid, in quote currency of the leading leg.',
  },
} as const satisfies Readonly<Record<string, Figure>>;

export type FigureName = keyof typeof FIGURES;

/** Figures of a decision about an order at its market. */
const DECISION = ['target', 'filled', 'working', 'bid', 'ask', 'bid_share'] as const;
const JOINING = [...DECISION, 'taking_is_cheaper'] as const;
const SWEEP = [...DECISION, 'wanted', 'price'] as const;
const LEANING = [...DECISION, 'other_share', 'threshold', 'since'] as const;
const REFUSAL = ['refusals', 'until'] as const;
const HEDGING = [
  'leg',
  'filled',
  'other_filled',
  'due',
  'deficit',
  'working',
  'try',
  'tolerance_bps',
  'unhedged',
  'unhedged_max',
  'unhedged_value',
  'bid',
  'ask',
] as const;
const ADOPTION = ['quantity', 'filled'] as const;
const NONE = [] as const;

interface ReasonRow {
  readonly meaning: string;
  /**
   * The figures in the order in which they are stored. The journal has them: a stored list never changes, except that
   * it gets longer at its end.
   */
  readonly figures: readonly FigureName[];
}

/** Reasons of children, of cancels of children, and of deliberate inaction. */
export const REASONS = {
  JOIN_TOUCH: { meaning: 'Rests at the best price of its own side.', figures: JOINING },
  JOIN_LEVEL: { meaning: 'Rests at the level of the book that the order names.', figures: DECISION },
  TAKE_SLICE: { meaning: 'Takes a slice of the schedule.', figures: DECISION },
  TAKE_AT_MOMENT: { meaning: 'Takes a slice at a good moment before it is late.', figures: DECISION },
  CROSS_LAG: { meaning: 'Crosses the spread for the quantity that is late.', figures: DECISION },
  CROSS_AT_DEADLINE: { meaning: 'Crosses the spread shortly before the end of the order.', figures: DECISION },
  REPEG: { meaning: 'Is withdrawn to follow the price.', figures: DECISION },
  TAKE: { meaning: 'Takes what the book offers within the limit.', figures: DECISION },
  REST_AT_LIMIT: { meaning: 'Rests at the limit price.', figures: DECISION },
  SHOW_CLIP: { meaning: 'Shows the next clip of an iceberg.', figures: DECISION },
  RUNG: { meaning: 'Rests at a price of the ladder.', figures: DECISION },
  PRICE_LOCK: { meaning: 'Takes the rest: the price is better than at arrival by price_lock_bps.', figures: SWEEP },
  WOULD_TAKE: { meaning: 'Takes at the would price.', figures: SWEEP },
  WOULD_REST: { meaning: 'Rests at the would price.', figures: SWEEP },
  BOOK_LEANS: { meaning: 'The book leans against the order: its resting children are withdrawn.', figures: LEANING },
  AHEAD: { meaning: 'The leg is ahead of the other leg and waits.', figures: DECISION },
  HEDGE: { meaning: 'Hedges the fills of the other leg.', figures: HEDGING },
  TOP_UP: {
    meaning: "Trades a little more, so that a rest under the exchange's minimum can be hedged.",
    figures: HEDGING,
  },
  ADOPTED: { meaning: 'The exchange has the child, and the restored backup did not.', figures: ADOPTION },
  MARKET_ONE_SIDED: { meaning: 'Waits: a side of the book is empty.', figures: DECISION },
  LIMIT_BINDS: { meaning: 'Waits: the market is beyond the limit price.', figures: DECISION },
  BELOW_MINIMUM: { meaning: "Waits: the quantity is under the exchange's minimum.", figures: DECISION },
  BEYOND_BAND: { meaning: 'Waits: the price is too far from the market for the exchange.', figures: DECISION },
  BOOK_UNKNOWN: { meaning: 'Waits: the levels of the book are not known.', figures: DECISION },
  REFUSED: { meaning: 'Waits: the exchange refused the last child.', figures: REFUSAL },
  HEDGE_READY: { meaning: 'The hedge works again, and the leading leg continues.', figures: HEDGING },
  LEAD_BLIND: { meaning: 'Waits: the leading leg has no current price.', figures: HEDGING },
  HEDGE_BLIND: { meaning: 'Waits: the hedge has no current price.', figures: HEDGING },
  HEDGE_LIMIT_BINDS: { meaning: 'Waits: the market is beyond the limit price of the hedge.', figures: HEDGING },
  HEDGE_REFUSED: { meaning: 'Waits: the exchange refuses the hedge.', figures: HEDGING },
  UNHEDGED_VALUE: { meaning: 'Waits: the unhedged value is over max_unhedged_value.', figures: HEDGING },
  UNHEDGED_TIME: { meaning: 'Waits: the unhedged time is over max_unhedged_seconds.', figures: HEDGING },
  VOLUME_UNKNOWN: { meaning: 'The order starts without a volume profile.', figures: NONE },
  REMEMBER: { meaning: 'The strategy only changes its memory.', figures: NONE },
  PARENT_CANCEL: { meaning: 'The order is being cancelled.', figures: NONE },
  PARENT_PAUSE: { meaning: 'The order is being paused.', figures: NONE },
  LATE_FILL: { meaning: 'A fill came after the end of its child.', figures: NONE },
  CANCEL_AGAIN: { meaning: 'The exchange still has the child after its cancel.', figures: NONE },
  AMENDED: { meaning: 'The amended terms exclude the child.', figures: NONE },
  QUARANTINE_END: { meaning: 'The quarantined order is being ended.', figures: NONE },
} as const satisfies Readonly<Record<string, ReasonRow>>;

/** A code of the table, or the error code with which the order ends. */
export type ReasonCode = keyof typeof REASONS | RejectionCode;

type Numbers<Names extends readonly FigureName[]> = { readonly [Place in keyof Names]: number };
/** NaN: unknown. */
export type DecisionFigures = Numbers<typeof DECISION>;
export type HedgingFigures = Numbers<typeof HEDGING>;

/** Steps of a stored share, of a stored value and of stored basis points, as decimals. */
export const SHARE_PRECISION = 6;
export const VALUE_PRECISION = 8;
export const BPS_PRECISION = 2;
