import { Type } from '@sinclair/typebox';
import { OUTLINE_POINTS_MAX } from '../model/limits.js';
import { OrderId } from './cancel-request.js';
import { ApiErrorCode } from './error-code.js';
import { decimal, described, epochMs } from './field.js';
import type { SignedOperation } from './operation.js';
import { CreateParentOrderRequest } from './order-request.js';

const bps = (description: string) => Type.Number({ description });

const PreviewRejection = Type.Object(
  {
    error_code: ApiErrorCode,
    message: Type.String({ description: 'Names field, value and rule.' }),
  },
  { title: 'PreviewRejection' },
);

const PreviewSlice = Type.Object(
  {
    time: epochMs('When it is to be worked, service time.'),
    quantity: decimal('Base units.'),
  },
  { title: 'PreviewSlice' },
);

const ExpectedCost = Type.Object(
  {
    spread_bps: bps(
      'Half the spread: paid for what is taken, earned for what rests, less what passive fills lose, or with what sweeps of the book give to who rests at a price of its own.',
    ),
    impact_bps: bps(
      'What its own taking moves the price; for MARKET by the book as it stands, and by what orders of its size usually pay.',
    ),
    fee_bps: bps("By the instrument's maker and taker rates, and the share that is expected to rest."),
    total_bps: bps('The sum of these.'),
    stdev_bps: Type.Number({
      minimum: 0,
      description:
        'One standard deviation of the total: what the price may do while the order is worked, and whether what rests is filled. About 68 of 100 orders cost what is expected, give or take this much; tails are fatter than those of a normal distribution.',
    }),
  },
  {
    title: 'ExpectedCost',
    description:
      'Of the whole quantity against the mid at arrival, in basis points of it; positive is cost. What is not filled by the end counts as taken then, without a spread. A rise is expected no more than a fall.',
  },
);

export const OrderPreview = Type.Object(
  {
    accepted: Type.Boolean({ description: 'A create would be accepted now.' }),
    rejections: Type.Array(PreviewRejection, {
      description:
        'Why it would not: a create answers the first, or the order ends REJECTED with it. Empty when accepted.',
    }),
    existing_order_id: Type.Optional(
      described(
        OrderId,
        '`client_order_id` names this order already and asks for the same: a create answers it and places nothing.',
      ),
    ),
    schedule: Type.Optional(
      Type.Array(PreviewSlice, {
        maxItems: OUTLINE_POINTS_MAX,
        description: `What its strategy plans, together the order's quantity; a longer schedule is told in ${OUTLINE_POINTS_MAX} groups at most. POV and ICEBERG: as the expected volume goes. Absent for an order that could not be worked, and while the market tells no price.`,
      }),
    ),
    children: Type.Optional(
      Type.Object(
        {
          count: Type.Integer({
            minimum: 1,
            description: 'How many children that makes, each filled as it is placed.',
          }),
          quantity: decimal('Of one of them, on average.'),
        },
        { title: 'PreviewChildren', description: 'Goes with `schedule`.' },
      ),
    ),
    expected_cost: Type.Optional(described(ExpectedCost, `${ExpectedCost.description} Goes with \`schedule\`.`)),
    participation: Type.Optional(
      Type.Number({
        minimum: 0,
        description:
          "The order's quantity ÷ the volume expected while it is worked, a minute at least; absent while that is not known.",
      }),
    ),
  },
  {
    title: 'OrderPreview',
    description: 'What would come of an order if it were created now.',
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
    'Judges a create as it would be judged now, funds and exchange included, and tells all that is wrong with it at once; then what its strategy plans and what that is expected to cost. Places nothing and stores nothing. Triggers, `would` and price locks are left out of the plan.',
  body: CreateParentOrderRequest,
  success: { status: 200, description: 'What would come of it.', schema: OrderPreview },
} as const satisfies SignedOperation;
