import { Type } from '@sinclair/typebox';
import type { SignedOperation } from '../document/operation.js';
import { ApiErrorCode, ApiErrorReason } from '../field/error-code.js';
import { arrayText, quote, reasonMember } from '../field/json-text.js';
import { decimal, described, epochMs } from '../field/schema.js';
import type { OrderId } from '../../domain/ids.js';
import type { Instrument } from '../../domain/instrument.js';
import { OUTLINE_POINTS_MAX } from '../../domain/limits/trading.js';
import { formatLots, type Lots } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import type { Rejection } from '../../domain/rejection.js';
import { CreateParentOrderRequest, OrderIdSchema } from './order-schema.js';

const bps = (description: string) => Type.Number({ description });

const PreviewRejection = Type.Object(
  {
    error_code: ApiErrorCode,
    message: Type.String({ description: 'Names field, value and rule.' }),
    reason: Type.Optional(ApiErrorReason),
  },
  { title: 'PreviewRejection' },
);

const PreviewNote = Type.Object(
  {
    code: Type.Union([Type.Literal('TAKING_IS_CHEAPER'), Type.Literal('GATE_COSTS')], {
      description:
        'TAKING_IS_CHEAPER: a PASSIVE order where makers and takers pay about the same. GATE_COSTS: an order with `ob_imbalance_cancel`.',
    }),
    message: Type.String({ description: 'Names the field, the value and the cost.' }),
  },
  { title: 'PreviewNote' },
);

const PreviewSlice = Type.Object(
  {
    time: epochMs('Planned time of the slice, service time.'),
    quantity: decimal('Quantity in base units.'),
  },
  { title: 'PreviewSlice' },
);

const ExpectedCost = Type.Object(
  {
    spread_bps: bps(
      'Half the spread: a cost of the taken quantity, a gain of the resting quantity. Adverse selection reduces the gain of passive fills. Sweeps of the book increase the gain of children that rest at a price of their own.',
    ),
    impact_bps: bps(
      'Price impact of the taken quantity. For MARKET it follows from the present book and from the usual impact of orders of this size.',
    ),
    fee_bps: bps(
      'Fees by the maker and taker rates of the instrument and by the expected maker share. That share follows from the queue at the touch, the spread, the volatility, the volume and the fees.',
    ),
    total_bps: bps('Sum of the three costs.'),
    stdev_bps: Type.Number({
      minimum: 0,
      description:
        'One standard deviation of the total. It covers price moves during the execution and the uncertainty of passive fills. About 68 of 100 orders cost the expected total plus or minus this value. The tails are fatter than those of a normal distribution. A POV while the volume is unknown counts as worked evenly until its end.',
    }),
  },
  {
    title: 'ExpectedCost',
    description:
      'Cost of the whole quantity against the mid price at arrival, in basis points of that price. Positive is cost. Quantity that is unfilled at the end counts as taken then, without a spread. The model expects no price drift.',
  },
);

export const OrderPreview = Type.Object(
  {
    accepted: Type.Boolean({ description: 'True when a create would be accepted now.' }),
    rejections: Type.Array(PreviewRejection, {
      description:
        'All violations. A create returns the first one, or the order ends REJECTED with it. Empty when accepted.',
    }),
    existing_order_id: Type.Optional(
      described(
        OrderIdSchema,
        '`client_order_id` already names this order with the same request. A create answers with this order and places nothing.',
      ),
    ),
    schedule: Type.Optional(
      Type.Array(PreviewSlice, {
        maxItems: OUTLINE_POINTS_MAX,
        description: `Slices that the strategy plans. Their quantities add up to the quantity of the order. A longer schedule is merged into at most ${OUTLINE_POINTS_MAX} groups. POV and ICEBERG follow the expected volume. Absent when the order cannot be executed, and while the market has no price.`,
      }),
    ),
    children: Type.Optional(
      Type.Object(
        {
          count: Type.Integer({
            minimum: 1,
            description: 'Number of children, if each is filled as it is placed.',
          }),
          quantity: decimal('Average quantity of a child.'),
        },
        { title: 'PreviewChildren', description: 'Present together with `schedule`.' },
      ),
    ),
    expected_cost: Type.Optional(
      described(ExpectedCost, `${ExpectedCost.description} Present together with \`schedule\`.`),
    ),
    participation: Type.Optional(
      Type.Number({
        minimum: 0,
        description:
          'Quantity of the order ÷ expected market volume during its execution, at least one minute. Absent while the volume is unknown.',
      }),
    ),
    notes: Type.Optional(
      Type.Array(PreviewNote, {
        description: 'Terms of the order that cost more than others. Absent when there are none.',
      }),
    ),
  },
  {
    title: 'OrderPreview',
    description: 'Expected result of an order that is created now.',
    examples: [
      {
        accepted: true,
        rejections: [],
        schedule: [
          { time: 1_795_262_403_750, quantity: 0.25 },
          { time: 1_795_262_418_750, quantity: 0.25 },
        ],
        children: { count: 2, quantity: 0.25 },
        expected_cost: { spread_bps: 0.27, impact_bps: 0.11, fee_bps: 10, total_bps: 10.38, stdev_bps: 4.31 },
        participation: 0.0113,
      },
      {
        accepted: false,
        rejections: [{ error_code: 'INVALID_QUANTITY', message: 'quantity "0" is not a decimal above 0' }],
      },
    ],
  },
);

