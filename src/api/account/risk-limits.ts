import { Type } from '@sinclair/typebox';
import { CANCELLING, READING, type SignedOperation } from '../document/operation.js';
import { arrayText, instantText, quote } from '../field/json-text.js';
import { isAbsent, isJsonObject, shown } from '../field/json-value.js';
import { MemberNames } from '../field/member-names.js';
import { choice, CLOSED, decimal, instant } from '../field/schema.js';
import { TradingExchange } from '../field/vocabulary.js';
import { formatAmount } from '../../domain/quantity.js';
import {
  type RiskBounds,
  type RiskLimits,
  type EngagedKillSwitch,
  SELF_CROSS_MODES,
  type AccountUsage,
} from '../../domain/risk-limit.js';
import { asciiUpper } from '../../domain/letter-case.js';
import { RISK_LIMIT_OPEN_ORDERS_MAX, PRICE_COLLAR_BPS_MAX } from '../../domain/limits/trading.js';
import { isRejected, type OrRejection, reject } from '../../domain/rejection.js';

const SelfCrossMode = choice(
  'SelfCrossMode',
  SELF_CROSS_MODES,
  'ALLOW: the account may have orders on both sides of a book; their child orders do not trade with each other. REFUSE: an order that could trade with an own open order on the other side is refused with INVALID_ORDER.',
);

const WORTH =
  'In USD; USDT, USDC and USD count one for one. A buy counts at its limit price, or at the upper end of its ladder. A sell counts at the mid, or at its own price when that is higher. An order without a price counts at the mid at its arrival.';

const RiskLimitSet = Type.Object(
  {
    max_order_notional: Type.Optional(
      decimal(
        `Largest worth of one order, both legs of a multi-leg order together. Above it: QUANTITY_EXCEED. ${WORTH}`,
      ),
    ),
    max_open_orders: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: RISK_LIMIT_OPEN_ORDERS_MAX,
        description: 'Largest number of open parent orders of the account. Above it: QUANTITY_EXCEED.',
      }),
    ),
    max_gross_exposure: Type.Optional(
      decimal(
        'Largest worth in USD of the leaves of all open orders of the account and of its futures positions at their mark prices, long and short added up. An order that would exceed it: QUANTITY_EXCEED. Reduce-only orders do not count and are never refused by it.',
      ),
    ),
    allowed_exchanges: Type.Optional(
      Type.Array(TradingExchange, { description: 'Other exchanges: INVALID_EXCHANGE.' }),
    ),
    allowed_symbols: Type.Optional(
      Type.Array(Type.String({ examples: ['BTC/USDT', 'BTC/USDT:USDT'] }), {
        description:
          'Canonical: `BTC/USDT` is the spot pair only, `BTC/USDT:USDT` its perpetual. Other symbols: INVALID_SYMBOL.',
      }),
    ),
    price_collar_bps: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PRICE_COLLAR_BPS_MAX,
        description:
          'Largest distance of a limit, would, trigger or ladder price from the mid, in either direction. With a trigger, the other prices are compared with the trigger price. Beyond it: INVALID_LIMIT_PRICE, INVALID_WOULD_PRICE, INVALID_TRIGGER_PRICE, or INVALID_PARAM for a ladder.',
      }),
    ),
    self_cross: Type.Optional(SelfCrossMode),
  },
  {
    title: 'Guardrails',
    description: 'Limits that are checked before an order is accepted. An absent limit does not apply.',
    examples: [{ max_order_notional: 250_000, max_open_orders: 20, price_collar_bps: 500, self_cross: 'REFUSE' }],
  },
);

export const KillSwitch = Type.Object(
  {
    engaged: Type.Boolean({ description: 'true: new orders are refused, and every open order is cancelled.' }),
    scope: Type.Optional(
      choice(
        'KillScope',
        ['ACCOUNT', 'SERVICE'],
        'ACCOUNT: trading of this account is halted. SERVICE: trading of all accounts is halted.',
      ),
    ),
    engaged_at: Type.Optional(instant('Real time.')),
    engaged_by: Type.Optional(choice('KillSwitchHand', ['OPERATOR', 'API_KEY'], 'Origin of the engagement.')),
  },
  {
    title: 'KillSwitch',
    examples: [
      { engaged: false },
      { engaged: true, scope: 'ACCOUNT', engaged_at: '2026-11-21T12:00:00.000Z', engaged_by: 'API_KEY' },
    ],
  },
);

export const RiskLimitsAnswer = Type.Object(
  {
    account: RiskLimitSet,
    key: RiskLimitSet,
    kill_switch: KillSwitch,
    usage: Type.Optional(
      Type.Object(
        {
          open_orders: Type.Integer({ minimum: 0, description: 'Parent orders that are open or being placed.' }),
          gross_exposure: Type.Optional(
            decimal('As counted for `max_gross_exposure`; absent when the account and its keys have no such limit.'),
          ),
        },
        {
          description:
            'Absent when no limit needs a count, or when an exchange does not report the needed prices or positions.',
        },
      ),
    ),
  },
  {
    title: 'GuardrailsAnswer',
    description:
      'Limits of the account and of this key. Both apply. Limits of a key count the open orders of its whole account.',
  },
);

