/**
 * Reacts to each error code. TypeScript reports a code that the `switch` lacks.
 *
 *     npx tsc && SLUICE_URL=… SLUICE_API_KEY=… SLUICE_API_SECRET=… node errors.mjs
 */
import { SluiceClient, SluiceError, type SluiceErrorCode } from 'sluice-client';

type Reaction = 'correct the request' | 'send it again later' | 'look for another way' | 'ask the operator' | 'note it';

/** What a program does about a code. Without a `default`, the compiler checks that no code is missing. */
function reactionTo(code: SluiceErrorCode): Reaction {
  switch (code) {
    case 'INVALID_EXCHANGE':
    case 'INVALID_SYMBOL':
    case 'INVALID_QUANTITY':
    case 'QUANTITY_EXCEED':
    case 'INVALID_TRADE_STRATEGY':
    case 'INVALID_LIMIT_PRICE':
    case 'INVALID_WOULD_PRICE':
    case 'INVALID_TRIGGER_PRICE':
    case 'INVALID_TRADE_TIME':
    case 'INVALID_END_TIME':
    case 'INVALID_FEE':
    case 'INVALID_PARAM':
    case 'INVALID_REQUEST':
    case 'INVALID_ORDER':
    case 'BATCH_OVERSIZE':
    case 'MAX_FEE_PER_GAS_IS_TOO_LOW':
    case 'MAX_PRIORITY_FEE_PER_GAS_IS_TOO_LOW':
    case '7002':
    case '8054':
      return 'correct the request';
    case 'RATE_LIMIT_EXCEEDED':
    case 'SYSTEM_BUSY':
    case 'EMS_INSTANCES_DOWN':
    case 'NETWORK_ERROR':
    case '7001':
      return 'send it again later';
    case 'EXCHANGE_NOT_AVAILABLE':
    case 'EXCHANGE_ERROR':
    case 'DDOS_PROTECTION':
    case 'INSUFFICIENT_FUNDS':
      return 'look for another way';
    case 'INVALID_API_KEY':
    case 'INVALID_SIGNATURE':
    case 'INVALID_TIMESTAMP':
    case 'AUTHENTICATION_ERROR':
    case 'SYSTEM_ERROR':
    case 'OTHER':
      return 'ask the operator';
    case 'SLIPPAGE_EXCEEDED':
    case 'EXPIRY_REACHED':
    case 'PARENT_ORDER_WAS_TERMINATED':
      return 'note it';
  }
}

const { SLUICE_URL: url = 'http://127.0.0.1:8080', SLUICE_API_KEY = '', SLUICE_API_SECRET = '' } = process.env;
const client = new SluiceClient({ url, apiKey: SLUICE_API_KEY, apiSecret: SLUICE_API_SECRET });

// A request that the service refuses rejects with SluiceError.
try {
  await client.pause({ client_order_id: 'no such order' });
} catch (error) {
  if (!(error instanceof SluiceError)) throw error;
  console.log(`HTTP ${error.status} ${error.code}: ${reactionTo(error.code)}`);
}

// An order that cannot be placed is an answer with status REJECTED.
const { status, error_code: code } = await client.create({
  exchange: 'BINANCE',
  symbol: 'BTC/USDT',
  asset_category: 'SPOT',
  side: 'BUY',
  quantity: '0',
  strategy: 'MARKET',
});
if (code !== undefined) console.log(`${status} ${code}: ${reactionTo(code)}`);
client.close();