export const PREVIEW_ORDER = {
  method: 'POST',
  needs: 'read',
  budget: 'reads',
  group: 'Trading',
  query: null,
  id: 'previewOrder',
  path: '/api/v2/trading/order/preview',
  summary: 'Preview one order',
  description:
    'Checks a create with the function that creates and admission use, and returns all violations at once: of the fields, minimums and price bands of the exchange, funds, a missing position to reduce, risk limits, halts and kill switches. A create now has the first of them. Then returns the plan of the strategy and its expected cost. Places nothing and stores nothing. The plan leaves out triggers, `would` and price locks.',
  body: CreateParentOrderRequest,
  success: { status: 200, description: 'The preview.', schema: OrderPreview },
} as const satisfies SignedOperation;

/** The expected course and cost of an order. Costs are in basis points of the notional. */
export interface PreviewedPlan {
  /** Slices with their times. Their quantities add up to the quantity of the order. */
  readonly schedule: readonly { readonly atMs: EpochMs; readonly quantity: Lots }[];
  readonly children: { readonly count: number; readonly quantity: Lots };
  readonly cost: {
    readonly spreadBps: number;
    readonly impactBps: number;
    readonly feeBps: number;
    readonly totalBps: number;
    readonly stdevBps: number;
  };
  /** Quantity ÷ expected market volume; null while the volume is unknown. */
  readonly participation: number | null;
  readonly notes: readonly { readonly code: string; readonly message: string }[];
}

/** The result of a preview. */
interface PreviewParts {
  readonly instrument: Instrument | null;
  readonly existingOrderId: OrderId | null;
  readonly rejections: readonly Rejection[];
  readonly preview: PreviewedPlan | null;
}

/** Digits after the point of a cost, and significant digits of a share. More digits exceed the accuracy. */
const BPS_DIGITS = 4;
const SHARE_DIGITS = 6;

export function previewText({ instrument, existingOrderId, rejections, preview }: PreviewParts): string {
  const refusals = rejections.map(
    (one) => `{"error_code":"${one.code}","message":${quote(one.message)}${reasonMember(one)}}`,
  );
  return (
    `{"accepted":${rejections.length === 0},"rejections":${arrayText(refusals)}` +
    (existingOrderId === null ? '' : `,"existing_order_id":${existingOrderId}`) +
    (preview === null || instrument === null ? '' : planMembers(preview, instrument)) +
    '}'
  );
}

function planMembers(
  { schedule, children, cost, participation, notes }: PreviewedPlan,
  instrument: Instrument,
): string {
  const slices = schedule.map(
    ({ atMs, quantity }) => `{"time":${atMs},"quantity":${formatLots(quantity, instrument)}}`,
  );
  const { spreadBps, impactBps, feeBps, totalBps, stdevBps } = cost;
  return (
    `,"schedule":${arrayText(slices)}` +
    `,"children":{"count":${children.count},"quantity":${formatLots(children.quantity, instrument)}}` +
    `,"expected_cost":{"spread_bps":${bpsText(spreadBps)},"impact_bps":${bpsText(impactBps)}` +
    `,"fee_bps":${bpsText(feeBps)},"total_bps":${bpsText(totalBps)},"stdev_bps":${bpsText(stdevBps)}}` +
    (participation === null ? '' : `,"participation":${Number(participation.toPrecision(SHARE_DIGITS))}`) +
    (notes.length === 0 ? '' : `,"notes":${arrayText(notes.map(noteText))}`)
  );
}

function noteText({ code, message }: PreviewedPlan['notes'][number]): string {
  return `{"code":"${code}","message":${quote(message)}}`;
}

/** Adding 0 turns -0 into 0. */
function bpsText(bps: number): string {
  return String(Number(bps.toFixed(BPS_DIGITS)) + 0);
}
