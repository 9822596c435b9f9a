import type { FieldTable, NumberRange } from '../field/field-row.js';
import {
  DEPTH_LEVELS_COUNT,
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
} from '../../domain/limits/trading.js';
import {
  LADDER_DIRECTIONS,
  LADDER_PROFILES,
  PLACEMENT_MODES,
  type StrategyName,
  TRADING_STYLES,
  TRIGGER_CONDITIONS,
  URGENCIES,
  WHOLE_PPM_OF_PERCENT,
} from '../../domain/order.js';

/* The fields of `params` in an order and in a leg, as plain data. See order-fields.ts for the use of the rows. */

const PPM = 1_000_000;
const ANY = { of: 'any' } as const;
const CONDITIONS = 'Conditions:';
const LADDER = {
  member: 'ladder',
  group: 'Ladder:',
  strategies: ['SCALE', 'ICEBERG'] as readonly StrategyName[],
} as const;

const LEVEL = {
  precision: 0,
  least: 1,
  most: DEPTH_LEVELS_COUNT,
  rule: `a level of the book from 1 to ${DEPTH_LEVELS_COUNT}`,
} as const satisfies NumberRange;

const WOULD_FIELDS = {
  would_price: {
    kind: 'price',
    code: 'INVALID_WOULD_PRICE',
    description:
      'Price in quote units, on the tick grid. A BUY acts while the ask is at or below it, a SELL while the bid is at or above it. It must not be worse than `limit_price`. Required unless `would_is_arrival` is true. Else INVALID_WOULD_PRICE.',
    example: '59000',
    echo: 'Absent with the arrival price.',
    cli: { flags: '--would-price <price>', help: 'execute a part at once at this price or better' },
  },
  would_pct: {
    kind: 'number',
    default: WHOLE_PPM_OF_PERCENT,
    range: { precision: 6, least: 1, most: WHOLE_PPM_OF_PERCENT, rule: 'a percentage above 0 and up to 100' },
    description:
      "Percent of the order's quantity that may be executed this way: above 0 and up to 100, at most 6 digits after the point.",
    example: '50',
    echo: "Percent of the order's quantity.",
    echoedAlways: true,
    cli: { flags: '--would-pct <percent>', help: 'part of the quantity to execute at once' },
  },
  would_style: {
    kind: 'choice',
    title: 'TradingStyle',
    names: TRADING_STYLES,
    description: "Style of this part. Absent: the order's `trading_style`.",
    echo: '',
    echoedAlways: true,
    cli: { flags: '--would-style <style>', help: 'style of that part' },
  },
  would_is_arrival: {
    kind: 'flag',
    default: false,
    description: 'Acts at the arrival price and ignores `would_price`.',
    echo: 'It acts at the arrival price.',
    cli: { flags: '--would-arrival', help: 'use the arrival price as would price' },
  },
} as const satisfies FieldTable;

const TRIGGER_FIELDS = {
  trigger_price: {
    kind: 'price',
    required: true,
    code: 'INVALID_TRIGGER_PRICE',
    description:
      'Price in quote units, on the tick grid. The last trade is compared with it. Else INVALID_TRIGGER_PRICE.',
    example: '61000',
    echo: 'In quote units.',
    cli: [
      {
        flags: '--trigger-above <price>',
        help: 'start when the last price reaches this price or more',
        also: { field: 'trigger_condition', value: 'ABOVE' },
      },
      {
        flags: '--trigger-below <price>',
        help: 'start when the last price reaches this price or less',
        also: { field: 'trigger_condition', value: 'BELOW' },
      },
    ],
  },
  trigger_condition: {
    kind: 'choice',
    required: true,
    code: 'INVALID_PARAM',
    title: 'TriggerCondition',
    names: TRIGGER_CONDITIONS,
    description: 'ABOVE: starts once the last trade is at or above the price; BELOW: at or below it.',
    echo: '',
  },
} as const satisfies FieldTable;

const PLACEMENT_FIELDS = {
  placement_mode: {
    kind: 'choice',
    default: 'DEFAULT',
    title: 'PlacementMode',
    names: PLACEMENT_MODES,
    description:
      'DEFAULT: the strategy decides. TIGHT: the best level of the own side, moved at each change of that level. CUSTOM: by `placement` and `cancel`, both required.',
    echo: 'TIGHT or CUSTOM.',
    echoedAlways: true,
    cli: { flags: '--placement-mode <mode>', help: 'placement of passive children' },
  },
  placement: {
    kind: 'number',
    range: LEVEL,
    description: `With CUSTOM: book level of new passive children, an integer from 1, the best, to ${DEPTH_LEVELS_COUNT}.`,
    example: '2',
    echo: 'Level of the book; with CUSTOM.',
    cli: { flags: '--place-level <n>', help: 'CUSTOM: book level of new passive children, 1 is the best' },
  },
  cancel: {
    kind: 'number',
    range: LEVEL,
    description: `With CUSTOM: a resting child at this book level or a worse one is cancelled; an integer from 1 to ${DEPTH_LEVELS_COUNT}, more than \`placement\`.`,
    example: '5',
    echo: 'Level of the book; with CUSTOM.',
    cli: { flags: '--cancel-level <n>', help: 'CUSTOM: book level at which a resting child is cancelled' },
  },
} as const satisfies FieldTable;

