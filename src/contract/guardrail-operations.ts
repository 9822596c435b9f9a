import { Type } from '@sinclair/typebox';
import { GUARDRAIL_OPEN_ORDERS_MAX, PRICE_COLLAR_BPS_MAX } from '../model/limits.js';
import { SELF_CROSS_MODES } from '../model/guardrail.js';
import { choice, decimal, instant } from './field.js';
import { CANCELLING, READING, type SignedOperation } from './operation.js';
import { TradingExchange } from './vocabulary.js';

const SelfCrossMode = choice(
  'SelfCrossMode',
  SELF_CROSS_MODES,
  'ALLOW: orders of the account on both sides of a book are taken; their child orders do not trade with each other. REFUSE: an order is refused whose price may meet that of an own open order on the other side: INVALID_ORDER.',
);

const WORTH =
  'In USD, for which USDT, USDC and USD are taken one for one. A buy is worth its limit price, or the upper end of its ladder, and a sell the mid or, where that is higher, its own price; without one, either is worth the mid when it comes in.';

export const Guardrails = Type.Object(
  {
    max_order_notional: Type.Optional(
      decimal(`Worth of one order, both legs of a multi-leg order together; above it: QUANTITY_EXCEED. ${WORTH}`),
    ),
    max_open_orders: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: GUARDRAIL_OPEN_ORDERS_MAX,
        description: 'Parent orders of the account that may be open at once; beyond it: QUANTITY_EXCEED.',
      }),
    ),
    max_gross_exposure: Type.Optional(
      decimal(
        'Worth in USD of what all open orders of the account have left to trade, and of its futures positions at their mark prices, long and short added up; an order that would bring it above: QUANTITY_EXCEED. Reduce-only orders count nothing and are never refused by it.',
      ),
    ),
    allowed_exchanges: Type.Optional(
      Type.Array(TradingExchange, { description: 'Others are refused: INVALID_EXCHANGE.' }),
    ),
    allowed_symbols: Type.Optional(
      Type.Array(Type.String({ examples: ['BTC/USDT', 'BTC/USDT:USDT'] }), {
        description:
          'Canonical: `BTC/USDT` is the spot pair alone, `BTC/USDT:USDT` its perpetual. Others are refused: INVALID_SYMBOL.',
      }),
    ),
    price_collar_bps: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PRICE_COLLAR_BPS_MAX,
        description:
          'How far a limit, would, trigger or ladder price may lie from the mid, either way; with a trigger, the other prices are held to its price. Beyond it: INVALID_LIMIT_PRICE, INVALID_WOULD_PRICE, INVALID_TRIGGER_PRICE, or INVALID_PARAM of a ladder.',
      }),
    ),
    self_cross: Type.Optional(SelfCrossMode),
  },
  {
    title: 'Guardrails',
    description: 'What orders are held to before they are taken; what is absent holds nothing.',
    examples: [{ max_order_notional: 250_000, max_open_orders: 20, price_collar_bps: 500, self_cross: 'REFUSE' }],
  },
);

const KillSwitch = Type.Object(
  {
    engaged: Type.Boolean({ description: 'true: no order is taken, and every open one is cancelled.' }),
    scope: Type.Optional(
      choice(
        'KillScope',
        ['ACCOUNT', 'SERVICE'],
        "ACCOUNT: this account's trading is halted. SERVICE: everybody's is.",
      ),
    ),
    engaged_at: Type.Optional(instant('Real time.')),
    engaged_by: Type.Optional(choice('KillSwitchHand', ['OPERATOR', 'API_KEY'], 'Who engaged it.')),
  },
  {
    title: 'KillSwitch',
    examples: [
      { engaged: false },
      { engaged: true, scope: 'ACCOUNT', engaged_at: '2026-11-21T12:00:00.000Z', engaged_by: 'API_KEY' },
    ],
  },
);

export const GuardrailsAnswer = Type.Object(
  {
    account: Guardrails,
    key: Guardrails,
    kill_switch: KillSwitch,
    usage: Type.Optional(
      Type.Object(
        {
          open_orders: Type.Integer({ minimum: 0, description: 'Parent orders that are open, or on their way.' }),
          gross_exposure: Type.Optional(
            decimal('As `max_gross_exposure` counts it; absent when no key of the account is bound by that.'),
          ),
        },
        { description: 'Absent when nothing is counted, or when an exchange does not tell what it takes.' },
      ),
    ),
  },
  {
    title: 'GuardrailsAnswer',
    description:
      'Both hold: an order that either refuses is refused. A key is held to what its whole account has open.',
  },
);

export const KillSwitchRequest = Type.Object(
  {
    engaged: Type.Literal(true, {
      description:
        'A key can engage the switch and not release it: that is for the operator (`sluice kill-switch off`).',
    }),
  },
  { title: 'KillSwitchRequest', examples: [{ engaged: true }] },
);

export const GET_GUARDRAILS = {
  ...READING,
  id: 'getGuardrails',
  path: '/api/v2/account/guardrails',
  summary: 'What orders of the account and of this key are held to',
  description:
    'The operator sets guardrails (`sluice guardrails set`); no key can. They are judged before an order is stored, when it is created and when an amendment makes it larger or moves its prices, and hold from the next request on.',
  query: null,
  success: { status: 200, description: 'The guardrails, and how much of them is used.', schema: GuardrailsAnswer },
} as const satisfies SignedOperation;

export const ENGAGE_KILL_SWITCH = {
  ...CANCELLING,
  id: 'engageKillSwitch',
  path: '/api/v2/trading/killSwitch',
  summary: "Halt the account's trading",
  description:
    'Cancels every open order of the account and refuses every create, amendment and resumption (OTHER) until the operator releases it. Answered once it is on disk: it outlives restarts. Engaging it again changes nothing.',
  body: KillSwitchRequest,
  success: { status: 200, description: 'It is engaged.', schema: KillSwitch },
} as const satisfies SignedOperation;
