import type { ExchangeListing } from '../exchange-listing.js';
import { crossing } from '../price-band.js';
import { tradingRules } from '../trading-rule.js';

/** Lists instruments, takes no orders here. Rules in the style of its public order-book list; fees: the standard account. */
export const LIGHTER: ExchangeListing = {
  selfTradePreventions: ['EXPIRE_MAKER'],
  spot: null,
  perpetual: {
    fees: { makerPpm: 0, takerPpm: 0 },
    bands: crossing(0.05),
    isPostOnlyOffered: false,
    rules: tradingRules(`
      symbol          tick      lot      quantity      market    cost  price
      BTC/USDC:USDC   0.1       0.00001  0.00001..200  20        10..  500..2000000
      ETH/USDC:USDC   0.01      0.0001   0.0001..5000  500       10..  20..100000
      SOL/USDC:USDC   0.001     0.001    0.001..50000  10000     10..  2..10000
      XRP/USDC:USDC   0.00001   1        1..20000000   2000000   10..  0.005..20
      DOGE/USDC:USDC  0.000001  1        1..100000000  20000000  10..  0.001..5
      BNB/USDC:USDC   0.01      0.01     0.01..20000   2000      10..  5..20000
      ADA/USDC:USDC   0.00001   1        1..20000000   5000000   10..  0.005..20
      LTC/USDC:USDC   0.01      0.01     0.01..200000  20000     10..  0.5..2000
      LINK/USDC:USDC  0.001     0.1      0.1..1000000  200000    10..  0.1..500
      AVAX/USDC:USDC  0.001     0.1      0.1..500000   50000     10..  0.2..1000
    `),
  },
};
