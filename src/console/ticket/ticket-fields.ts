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

/**
 * A field of the order ticket. Its name is the path of the field in a create request, as in messages of the service.
 */
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

type Rest = Omit<TicketField, 'kind' | 'name' | 'label'>;

export function fieldOf(kind: TicketField['kind'], name: string, label: string, rest: Rest = {}): TicketField {
  return { kind, name, label, ...rest };
}

function choiceOf(name: string, label: string, choices: readonly string[], rest: Rest): TicketField {
  return fieldOf('choice', name, label, { choices, ...rest });
}

/** The fields of most orders. */
export const MAIN_FIELDS: readonly TicketField[] = [
  choiceOf('exchange', 'Exchange', TRADING_EXCHANGES, { ...ALL, ...LEG }),
  choiceOf('asset_category', 'Category', ['SPOT', 'FUTURE'], { ...ALL, ...LEG }),
  fieldOf('symbol', 'symbol', 'Symbol', { ...ALL, ...LEG }),
  fieldOf('side', 'side', 'Side', { ...ALL, ...LEG }),
  fieldOf('size', 'quantity', 'Quantity', { ...ALL, ...ANY }),
  choiceOf('strategy', 'Strategy', STRATEGIES, { ...ALL, ...LEG }),
  fieldOf('decimal', 'limit_price', 'Limit price', { placeholder: 'none', ...ALL, ...LEG, ...ANY }),
  fieldOf('duration', 'params.duration_seconds', 'Duration', { placeholder: '600, 10m, 2h', ...LEG, ...ANY }),
  choiceOf('params.trading_style', 'Style', STYLES, { ...LEG, ...ANY, usual: 'HYBRID' }),
  choiceOf('params.urgency', 'Urgency', ['', 'LOW', 'MEDIUM', 'HIGH'], {
    strategies: ['IS'],
    ...LEG,
    ...ANY,
    usual: 'MEDIUM',
  }),
  fieldOf('decimal', 'params.start_ladder_price', 'First ladder price', LADDER),
  fieldOf('decimal', 'params.end_ladder_price', 'Last ladder price', LADDER),
  choiceOf('clip_size_type', 'Clip', CLIPS, { ...SLICED, ...LEG }),
  fieldOf('decimal', 'clip_size_val', 'Clip size', { placeholder: 'automatic', ...SLICED, ...LEG }),
];

/** Further parameters, used by few orders. */
export const MORE_FIELDS: readonly TicketField[] = [
  choiceOf('params.ladder_direction', 'Ladder direction', ['', 'UPWARDS', 'DOWNWARDS'], LADDER),
  fieldOf('decimal', 'params.size_skew', 'Ladder skew', { placeholder: '1', ...LADDER }),
  fieldOf('instant', 'start_time', 'Start (UTC)', { placeholder: INSTANT, ...ALL }),
  fieldOf('instant', 'end_time', 'End (UTC)', { placeholder: INSTANT, ...ANY }),
  fieldOf('decimal', 'params.trigger.trigger_price', 'Trigger price', { ...ALL, ...LEG, ...ANY }),
  choiceOf('params.trigger.trigger_condition', 'Trigger when', ['', 'ABOVE', 'BELOW'], { ...ALL, ...LEG, ...ANY }),
  fieldOf('decimal', 'params.would.would_price', 'Would price', { ...LEG, ...ANY }),
  fieldOf('decimal', 'params.would.would_pct', 'Would percent', { placeholder: '100', ...LEG, ...ANY }),
  choiceOf('params.would.would_style', 'Would style', STYLES, { ...LEG, ...ANY }),
  fieldOf('decimal', 'params.price_lock_bps', 'Price lock (bps)', SINGLE),
  choiceOf('params.placement_infos.placement_mode', 'Placement', ['', 'DEFAULT', 'TIGHT', 'CUSTOM'], {
    ...LEG,
    ...ANY,
    usual: 'DEFAULT',
  }),
  fieldOf('decimal', 'params.placement_infos.placement', 'Book level', { ...CUSTOM, ...LEG, ...ANY }),
  fieldOf('decimal', 'params.placement_infos.cancel', 'Cancel at level', { ...CUSTOM, ...LEG, ...ANY }),
  fieldOf('decimal', 'params.ob_imbalance_threshold', 'Imbalance threshold', {
    placeholder: '0.75',
    only: ['params.ob_imbalance_cancel', 'true'],
    ...SINGLE,
  }),
  fieldOf('text', 'client_order_id', 'Client id', ALL),
  fieldOf('flag', 'params.would.would_is_arrival', 'Would at arrival', { ...LEG, ...ANY }),
  fieldOf('flag', 'params.ob_imbalance_cancel', 'Cancel on imbalance', SINGLE),
  fieldOf('flag', 'params.randomize_amount', 'Randomise slices', { ...SLICED, ...LEG, ...ANY }),
  fieldOf('flag', 'params.post_only', 'Post-only'),
  fieldOf('flag', 'params.reduce_only', 'Reduce-only', { only: ['asset_category', 'FUTURE'], ...ALL }),
];

export const FIELDS: readonly TicketField[] = [...MAIN_FIELDS, ...MORE_FIELDS];

/** True when a field applies to these values. A field that does not apply is not shown and not sent. */
export function applies({ strategies, only }: TicketField, values: TicketValues): boolean {
  const strategy = values['strategy'] ?? '';
  const isUsed = strategies === undefined ? strategy !== 'MARKET' : strategies.includes(strategy);
  return isUsed && (only === undefined || values[only[0]] === only[1]);
}