/** Params of an order and of each leg. */
export const WORKING_FIELDS = {
  duration_seconds: {
    kind: 'number',
    member: 'durationMs',
    range: {
      precision: 3,
      least: 1000,
      most: DURATION_SECONDS_MAX * 1000,
      rule: `a number of seconds from 1 to ${DURATION_SECONDS_MAX}`,
    },
    description: `Duration in seconds, 1 to ${DURATION_SECONDS_MAX}, at most 3 digits after the point. TWAP and VWAP require it or \`end_time\`; with both, the earlier end applies. Without either, IS derives its duration from \`urgency\`, and the other strategies work until the order is filled or cancelled.`,
    example: '3600',
    echo: 'Seconds.',
    amend: { of: 'any', help: 'new total duration, counted from the start' },
    cli: { flags: '--duration <seconds>', help: 'duration of the schedule' },
  },
  trading_style: {
    kind: 'choice',
    member: 'style',
    default: 'HYBRID',
    title: 'TradingStyle',
    names: TRADING_STYLES,
    description:
      'PASSIVE rests in the book and does not cross before the deadline. AGGRESSIVE takes what the book shows: the first slice at once, each later one at a favourable time within its slot. HYBRID rests up to one slice ahead of its schedule and crosses for the part that is too late; where taking costs no more than making, it rests the smallest quantity that the exchange allows and takes the rest of a slice at a favourable time.',
    echo: '',
    amend: ANY,
    cli: { flags: '--style <style>', help: 'trading style' },
  },
  urgency: {
    kind: 'choice',
    member: 'urgency',
    default: 'MEDIUM',
    title: 'Urgency',
    names: URGENCIES,
    strategies: ['IS'],
    description:
      'Risk aversion of strategy IS: lambda 0.2e-6, 1e-6 or 5e-6 per unit of quote currency. Other strategies ignore it.',
    echo: '',
    amend: ANY,
    cli: { flags: '--urgency <urgency>', help: 'risk aversion' },
  },
  randomize_amount: {
    kind: 'flag',
    member: 'randomizeQuantity',
    default: false,
    description: 'Varies each slice by up to 20 %. The whole schedule keeps its quantity.',
    echo: 'Absent when false.',
    amend: ANY,
    cli: { flags: '--randomize', help: 'vary the size of slices' },
  },
  would: {
    kind: 'object',
    member: 'would',
    title: 'WouldInfo',
    group: CONDITIONS,
    fields: WOULD_FIELDS,
    description:
      'Executes part of the order at once while the price is good, never beyond `limit_price`. The rest keeps its schedule.',
    echo: '',
    amend: ANY,
  },
  trigger: {
    kind: 'object',
    member: 'trigger',
    title: 'TriggerInfo',
    group: CONDITIONS,
    fields: TRIGGER_FIELDS,
    description:
      'Starts the order, not before `start_time`, once the last trade reaches a price. Until then the order is ACCEPTED and has no child.',
    echo: '',
    amend: ANY,
  },
  placement_infos: {
    kind: 'object',
    member: 'placement',
    title: 'PlacementInfo',
    fields: PLACEMENT_FIELDS,
    description: 'Book level of passive children.',
    echo: '',
    amend: ANY,
  },
} as const satisfies FieldTable;

