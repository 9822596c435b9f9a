import type { ExchangeListing } from '../exchange-listing.js';
import { crossing } from '../price-band.js';
import { tradingRules } from '../trading-rule.js';

/** Lists instruments, takes no orders here. Rules in the style of its public product list; fees: the lowest tier, plausible. */
export const COINBASE_ADV: ExchangeListing = {
  selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH', 'DECREMENT'],
  spot: {
    fees: { makerPpm: 6000, takerPpm: 12_000 },
    bands: crossing(0.1),
    isPostOnlyOffered: false,
    rules: tradingRules(`
      symbol     tick     lot       quantity        market    cost         price
      BTC/USDC   0.01     0.000001  0.000001..200   20        1..8000000   0.01..20000000
      ETH/USDC   0.01     0.00001   0.00001..5000   500       1..8000000   0.01..1000000
      SOL/USDC   0.01     0.001     0.001..50000    5000      1..8000000   0.01..100000
      XRP/USDC   0.0001   0.01      0.01..20000000  2000000   1..8000000   0.0001..200
      DOGE/USDC  0.00001  0.1       0.1..100000000  10000000  1..8000000   0.00001..50
      LTC/USDC   0.01     0.0001    0.0001..200000  20000     1..8000000   0.01..20000
      BTC/USDT   0.01     0.000001  0.000001..200   20        1..8000000   0.01..20000000
      ETH/USDT   0.01     0.00001   0.00001..5000   500       1..8000000   0.01..1000000
      SOL/USDT   0.01     0.001     0.001..50000    5000      1..8000000   0.01..100000
      ETH/BTC    0.00001  0.00001   0.00001..5000   500       0.0001..100  0.00001..20
    `),
  },
  perpetual: null,
};
