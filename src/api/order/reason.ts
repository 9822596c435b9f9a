import { type TBoolean, type TNumber, type TOptional, type TSchema, Type } from '@sinclair/typebox';
import type { ParentOrder, Reason } from '../../domain/order.js';
import { type LegIndex, otherLeg } from '../../domain/pair.js';
import { leadingLeg } from '../../domain/order-legs.js';
import { formatLots, formatSteps, formatTicks, type Grid, type Lots, type Ticks } from '../../domain/quantity.js';
import { CONTRADICTIONS, QUARANTINE_REASONS } from '../../domain/quarantine.js';
import {
  BPS_PRECISION,
  FIGURES,
  type FigureName,
  type FigureUnit,
  REASONS,
  SHARE_PRECISION,
  VALUE_PRECISION,
} from '../../domain/reason.js';
import { quote } from '../field/json-text.js';
import { epochMs } from '../field/schema.js';

const UNIT_NAMES: { readonly [Unit in FigureUnit]: string } = {
  quantity: 'Base units.',
  'other quantity': 'Base units.',
  'leading quantity': 'Base units.',
  price: 'Quote units.',
  value: `At most ${VALUE_PRECISION} decimals, rounded towards 0.`,
  share: '0 to 1.',
  bps: 'Basis points.',
  time: '',
  count: '',
  leg: '',
  flag: '',
};

function schemaOf(name: FigureName): TSchema {
  const { unit, meaning } = FIGURES[name];
  const description = `${meaning} ${UNIT_NAMES[unit]}`.trimEnd();
  if (unit === 'flag') return Type.Boolean({ description });
  if (unit === 'time') return epochMs(description);
  return unit === 'count' || unit === 'leg' ? Type.Integer({ description }) : Type.Number({ description });
}

/** Names of the members that a code may have in its detail, for the documents. */
function membersText(figures: readonly string[]): string {
  return figures.length === 0 ? '' : ` (${figures.join(', ')})`;
}

const LIST = Object.entries(REASONS).map(
  ([code, { meaning, figures }]) => `- \`${code}\`: ${meaning}${membersText(figures)}`,
);
const OF_QUARANTINE = [...QUARANTINE_REASONS, ...CONTRADICTIONS].map((code) => `\`${code}\``);

/**
 * The code is open: an order of an earlier version may have another one, and a later version may add one.
 */
export const ReasonCode = Type.String({
  title: 'ReasonCode',
  description:
    'Why a child was placed or withdrawn, or why nothing was done. The members of its `detail` follow in parentheses. A ' +
    'program must accept codes that it does not know: orders of earlier versions have others, and later versions may add ' +
    `some.\n${LIST.join('\n')}\n- An error code: the order ended with it.\n- In a timeline, of a quarantine or of a ` +
    `contradictory report: ${OF_QUARANTINE.join(', ')}.`,
  examples: ['JOIN_TOUCH'],
});

type FigureSchemas = {
  [Name in FigureName]: TOptional<(typeof FIGURES)[Name]['unit'] extends 'flag' ? TBoolean : TNumber>;
};

const figureSchemas = Object.fromEntries(
  (Object.keys(FIGURES) as FigureName[]).map((name) => [name, Type.Optional(schemaOf(name))]),
) as unknown as FigureSchemas;

export const ReasonDetail = Type.Object(
  {
    ...figureSchemas,
    message: Type.Optional(
      Type.String({ description: 'Words. Earlier versions wrote their figures here, in lots and ticks.' }),
    ),
  },
  {
    title: 'ReasonDetail',
    description: 'The figures of a reason, as decimals in the units of the order. An unknown figure is absent.',
    examples: [{ target: 0.4, filled: 0.1, working: 0, bid: 62758.15, ask: 62758.2, bid_share: 0.512 }],
  },
);

/** Members `reason` and `detail` with a comma before each; without `detail` when there is nothing to say. */
export function reasonMembers({ code, detail, figures }: Reason, order: ParentOrder, leg: LegIndex): string {
  const shown = figures === undefined ? '' : figuresText(code, figures, order, leg);
  const text = detail === '' ? shown : `${shown},"message":${quote(detail)}`;
  return `,"reason":${quote(code)}${text === '' ? '' : `,"detail":{${text.slice(1)}}`}`;
}

/** A figure of a code: the start of its member, with the comma, and its unit. */
interface ShownFigure {
  readonly head: string;
  readonly unit: FigureUnit;
}

/** Made once, because each frame of a child shows its reason. */
const SHOWN: Readonly<Record<string, readonly ShownFigure[]>> = Object.fromEntries(
  Object.entries(REASONS).map(([code, { figures }]) => [
    code,
    figures.map((name): ShownFigure => ({ head: `,"${name}":`, unit: FIGURES[name].unit })),
  ]),
);

/** The known figures, each with a comma before it. */
function figuresText(code: string, figures: readonly number[], order: ParentOrder, ofReason: LegIndex): string {
  const row = (Object.hasOwn(SHOWN, code) ? SHOWN[code] : undefined) ?? [];
  let leg = ofReason;
  let text = '';
  for (let place = 0; place < row.length; place += 1) {
    const value = figures[place];
    // NaN is unknown. Other figures are whole numbers of their stored units.
    if (value === undefined || !Number.isSafeInteger(value)) continue;
    const { head, unit } = row[place]!;
    if (unit === 'leg') leg = value === 1 ? 1 : 0;
    const shown = figureText(unit, value, order, leg);
    if (shown !== null) text += head + shown;
  }
  return text;
}

/** A stored figure as JSON; null: there is none. */
function figureText(unit: FigureUnit, value: number, order: ParentOrder, leg: LegIndex): string | null {
  switch (unit) {
    case 'quantity':
      return quantityText(value, order.legs[leg]);
    case 'other quantity':
      return quantityText(value, order.legs[otherLeg(leg)]);
    case 'leading quantity':
      return quantityText(value, leadingLeg(order));
    case 'price':
      return priceText(value, order.legs[leg]);
    case 'value':
      return formatSteps(value, VALUE_PRECISION);
    case 'share':
      return formatSteps(value, SHARE_PRECISION);
    case 'bps':
      return formatSteps(value, BPS_PRECISION);
    case 'time':
    case 'count':
    case 'leg':
      return String(value);
    case 'flag':
      return String(value === 1);
  }
}

function quantityText(lots: number, grid: Grid | undefined): string | null {
  return grid === undefined ? null : formatLots(lots as Lots, grid);
}

/** A price of 0 is that of an empty side of the book. */
function priceText(ticks: number, grid: Grid | undefined): string | null {
  return grid === undefined || ticks === 0 ? null : formatTicks(ticks as Ticks, grid);
}
