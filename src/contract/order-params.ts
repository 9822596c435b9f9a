import { Type } from '@sinclair/typebox';
import {
  DURATION_SECONDS_MAX,
  IMBALANCE_PPM_DEFAULT,
  IMBALANCE_PPM_MAX,
  IMBALANCE_PPM_MIN,
  LADDER_RUNGS_DEFAULT,
  LADDER_RUNGS_MAX,
  LADDER_RUNGS_MIN,
  PRICE_LOCK_BPS_MAX,
  SIZE_SKEW_PPM_MAX,
  SIZE_SKEW_PPM_MIN,
} from '../model/limits.js';
import { decimalText, described } from './field.js';
import { PlacementInfo, TriggerInfo, WouldInfo } from './nested-params.js';
import { LadderDirection, LadderProfile, TradingStyle, Urgency } from './vocabulary.js';

const PPM = 1_000_000;

/** What an order and a leg of one have in common. */
export const WORKING_PARAMS = {
  duration_seconds: Type.Optional(
    decimalText(
      `Seconds the order is worked, 1 to ${DURATION_SECONDS_MAX}, to the millisecond. TWAP and VWAP need it or \`end_time\`; with both the earlier end holds. Without either IS chooses its time from \`urgency\`, and the others work until filled or cancelled.`,
      '3600',
    ),
  ),
  trading_style: Type.Optional(described(TradingStyle, `${TradingStyle.description}`, { default: 'HYBRID' })),
  urgency: Type.Optional(described(Urgency, `${Urgency.description}`, { default: 'MEDIUM' })),
  randomize_amount: Type.Optional(
    Type.Boolean({ default: false, description: 'Varies each slice by up to 20 %; the schedule as a whole is kept.' }),
  ),
  would: Type.Optional(WouldInfo),
  trigger: Type.Optional(TriggerInfo),
  placement_infos: Type.Optional(PlacementInfo),
};

/** SCALE needs both prices; ICEBERG may have them. */
const LADDER_PARAMS = {
  start_ladder_price: Type.Optional(
    decimalText(
      'First price of the ladder in quote units, on the tick grid and not worse than `limit_price`. SCALE needs it, ICEBERG may have it, other strategies refuse it.',
      '59000',
    ),
  ),
  end_ladder_price: Type.Optional(
    decimalText(
      `Last price of the ladder, under the same rules and other than the first. \`clip_size_type\` and \`clip_size_val\` make the number of its rungs, ${LADDER_RUNGS_MIN} to ${LADDER_RUNGS_MAX} with SCALE, both ends included; ${LADDER_RUNGS_DEFAULT} with AUTOMATIC.`,
      '60000',
    ),
  ),
  ladder_direction: Type.Optional(LadderDirection),
  ladder_profile: Type.Optional(described(LadderProfile, `${LadderProfile.description}`, { default: 'LINEAR' })),
  size_skew: Type.Optional(
    Type.Number({
      minimum: SIZE_SKEW_PPM_MIN / PPM,
      maximum: SIZE_SKEW_PPM_MAX / PPM,
      default: 1,
      description:
        'Size at the last price ÷ size at the first, linear between: 1 makes all alike. At most 6 digits behind the point.',
    }),
  ),
};

export const IMBALANCE_AND_LOCK = {
  ob_imbalance_cancel: Type.Optional(
    Type.Boolean({
      default: false,
      description: `Withdraws resting children, and places none, while the best level of the book leans against the order: ask ÷ (bid + ask) for a BUY, bid ÷ (bid + ask) for a SELL, at or above the threshold, until it is 0.05 under it.`,
    }),
  ),
  ob_imbalance_threshold: Type.Optional(
    decimalText(
      `Share from which on the book leans, ${IMBALANCE_PPM_MIN / PPM} to ${IMBALANCE_PPM_MAX / PPM}, at most 6 digits behind the point; counts only with \`ob_imbalance_cancel\`.`,
      '0.75',
      { default: String(IMBALANCE_PPM_DEFAULT / PPM) },
    ),
  ),
  price_lock_bps: Type.Optional(
    decimalText(
      `Takes all that is left once the market is so many basis points better than at arrival: an integer from 1 to ${PRICE_LOCK_BPS_MAX}.`,
      '5',
    ),
  ),
};

const POST_ONLY = {
  post_only: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Passive children are sent post-only; executions by would, price lock and at the deadline may still cross. BINANCE only: INVALID_PARAM elsewhere.',
    }),
  ),
};

export const OrderParams = Type.Object(
  {
    ...WORKING_PARAMS,
    reduce_only: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'FUTURE only, else INVALID_PARAM: never opens, increases or flips a position.',
      }),
    ),
    ...LADDER_PARAMS,
    ...IMBALANCE_AND_LOCK,
    ...POST_ONLY,
  },
  {
    dependentRequired: { start_ladder_price: ['end_ladder_price'], end_ladder_price: ['start_ladder_price'] },
    title: 'OrderParams',
    description: 'How the order is worked. A wrong value is refused with INVALID_PARAM where nothing else is said.',
  },
);
