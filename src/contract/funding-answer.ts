import { Type } from '@sinclair/typebox';
import { decimal, instant } from './field.js';
import { TradingExchange } from './vocabulary.js';

const FundingRate = Type.Object(
  {
    exchange: TradingExchange,
    symbol: Type.String({ description: 'Canonical: `BTC/USDT:USDT`.' }),
    time: instant('When it was paid, service time: 00:00, 08:00 or 16:00 UTC.'),
    nextTime: instant('When funding is paid the next time.'),
    rate: decimal('What longs paid shorts, as a part of their notional; below 0: shorts paid longs.'),
    nextRate: Type.Optional(
      decimal(
        'Rate at nextTime: in the history the one that was paid, absent while that is to come; in the last rates the one of the running period, as it stands.',
      ),
    ),
    markPrice: decimal('What positions are valued at: in the history at `time`, in the last rates now.'),
  },
  {
    title: 'FundingRate',
    description: 'What a future paid at a funding time.',
    examples: [
      {
        exchange: 'BINANCE',
        symbol: 'BTC/USDT:USDT',
        time: '2026-11-21T08:00:00.000Z',
        nextTime: '2026-11-21T16:00:00.000Z',
        rate: 0.0001,
        nextRate: -0.000042,
        markPrice: 60_000.5,
      },
    ],
  },
);

export const FundingRateList = Type.Array(FundingRate);
