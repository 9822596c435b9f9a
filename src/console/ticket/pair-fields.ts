import { ALL, applies, fieldOf, FIELDS, STRATEGIES, type TicketField, type TicketValues } from './ticket-fields.js';

/* The fields of a multi-leg order in the ticket. The path of a field is its name in messages of the service. */

/** The choice of two legs in the field of the strategy. */
export const PAIR = 'PAIR';

/** The fields of a PAIR besides its legs. */
export const PAIR_FIELDS: readonly TicketField[] = [
  fieldOf('decimal', 'params.max_unhedged_value', 'Most unhedged', { placeholder: '2 clips', amend: 'pair' }),
  fieldOf('decimal', 'params.max_unhedged_seconds', 'Unhedged for (s)', { placeholder: '30', amend: 'pair' }),
  fieldOf('decimal', 'params.hedge_slippage_bps', 'Hedge slippage (bps)', { placeholder: '50', amend: 'pair' }),
  ...FIELDS.filter(({ name }) => ['start_time', 'end_time', 'client_order_id'].includes(name)),
];

/** The fields of one leg by their names in the leg. A leg has no ladder. */
const LEG_FIELDS: readonly TicketField[] = [
  ...FIELDS.filter(({ isOfLeg }) => isOfLeg === true).map((field) =>
    field.name === 'strategy' ? { ...field, choices: STRATEGIES.filter((name) => name !== 'SCALE') } : field,
  ),
  fieldOf('decimal', 'target_value', 'Target', ALL),
  fieldOf('currency', 'ccy', 'Target in', ALL),
  fieldOf('flag', 'params.is_leading', 'Leads', ALL),
];
/** The usual fields of a leg, in their sequence. */
const LEG_MAIN = [
  'exchange',
  'asset_category',
  'symbol',
  'side',
  'target_value',
  'ccy',
  'strategy',
  'limit_price',
  'params.duration_seconds',
  'params.trading_style',
  'params.is_leading',
];

export type LegIndex = 0 | 1;
export const LEGS: readonly LegIndex[] = [0, 1];

/** The path of a field of a leg. */
export function legPath(leg: LegIndex, name: string): string {
  return `legs[${leg}].${name}`;
}

/** The values of a leg by the names in the leg. */
export function legValues(values: TicketValues, leg: LegIndex): TicketValues {
  return Object.fromEntries(LEG_FIELDS.map(({ name }) => [name, values[legPath(leg, name)] ?? '']));
}

/** The fields that a leg with these values has, by their paths: the usual ones, and the further ones. */
export function legFields(values: TicketValues, leg: LegIndex): Record<'main' | 'more', readonly TicketField[]> {
  const used = LEG_FIELDS.filter((field) => applies(field, legValues(values, leg)));
  const named = (fields: readonly TicketField[]): readonly TicketField[] =>
    fields.map((field) => ({ ...field, name: legPath(leg, field.name) }));
  const main = LEG_MAIN.flatMap((name) => used.filter((field) => field.name === name));
  return { main: named(main), more: named(used.filter((field) => !main.includes(field))) };
}

/** The paths of all fields of a PAIR, without regard to its values. */
export const PAIR_PATHS: ReadonlySet<string> = new Set([
  'strategy',
  ...PAIR_FIELDS.map(({ name }) => name),
  ...LEGS.flatMap((leg) => LEG_FIELDS.map(({ name }) => legPath(leg, name))),
]);
