import { Type } from '@sinclair/typebox';
import { BATCH_ORDERS_MAX } from '../../domain/limits/clients.js';
import { propertiesOf } from '../field/field-schema.js';
import { CLOSED } from '../field/schema.js';
import { OBJECT_RULES, RULES_OF_WORKING } from '../order/order-schema.js';
import { PAIR_FIELDS } from './pair-fields.js';

const EXAMPLE = {
  client_order_id: 'basis-3',
  algo: 'PAIR',
  legs: [
    {
      exchange: 'BINANCE',
      symbol: 'BTC/USDT',
      asset_category: 'SPOT',
      side: 'BUY',
      target_value: '20000',
      ccy: 'USDT',
      strategy: 'TWAP',
      params: { duration_seconds: '600', is_leading: true },
    },
    {
      exchange: 'OKX',
      symbol: 'BTC/USDT',
      asset_category: 'FUTURE',
      side: 'SELL',
      target_value: '20000',
      ccy: 'USD',
      strategy: 'MARKET',
    },
  ],
};

export const CreateMultiLegsParentOrderRequest = Type.Object(
  propertiesOf(PAIR_FIELDS, { ...OBJECT_RULES, CreateOrderLegRequest: { allOf: RULES_OF_WORKING } }),
  {
    ...CLOSED,
    title: 'CreateMultiLegsParentOrderRequest',
    description:
      'One order of two legs. A refusal names the first violation: first members that are not known, then the fields in this sequence, then the rules between fields of a leg, then the times compared with the clock and the values compared with the market.',
    examples: [EXAMPLE],
  },
);

export const CreateManyMultiLegsParentOrdersRequest = Type.Object(
  {
    orders: Type.Array(CreateMultiLegsParentOrderRequest, {
      minItems: 1,
      maxItems: BATCH_ORDERS_MAX,
      description: 'Orders are independent: a refused one does not stop the others.',
    }),
  },
  { ...CLOSED, title: 'CreateManyMultiLegsParentOrdersRequest', description: `Up to ${BATCH_ORDERS_MAX} orders.` },
);
