import { Type } from '@sinclair/typebox';
import { decimal } from './field.js';

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

export const ListenKey = Type.String({
  description: 'A JWT that opens the WebSocket for an hour (`SLUICE_LISTEN_KEY_TTL_S`), read-only.',
});
