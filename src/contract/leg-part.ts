import { Type } from '@sinclair/typebox';
import { decimal } from './field.js';
import { UNHEDGED_VALUE } from './multi-leg-request.js';
import { EchoedParams } from './order-echo.js';
import { AssetCategory, ClipSizeType, ExecutionStrategy, Side, TradingExchange } from './vocabulary.js';

/** What answers and frames say of a leg besides what they say of an order. */
export const LEG_MEMBERS = {
  is_leading: Type.Boolean({
    description: 'The leading leg is worked by its strategy, the other follows it; false of both when neither leads.',
  }),
  target_value: decimal('What is to be filled, in `ccy`.'),
  ccy: Type.String({ description: 'Base, quote or USD, in upper case.' }),
};

export const LEG_FILLED_VALUE = decimal(
  'What is filled, in base units when `ccy` is the base, else in quote currency.',
);

export const MISHEDGE = decimal(
  "Filled value of the leading leg − that of the other, in the leading leg's quote currency, another being converted at the live rate of the last hedge; multi-leg orders only.",
);

/** A leg in a frame of topic `order`. */
export const OrderLegPart = Type.Object(
  {
    exchange_id: Type.Integer({ description: 'Integer id of the exchange.' }),
    exchange_name: TradingExchange,
    symbol: Type.String({ description: 'As it was sent.' }),
    asset_class: AssetCategory,
    side: Side,
    ...LEG_MEMBERS,
    quantity: decimal('The target in base units.'),
    limit_price: Type.Optional(decimal('Worst price.')),
    strategy: ExecutionStrategy,
    clip_size_type: Type.Optional(ClipSizeType),
    clip_size_val: Type.Optional(decimal('As it was sent.')),
    params: Type.Optional(EchoedParams),
    filled_quantity: decimal('Base units filled after the event.'),
    average_price: decimal('Volume-weighted price of its fills; 0 before the first.'),
    filled_value: LEG_FILLED_VALUE,
  },
  { title: 'OrderLegPart', description: 'One leg of a multi-leg order, as it was sent, and how far it has come.' },
);

export const EchoedPairParams = Type.Object(
  {
    max_unhedged_value: Type.Optional(decimal(UNHEDGED_VALUE)),
    max_unhedged_seconds: Type.Optional(decimal('Seconds.')),
    hedge_slippage_bps: Type.Optional(Type.Integer({ description: 'Basis points.' })),
  },
  { title: 'EchoedPairParams', description: 'Params of a multi-leg order; what equals its default is left out.' },
);
