import { TRADING_EXCHANGES } from '../../client/wire.js';

type FieldKind =
  | 'decimal'
  | 'duration'
  | 'choice'
  | 'flag'
  | 'instant'
  | 'text'
  | 'side'
  | 'size'
  | 'symbol'
  /** Base or quote of the instrument. */
  | 'currency';

/** A field of the order ticket. Its name is the path of the field in a create request, as in messages of the service. */
export interface TicketField {
  readonly name: string;
  readonly label: string;
  readonly kind: FieldKind;
  /** Values of a choice. The empty one leaves the field to the service. */
  readonly choices?: readonly string[];
  /** Shown in the empty field. */
  readonly placeholder?: string;
  /** Strategies that use the field; absent: all but MARKET. */
  readonly strategies?: readonly string[];
  /** Only with this value of another field. */
  readonly only?: readonly [field: string, value: string];
  /** Value of the absent field of a choice, where an amendment can restore it. */
  readonly usual?: string;
  /** Orders whose field an amendment can change; of a PAIR, that of its leading leg. Absent: of none. */
  readonly amend?: 'any' | 'single' | 'pair';
  /** Legs of a PAIR have the field too. */
  readonly isOfLeg?: true;
}

/** Values of all fields by name; an empty text leaves a field out. A flag is `true` or empty. */
export type TicketValues = Readonly<Record<string, string>>;

export const STRATEGIES = ['TWAP', 'VWAP', 'POV', 'IS', 'ICEBERG', 'SCALE', 'LIMIT', 'MARKET'];
/** Strategies of the fields that every order has. */
export const ALL = { strategies: STRATEGIES };
const LEG = { isOfLeg: true } as const;
const ANY = { amend: 'any' } as const;
const SINGLE = { amend: 'single' } as const;
const SLICED = { strategies: ['TWAP', 'VWAP', 'POV', 'IS', 'ICEBERG', 'SCALE'] };
const LADDER = { strategies: ['SCALE', 'ICEBERG'] };
const CUSTOM = { only: ['params.placement_infos.placement_mode', 'CUSTOM'] } as const;
const STYLES = ['', 'PASSIVE', 'HYBRID', 'AGGRESSIVE'];
const CLIPS = ['', 'ABSOLUTE', 'PERCENTAGE', 'ORDER_COUNT'];
const INSTANT = '2027-01-15 08:00';

/** The fields of most orders. */
export const MAIN_FIELDS: readonly TicketField[] = [
  { name: 'exchange', label: 'Exchange', kind: 'choice', choices: TRADING_EXCHANGES, ...ALL, ...LEG },
  { name: 'asset_category', label: 'Category', kind: 'choice', choices: ['SPOT', 'FUTURE'], ...ALL, ...LEG },
  { name: 'symbol', label: 'Symbol', kind: 'symbol', ...ALL, ...LEG },
  { name: 'side', label: 'Side', kind: 'side', ...ALL, ...LEG },
  { name: 'quantity', label: 'Quantity', kind: 'size', ...ALL, ...ANY },
  { name: 'strategy', label: 'Strategy', kind: 'choice', choices: STRATEGIES, ...ALL, ...LEG },
  { name: 'limit_price', label: 'Limit price', kind: 'decimal', placeholder: 'none', ...ALL, ...LEG, ...ANY },
  { name: 'params.duration_seconds', label: 'Duration', kind: 'duration', placeholder: '600, 10m, 2h', ...LEG, ...ANY },
  { name: 'params.trading_style', label: 'Style', kind: 'choice', choices: STYLES, ...LEG, ...ANY, usual: 'HYBRID' },
  {
    name: 'params.urgency',
    label: 'Urgency',
    kind: 'choice',
    choices: ['', 'LOW', 'MEDIUM', 'HIGH'],
    strategies: ['IS'],
    ...LEG,
    ...ANY,
    usual: 'MEDIUM',
  },
  { name: 'params.start_ladder_price', label: 'First ladder price', kind: 'decimal', ...LADDER },
  { name: 'params.end_ladder_price', label: 'Last ladder price', kind: 'decimal', ...LADDER },
  { name: 'clip_size_type', label: 'Clip', kind: 'choice', choices: CLIPS, ...SLICED, ...LEG },
  { name: 'clip_size_val', label: 'Clip size', kind: 'decimal', placeholder: 'automatic', ...SLICED, ...LEG },
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
  { name: 'end_time', label: 'End (UTC)', kind: 'instant', placeholder: INSTANT, ...ANY },
  { name: 'params.trigger.trigger_price', label: 'Trigger price', kind: 'decimal', ...ALL, ...LEG, ...ANY },
  {
    name: 'params.trigger.trigger_condition',
    label: 'Trigger when',
    kind: 'choice',
    choices: ['', 'ABOVE', 'BELOW'],
    ...ALL,
    ...LEG,
    ...ANY,
  },
  { name: 'params.would.would_price', label: 'Would price', kind: 'decimal', ...LEG, ...ANY },
  { name: 'params.would.would_pct', label: 'Would percent', kind: 'decimal', placeholder: '100', ...LEG, ...ANY },
  { name: 'params.would.would_style', label: 'Would style', kind: 'choice', choices: STYLES, ...LEG, ...ANY },
  { name: 'params.price_lock_bps', label: 'Price lock (bps)', kind: 'decimal', ...SINGLE },
  {
    name: 'params.placement_infos.placement_mode',
    label: 'Placement',
    kind: 'choice',
    choices: ['', 'DEFAULT', 'TIGHT', 'CUSTOM'],
    ...LEG,
    ...ANY,
    usual: 'DEFAULT',
  },
  { name: 'params.placement_infos.placement', label: 'Book level', kind: 'decimal', ...CUSTOM, ...LEG, ...ANY },
  { name: 'params.placement_infos.cancel', label: 'Cancel at level', kind: 'decimal', ...CUSTOM, ...LEG, ...ANY },
  {
    name: 'params.ob_imbalance_threshold',
    label: 'Imbalance threshold',
    kind: 'decimal',
    placeholder: '0.75',
    only: ['params.ob_imbalance_cancel', 'true'],
    ...SINGLE,
  },
  { name: 'client_order_id', label: 'Client id', kind: 'text', ...ALL },
  { name: 'params.would.would_is_arrival', label: 'Would at arrival', kind: 'flag', ...LEG, ...ANY },
  { name: 'params.ob_imbalance_cancel', label: 'Cancel on imbalance', kind: 'flag', ...SINGLE },
  { name: 'params.randomize_amount', label: 'Randomise slices', kind: 'flag', ...SLICED, ...LEG, ...ANY },
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
