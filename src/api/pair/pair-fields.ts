import {
  HEDGE_SLIPPAGE_BPS_DEFAULT,
  HEDGE_SLIPPAGE_BPS_MAX,
  MAX_UNHEDGED_SECONDS_DEFAULT,
  MAX_UNHEDGED_SECONDS_MAX,
} from '../../domain/limits/trading.js';
import { MULTI_LEGS_ALGOS } from '../../domain/pair.js';
import type { FieldTable } from '../field/field-row.js';
import { ORDER_FIELDS } from '../order/order-fields.js';
import { WORKING_FIELDS } from '../order/param-fields.js';

/* The fields of multi-leg orders and their legs, as plain data. Those of every order are in order/order-fields.ts. */

const { strategy } = ORDER_FIELDS;

/** A leg, in the order in which the parser reads the fields. */
export const LEG_FIELDS = {
  exchange: ORDER_FIELDS.exchange,
  symbol: ORDER_FIELDS.symbol,
  asset_category: ORDER_FIELDS.asset_category,
  side: ORDER_FIELDS.side,
  target_value: {
    kind: 'amount',
    member: 'targetValue',
    required: true,
    code: 'INVALID_QUANTITY',
    description:
      'What the leg fills, in `ccy`. A quantity in the base must be a multiple of the lot. Money is converted to a quantity at `limit_price`, else at the mid price when the order arrives, rounded down to the lot. Else INVALID_QUANTITY, above the maximum QUANTITY_EXCEED; EXCHANGE_NOT_AVAILABLE when the market has no price.',
    example: '10000',
  },
  ccy: {
    kind: 'currency',
    member: 'ccy',
    required: true,
    description:
      'Currency of target_value: base or quote of the symbol, in any letter case, or USD where the quote is USDT, USDC or USD. Else INVALID_PARAM.',
    example: 'USDT',
  },
  limit_price: ORDER_FIELDS.limit_price,
  strategy: { ...strategy, description: `${strategy.description} A leg has no ladder: SCALE is refused.` },
  clip_size_type: ORDER_FIELDS.clip_size_type,
  clip_size_val: ORDER_FIELDS.clip_size_val,
  params: {
    kind: 'object',
    title: 'OrderLegParams',
    fields: {
      ...WORKING_FIELDS,
      is_leading: {
        kind: 'flag',
        member: 'isLeading',
        description:
          'true: this leg leads. The first leg leads when both omit it. false in both: no leg leads, each is executed by its strategy, and the leg that is ahead waits.',
      },
    },
    description: 'How the leg is executed.',
  },
} as const satisfies FieldTable;

/** Limits of the difference between the filled values of the legs. */
export const PAIR_PARAMS = {
  max_unhedged_value: {
    kind: 'amount',
    member: 'maxUnhedgedValue',
    description: 'Largest value by which the leading leg may be ahead, in its quote currency. Absent: twice its clip.',
    example: '5000',
    echo: 'In quote currency of the leading leg.',
    amend: { of: 'pair' },
    cli: { flags: '--max-unhedged-value <decimal>', help: 'pair: largest unhedged value of the leading leg' },
  },
  max_unhedged_seconds: {
    kind: 'number',
    member: 'maxUnhedgedMs',
    default: MAX_UNHEDGED_SECONDS_DEFAULT * 1000,
    range: {
      precision: 3,
      least: 1000,
      most: MAX_UNHEDGED_SECONDS_MAX * 1000,
      rule: `a number of seconds from 1 to ${MAX_UNHEDGED_SECONDS_MAX}`,
    },
    description: `Longest time above that value, 1 to ${MAX_UNHEDGED_SECONDS_MAX} seconds. After it the hedge may cross four times as far; then the order ends with SLIPPAGE_EXCEEDED.`,
    example: '60',
    echo: 'Seconds.',
    amend: { of: 'pair' },
    cli: { flags: '--max-unhedged-seconds <seconds>', help: 'pair: longest time above that value' },
  },
  hedge_slippage_bps: {
    kind: 'number',
    member: 'hedgeSlippageBps',
    default: HEDGE_SLIPPAGE_BPS_DEFAULT,
    range: {
      precision: 0,
      least: 1,
      most: HEDGE_SLIPPAGE_BPS_MAX,
      rule: `an integer from 1 to ${HEDGE_SLIPPAGE_BPS_MAX}`,
    },
    description: `Largest distance of a hedge from the best price of the other side, in basis points: an integer from 1 to ${HEDGE_SLIPPAGE_BPS_MAX}.`,
    example: '25',
    echo: 'Basis points.',
    amend: { of: 'pair' },
    cli: { flags: '--hedge-slippage-bps <integer>', help: 'pair: largest slippage of a hedge' },
  },
} as const satisfies FieldTable;

/** A create of one order with two legs, in the order in which the parser reads the fields. */
export const PAIR_FIELDS = {
  client_order_id: ORDER_FIELDS.client_order_id,
  subaccount: ORDER_FIELDS.subaccount,
  algo: {
    kind: 'choice',
    required: true,
    code: 'INVALID_TRADE_STRATEGY',
    title: 'MultiLegsAlgo',
    names: MULTI_LEGS_ALGOS,
    description:
      'PAIR: the leading leg is executed by its own strategy; the other leg follows the filled value of the leading leg.',
  },
  legs: {
    kind: 'legs',
    required: true,
    title: 'CreateOrderLegRequest',
    fields: LEG_FIELDS,
    description: 'Exactly two legs, of which at most one sets `is_leading`. Else INVALID_REQUEST.',
  },
  start_time: ORDER_FIELDS.start_time,
  end_time: ORDER_FIELDS.end_time,
  params: {
    kind: 'object',
    title: 'MultiLegsOrderParams',
    fields: PAIR_PARAMS,
    description:
      'Limits of the difference between the filled values of the legs. A wrong value is refused with INVALID_PARAM.',
  },
} as const satisfies FieldTable;
