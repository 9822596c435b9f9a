import { Type } from '@sinclair/typebox';
import { decimal } from './field.js';
import { UNHEDGED_VALUE } from './multi-leg-request.js';
import { EchoedParams } from './order-echo.js';
import { AssetCategory, ClipSizeType, ExecutionStrategy, Side, TradingExchange } from './vocabulary.js';

/** What answers and frames say of a leg besides what they say of an order. */
export const LEG_MEMBERS = {
  is_leading: Type.Boolean({ description: 'The leading leg is worked by its strategy, the other follows it.' }),
  target_value: decimal('What is to be filled, in `ccy`.'),
  ccy: Type.String({ description: 'Base, quote or USD, in upper case.' }),
};

export const MISHEDGE = decimal(
  "Filled value of the leading leg − that of the other, in the leading leg's quote currency; multi-leg orders only.",
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
  },
  { title: 'OrderLegPart', description: 'One leg of a multi-leg order, as it was sent.' },
);

export const EchoedPairParams = Type.Object(
  {
    max_unhedged_value: Type.Optional(decimal(UNHEDGED_VALUE)),
    max_unhedged_seconds: Type.Optional(decimal('Seconds.')),
    hedge_slippage_bps: Type.Optional(Type.Integer({ description: 'Basis points.' })),
  },
  { title: 'EchoedPairParams', description: 'Params of a multi-leg order; what equals its default is left out.' },
);
