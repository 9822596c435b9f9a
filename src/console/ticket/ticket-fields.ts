import { TRADING_EXCHANGES } from '../../client/wire.js';

/** A field of the order ticket. Its name is the path of the field in a create request, as in messages of the service. */
export interface TicketField {
  readonly name: string;
  readonly label: string;
  readonly kind: 'decimal' | 'duration' | 'choice' | 'flag' | 'instant' | 'text' | 'side' | 'size' | 'symbol';
  /** Values of a choice. The empty one leaves the field to the service. */
  readonly choices?: readonly string[];
  /** Shown in the empty field. */
  readonly placeholder?: string;
  /** Strategies that use the field; absent: all but MARKET. */
  readonly strategies?: readonly string[];
  /** Only with this value of another field. */
  readonly only?: readonly [field: string, value: string];
}

/** Values of all fields by name; an empty text leaves a field out. A flag is `true` or empty. */
export type TicketValues = Readonly<Record<string, string>>;

const STRATEGIES = ['TWAP', 'VWAP', 'POV', 'IS', 'ICEBERG', 'SCALE', 'LIMIT', 'MARKET'];
const ALL = { strategies: STRATEGIES };
const SLICED = { strategies: ['TWAP', 'VWAP', 'POV', 'IS', 'ICEBERG', 'SCALE'] };
const LADDER = { strategies: ['SCALE', 'ICEBERG'] };
const CUSTOM = { only: ['params.placement_infos.placement_mode', 'CUSTOM'] } as const;
const STYLES = ['', 'PASSIVE', 'HYBRID', 'AGGRESSIVE'];
const CLIPS = ['', 'ABSOLUTE', 'PERCENTAGE', 'ORDER_COUNT'];
const INSTANT = '2027-01-15 08:00';

/** The fields of most orders. */
export const MAIN_FIELDS: readonly TicketField[] = [
  { name: 'exchange', label: 'Exchange', kind: 'choice', choices: TRADING_EXCHANGES, ...ALL },
  { name: 'asset_category', label: 'Category', kind: 'choice', choices: ['SPOT', 'FUTURE'], ...ALL },
  { name: 'symbol', label: 'Symbol', kind: 'symbol', ...ALL },
  { name: 'side', label: 'Side', kind: 'side', ...ALL },
  { name: 'quantity', label: 'Quantity', kind: 'size', ...ALL },
  { name: 'strategy', label: 'Strategy', kind: 'choice', choices: STRATEGIES, ...ALL },
  { name: 'limit_price', label: 'Limit price', kind: 'decimal', placeholder: 'none', ...ALL },
  { name: 'params.duration_seconds', label: 'Duration', kind: 'duration', placeholder: '600, 10m, 2h' },
  { name: 'params.trading_style', label: 'Style', kind: 'choice', choices: STYLES },
  {
    name: 'params.urgency',
    label: 'Urgency',
    kind: 'choice',
    choices: ['', 'LOW', 'MEDIUM', 'HIGH'],
    strategies: ['IS'],
  },
  { name: 'params.start_ladder_price', label: 'First ladder price', kind: 'decimal', ...LADDER },
  { name: 'params.end_ladder_price', label: 'Last ladder price', kind: 'decimal', ...LADDER },
  { name: 'clip_size_type', label: 'Clip', kind: 'choice', choices: CLIPS, ...SLICED },
  { name: 'clip_size_val', label: 'Clip size', kind: 'decimal', placeholder: 'automatic', ...SLICED },
];

/** Further parameters, used by few orders. */
export const MORE_FIELDS: readonly TicketField[] = [
  {
    name: 'params.ladder_direction',
    label: 'Ladder direction',
    kind: 'choice',
    choices: ['', 'UPWARDS', 'DOWNWARDS'],
    ...LADDER,
  },
  { name: 'params.size_skew', label: 'Ladder skew', kind: 'decimal', placeholder: '1', ...LADDER },
  { name: 'start_time', label: 'Start (UTC)', kind: 'instant', placeholder: INSTANT, ...ALL },
  { name: 'end_time', label: 'End (UTC)', kind: 'instant', placeholder: INSTANT },
  { name: 'params.trigger.trigger_price', label: 'Trigger price', kind: 'decimal', ...ALL },
  {
    name: 'params.trigger.trigger_condition',
    label: 'Trigger when',
    kind: 'choice',
    choices: ['', 'ABOVE', 'BELOW'],
    ...ALL,
  },
  { name: 'params.would.would_price', label: 'Would price', kind: 'decimal' },
  { name: 'params.would.would_pct', label: 'Would percent', kind: 'decimal', placeholder: '100' },
  { name: 'params.would.would_style', label: 'Would style', kind: 'choice', choices: STYLES },
  { name: 'params.price_lock_bps', label: 'Price lock (bps)', kind: 'decimal' },
  {
    name: 'params.placement_infos.placement_mode',
    label: 'Placement',
    kind: 'choice',
    choices: ['', 'DEFAULT', 'TIGHT', 'CUSTOM'],
  },
  { name: 'params.placement_infos.placement', label: 'Book level', kind: 'decimal', ...CUSTOM },
  { name: 'params.placement_infos.cancel', label: 'Cancel at level', kind: 'decimal', ...CUSTOM },
  {
    name: 'params.ob_imbalance_threshold',
    label: 'Imbalance threshold',
    kind: 'decimal',
    placeholder: '0.75',
    only: ['params.ob_imbalance_cancel', 'true'],
  },
  { name: 'client_order_id', label: 'Client id', kind: 'text', ...ALL },
  { name: 'params.would.would_is_arrival', label: 'Would at arrival', kind: 'flag' },
  { name: 'params.ob_imbalance_cancel', label: 'Cancel on imbalance', kind: 'flag' },
  { name: 'params.randomize_amount', label: 'Randomise slices', kind: 'flag', ...SLICED },
  { name: 'params.post_only', label: 'Post-only', kind: 'flag' },
  { name: 'params.reduce_only', label: 'Reduce-only', kind: 'flag', only: ['asset_category', 'FUTURE'], ...ALL },
];

export const FIELDS: readonly TicketField[] = [...MAIN_FIELDS, ...MORE_FIELDS];

/** True when a field applies to these values. A field that does not apply is not shown and not sent. */
export function applies({ strategies, only }: TicketField, values: TicketValues): boolean {
  const strategy = values['strategy'] ?? '';
  const isUsed = strategies === undefined ? strategy !== 'MARKET' : strategies.includes(strategy);
  return isUsed && (only === undefined || values[only[0]] === only[1]);
}
