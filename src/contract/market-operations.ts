import { Type } from '@sinclair/typebox';
import { described } from './field.js';
import { ExchangeList, InstrumentList } from './market-answer.js';
import { READING, type SignedOperation } from './operation.js';
import { ListingExchange } from './vocabulary.js';

export const LIST_EXCHANGES = {
  ...READING,
  group: 'Market data',
  id: 'listExchanges',
  path: '/api/v2/data/exchanges',
  summary: 'Exchanges',
  description: 'The 15 that take orders.',
  query: Type.Object({
    all: Type.Optional(Type.Boolean({ default: false, description: 'true: also the 3 that only list instruments.' })),
  }),
  success: { status: 200, description: 'The exchanges.', schema: ExchangeList },
} as const satisfies SignedOperation;

export const LIST_INSTRUMENTS = {
  ...READING,
  group: 'Market data',
  id: 'listInstruments',
  path: '/api/v2/data/instruments',
  summary: 'Instruments',
  description:
    'What can be traded, with the grid and the limits that orders are checked by. Both filters may be left out.',
  query: Type.Object({
    exchange: Type.Optional(described(ListingExchange, 'Only of this exchange; any letter case.')),
    symbol: Type.Optional(
      Type.String({ description: 'Only this canonical symbol. One that nobody lists is answered 400 INVALID_SYMBOL.' }),
    ),
  }),
  success: { status: 200, description: 'The instruments.', schema: InstrumentList },
} as const satisfies SignedOperation;