export const KillSwitchRequest = Type.Object(
  {
    engaged: Type.Literal(true, {
      description: 'A key can engage the switch. Only the operator can release it (`sluice kill-switch release`).',
    }),
  },
  { ...CLOSED, title: 'KillSwitchRequest', examples: [{ engaged: true }] },
);

export const GET_RISK_LIMITS = {
  ...READING,
  id: 'getGuardrails',
  path: '/api/v2/account/guardrails',
  summary: 'Risk limits of the account and of this key',
  description:
    'Only the operator sets risk limits (`sluice risk-limits set`). They are checked before an order is stored, and when an amendment makes an order larger or changes its prices. A refusal has the reason RISK_LIMIT. A change applies from the next request on.',
  query: null,
  success: { status: 200, description: 'The risk limits and their use.', schema: RiskLimitsAnswer },
} as const satisfies SignedOperation;

export const ENGAGE_KILL_SWITCH = {
  ...CANCELLING,
  id: 'engageKillSwitch',
  path: '/api/v2/trading/killSwitch',
  summary: "Halt the account's trading",
  description:
    'Cancels every open order of the account and refuses every create, amendment and resume (OTHER with the reason KILL_SWITCH) until the operator releases it. Answers once it is on disk, so it survives restarts. Engaging it again changes nothing.',
  body: KillSwitchRequest,
  success: { status: 200, description: 'The engaged kill switch.', schema: KillSwitch },
} as const satisfies SignedOperation;

const KILL_SWITCH_NAMES = MemberNames.of(KillSwitchRequest.properties);

/** Parses KillSwitchRequest, which can only engage. */
export function parseKillSwitch(body: unknown): OrRejection<true> {
  if (!isJsonObject(body)) return reject('INVALID_REQUEST', `the request is ${shown(body)}, not an object`);
  const fields = KILL_SWITCH_NAMES.read(body);
  if (isRejected(fields)) return fields;
  const value = fields['engaged'];
  if (isAbsent(value)) return reject('INVALID_REQUEST', 'engaged is missing');
  if (value === true) return true;
  return reject('INVALID_PARAM', `engaged ${shown(value)} is not true: only the operator releases a kill switch`);
}

/** The text of GuardrailsAnswer. */
export function riskLimitsText(bounds: RiskBounds | null, usage: AccountUsage | null): string {
  const rulesOf = (holder: 'account' | 'key'): string => {
    const binding = bounds?.bindings.find((one) => one.holder === holder);
    return binding === undefined ? '{}' : rulesText(binding.rules);
  };
  const used = usage === null ? '' : `,"usage":${usageText(usage)}`;
  return `{"account":${rulesOf('account')},"key":${rulesOf('key')},"kill_switch":${killSwitchText(bounds?.killSwitch ?? null)}${used}}`;
}

/** The text of KillSwitch. */
export function killSwitchText(engaged: EngagedKillSwitch | null): string {
  if (engaged === null) return '{"engaged":false}';
  const { scope, engagedAtMs, by } = engaged;
  return `{"engaged":true,"scope":"${asciiUpper(scope)}","engaged_at":${instantText(engagedAtMs)},"engaged_by":"${by}"}`;
}

function rulesText(rules: RiskLimits): string {
  const { maxOrderNotional, maxOpenOrders, maxGrossExposure, allowedExchanges, allowedSymbols } = rules;
  const { priceCollarBps, selfCross } = rules;
  const members = [
    maxOrderNotional === null ? null : `"max_order_notional":${formatAmount(maxOrderNotional)}`,
    maxOpenOrders === null ? null : `"max_open_orders":${maxOpenOrders}`,
    maxGrossExposure === null ? null : `"max_gross_exposure":${formatAmount(maxGrossExposure)}`,
    allowedExchanges === null ? null : `"allowed_exchanges":${arrayText(allowedExchanges.map(quote))}`,
    allowedSymbols === null ? null : `"allowed_symbols":${arrayText(allowedSymbols.map(quote))}`,
    priceCollarBps === null ? null : `"price_collar_bps":${priceCollarBps}`,
    selfCross === null ? null : `"self_cross":"${selfCross}"`,
  ];
  return `{${members.filter((member) => member !== null).join(',')}}`;
}

function usageText({ openOrderCount, grossExposure }: AccountUsage): string {
  const exposure = grossExposure === null ? '' : `,"gross_exposure":${formatAmount(grossExposure)}`;
  return `{"open_orders":${openOrderCount}${exposure}}`;
}
