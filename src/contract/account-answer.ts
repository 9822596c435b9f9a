import { Type } from '@sinclair/typebox';
import { decimal } from './field.js';
import { figure, MarginMode, PositionSide } from './position-figure.js';

export const BalanceEntry = Type.Object(
  {
    balance: decimal('Total of the asset.'),
    free: decimal('What orders and margin have not locked.'),
    symbol: Type.String({ description: 'Asset.', examples: ['USDT'] }),
  },
  {
    title: 'BalanceEntry',
    description: 'One asset of the account at the exchange.',
    examples: [{ balance: 1_000_000, free: 969_999.5, symbol: 'USDT' }],
  },
);

export const BalanceList = Type.Array(BalanceEntry, { description: 'The assets whose total is above 0.' });

const PositionEntry = Type.Object(
  {
    collateral: figure.collateral,
    contracts: figure.contracts,
    entryPrice: figure.entryPrice,
    leverage: figure.leverage,
    liquidationPrice: figure.liquidationPrice,
    markPrice: figure.markPrice,
    notional: figure.notional,
    unrealizedPnl: figure.unrealisedPnl,
    marginMode: MarginMode,
    side: PositionSide,
    symbol: figure.symbol,
    timestamp: figure.timestamp,
  },
  {
    title: 'PositionEntry',
    description: 'One position of the account at the exchange. Amounts are in quote currency.',
    examples: [
      {
        collateral: 1_000_490.5,
        contracts: 0.5,
        entryPrice: 60_000.1,
        leverage: 10,
        liquidationPrice: 0,
        markPrice: 61_000.1,
        notional: 30_500.05,
        unrealizedPnl: 500,
        marginMode: 'CROSS',
        side: 'LONG',
        symbol: 'BTC/USDT:USDT',
        timestamp: 1_795_262_400_000,
      },
    ],
  },
);

export const PositionList = Type.Array(PositionEntry, { description: 'The positions that are not 0.' });

export const ListenKey = Type.String({
  description: 'A JWT that opens the WebSocket for an hour (`SLUICE_LISTEN_KEY_TTL_S`), read-only.',
});
