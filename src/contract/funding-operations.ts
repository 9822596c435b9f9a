import { Type } from '@sinclair/typebox';
import { FUNDING_HISTORY_RATES_COUNT } from '../model/limits.js';
import { described } from './field.js';
import { FundingRateList } from './funding-answer.js';
import { READING, type SignedOperation } from './operation.js';
import { ListingExchange } from './vocabulary.js';

const SILENCE = '503 EXCHANGE_NOT_AVAILABLE when it does not answer in time.';
const FORM = '`BTC/USDT:USDT` or, as only futures pay funding, `BTC/USDT`; any letter case';

export const FUNDING_RATE_HISTORY = {
  ...READING,
  group: 'Market data',
  id: 'listFundingRateHistory',
  path: '/api/v2/data/fundingRateHistory',
  summary: 'What a future has paid',
  description: `The last ${FUNDING_HISTORY_RATES_COUNT} funding times, newest first, as the exchange tells them. ${SILENCE} Empty for a future of an exchange that only lists instruments.`,
  query: Type.Object({
    exchange: described(ListingExchange, 'Needed; any letter case.'),
    symbol: Type.String({
      description: `Needed: ${FORM}. One that is no future there is answered 400 INVALID_SYMBOL.`,
    }),
  }),
  success: { status: 200, description: 'The rates.', schema: FundingRateList },
} as const satisfies SignedOperation;

export const LAST_FUNDING_RATES = {
  ...READING,
  group: 'Market data',
  id: 'listLastFundingRates',
  path: '/api/v2/data/lastFundingRates',
  summary: 'What futures have paid last, and what comes next',
  description:
    'One entry a future. Both filters may be left out. Exchanges that do not answer in time are left out; when none answers: 503 EXCHANGE_NOT_AVAILABLE.',
  query: Type.Object({
    exchange: Type.Optional(described(ListingExchange, 'Only of this exchange; any letter case.')),
    symbol: Type.Optional(
      Type.String({
        description: `Only of this symbol: ${FORM}. One that is no future is answered 400 INVALID_SYMBOL.`,
      }),
    ),
  }),
  success: { status: 200, description: 'The rates.', schema: FundingRateList },
} as const satisfies SignedOperation;