/** Params of an order with one leg, in the order in which the parser reads them. */
export const ORDER_PARAMS = {
  ...WORKING_FIELDS,
  reduce_only: {
    kind: 'flag',
    member: 'reduceOnly',
    default: false,
    description:
      'FUTURE only, else INVALID_PARAM: never opens, increases or flips a position. REJECTED with INVALID_ORDER when the account has no position to reduce at the start of the order.',
    echo: 'Absent when false.',
    cli: { flags: '--reduce-only', help: 'futures: only reduce the position' },
  },
  start_ladder_price: {
    kind: 'price',
    ...LADDER,
    description:
      'First price of the ladder in quote units, on the tick grid and not worse than `limit_price`. SCALE requires it, ICEBERG accepts it, other strategies refuse it.',
    example: '59000',
    echo: 'In quote units.',
    cli: { flags: '--ladder-start <price>', help: 'first price of the ladder' },
  },
  end_ladder_price: {
    kind: 'price',
    ...LADDER,
    description: `Last price of the ladder, under the same rules and different from the first. \`clip_size_type\` and \`clip_size_val\` give the number of rungs: ${LADDER_RUNGS_MIN} to ${LADDER_RUNGS_MAX} with SCALE, both ends included; ${LADDER_RUNGS_DEFAULT} with AUTOMATIC.`,
    example: '60000',
    echo: 'In quote units.',
    cli: { flags: '--ladder-end <price>', help: 'last price of the ladder' },
  },
  ladder_direction: {
    kind: 'choice',
    ...LADDER,
    title: 'LadderDirection',
    names: LADDER_DIRECTIONS,
    description: 'UPWARDS: from a lower to a higher price; DOWNWARDS: the reverse. It must not contradict the prices.',
    echo: '',
    cli: { flags: '--ladder-direction <direction>', help: 'direction of the prices' },
  },
  ladder_profile: {
    kind: 'choice',
    ...LADDER,
    default: 'LINEAR',
    title: 'LadderProfile',
    names: LADDER_PROFILES,
    description: 'How sizes change from one end to the other.',
    cli: { flags: '--ladder-profile <profile>', help: 'how sizes change' },
  },
  size_skew: {
    kind: 'number',
    ...LADDER,
    default: PPM,
    range: {
      precision: 6,
      least: SIZE_SKEW_PPM_MIN,
      most: SIZE_SKEW_PPM_MAX,
      rule: `a number from ${SIZE_SKEW_PPM_MIN / PPM} to ${SIZE_SKEW_PPM_MAX / PPM}`,
      asNumber: true,
    },
    description:
      'Size at the last price ÷ size at the first, linear between them: 1 makes all equal. At most 6 digits after the point.',
    echo: 'Size at the last price ÷ size at the first.',
    cli: { flags: '--size-skew <number>', help: 'size at the last price ÷ size at the first' },
  },
  ob_imbalance_cancel: {
    kind: 'flag',
    member: 'imbalanceThresholdPpm',
    default: false,
    description:
      'Cancels resting children, and places none, while the imbalance of the best level is against the order: ask ÷ (bid + ask) for a BUY, bid ÷ (bid + ask) for a SELL, at or above the threshold, until it is 0.05 below the threshold. A child that rests already is cancelled when that has lasted for 500 ms.',
    echo: 'Absent when false.',
    amend: { of: 'single' },
  },
  ob_imbalance_threshold: {
    kind: 'number',
    member: 'imbalanceThresholdPpm',
    default: IMBALANCE_PPM_DEFAULT,
    range: {
      precision: 6,
      least: IMBALANCE_PPM_MIN,
      most: IMBALANCE_PPM_MAX,
      rule: `a decimal from ${IMBALANCE_PPM_MIN / PPM} to ${IMBALANCE_PPM_MAX / PPM}`,
    },
    description: `Threshold of the book imbalance, ${IMBALANCE_PPM_MIN / PPM} to ${IMBALANCE_PPM_MAX / PPM}, at most 6 digits after the point. It has an effect only with \`ob_imbalance_cancel\`.`,
    example: '0.75',
    echo: 'Present with ob_imbalance_cancel.',
    echoedAlways: true,
    amend: { of: 'single' },
    group: CONDITIONS,
    cli: [
      {
        flags: '--imbalance [threshold]',
        help: 'cancel resting children while the book imbalance exceeds this threshold: 0.5 to 0.99',
        also: { field: 'ob_imbalance_cancel', value: true },
      },
    ],
  },
  price_lock_bps: {
    kind: 'number',
    member: 'priceLockBps',
    group: CONDITIONS,
    range: { precision: 0, least: 1, most: PRICE_LOCK_BPS_MAX, rule: `an integer from 1 to ${PRICE_LOCK_BPS_MAX}` },
    description: `Takes the whole remaining quantity once the market is this many basis points better than at arrival: an integer from 1 to ${PRICE_LOCK_BPS_MAX}.`,
    example: '5',
    echo: 'Basis points.',
    amend: { of: 'single' },
    cli: { flags: '--price-lock-bps <n>', help: 'take the rest when the price is this much better than at arrival' },
  },
  post_only: {
    kind: 'flag',
    member: 'postOnly',
    default: false,
    description:
      'Sends passive children post-only. Executions by would, price lock and at the deadline may still cross. BINANCE only, else INVALID_PARAM.',
    echo: 'Absent when false.',
    cli: { flags: '--post-only', help: 'passive children never take' },
  },
} as const satisfies FieldTable;
