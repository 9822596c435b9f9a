import type { ExchangeListing } from '../exchange-listing.js';
import { crossing } from '../price-band.js';
import { tradingRules } from '../trading-rule.js';

/** Lists instruments, takes no orders here. Rules in the style of its public market list; fees: the public schedule. */
export const EXTENDED: ExchangeListing = {
  selfTradePreventions: ['EXPIRE_TAKER'],
  spot: null,
  perpetual: {
    fees: { makerPpm: 0, takerPpm: 250 },
    bands: crossing(0.05),
    isPostOnlyOffered: false,
    rules: tradingRules(`
      symbol        tick     lot      quantity      market    cost  price
      BTC/USD:USD   1        0.00001  0.00001..200  20        5..   500..2000000
      ETH/USD:USD   0.1      0.001    0.001..5000   500       5..   20..100000
      SOL/USD:USD   0.01     0.01     0.01..50000   10000     5..   2..10000
      XRP/USD:USD   0.0001   1        1..20000000   2000000   5..   0.005..20
      DOGE/USD:USD  0.00001  1        1..100000000  20000000  5..   0.001..5
      BNB/USD:USD   0.01     0.01     0.01..20000   2000      5..   5..20000
      ADA/USD:USD   0.0001   1        1..20000000   5000000   5..   0.005..20
      LTC/USD:USD   0.01     0.01     0.01..200000  20000     5..   0.5..2000
      LINK/USD:USD  0.001    0.1      0.1..1000000  200000    5..   0.1..500
      AVAX/USD:USD  0.001    0.1      0.1..500000   50000     5..   0.2..1000
    `),
  },
};
