import { requestsIn, type VenueListing } from '../exchange-listing.js';
import { crossing } from '../price-band.js';
import { tradingRules } from '../trading-rule.js';

/** Rules in the style of its public currency-pair and contract lists. Fees: VIP 0 of the public schedule. */
export const GATEIO: VenueListing = {
  weight: 0.3,
  priceOffsetBps: 0.6,
  requestRate: requestsIn(1, 10),
  selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
  capabilities: { isAmendOffered: true, isHedgeModeOffered: true, leverageMax: 125 },
  latency: {
    feed: { medianUs: 5000, sigma: 0.5 },
    entry: { medianUs: 8000, sigma: 0.55 },
    response: { medianUs: 5000, sigma: 0.5 },
  },
  spot: {
    fees: { makerPpm: 1000, takerPpm: 1000 },
    bands: crossing(0.1),
    isPostOnlyOffered: false,
    rules: tradingRules(`
      symbol     tick      lot       quantity        market   cost        price
      BTC/USDT   0.1       0.000001  0.000001..200   10       3..2000000  0.1..20000000
      ETH/USDT   0.01      0.0001    0.0001..5000    200      3..2000000  0.01..1000000
      SOL/USDT   0.01      0.001     0.001..50000    2000     3..2000000  0.01..100000
      XRP/USDT   0.0001    0.01      0.01..20000000  1000000  3..2000000  0.0001..200
      DOGE/USDT  0.00001   0.1       0.1..100000000  5000000  3..2000000  0.00001..50
      ETH/BTC    0.000001  0.0001    0.0001..5000    200      0.0001..20  0.000001..20
      BNB/USDT   0.1       0.001     0.001..20000    1000     3..2000000  0.1..200000
      ADA/USDT   0.0001    0.01      0.01..20000000  1000000  3..2000000  0.0001..200
      LTC/USDT   0.01      0.001     0.001..200000   10000    3..2000000  0.01..20000
      LINK/USDT  0.001     0.01      0.01..1000000   50000    3..2000000  0.001..5000
      AVAX/USDT  0.01      0.01      0.01..500000    20000    3..2000000  0.01..10000
      BTC/USDC   0.1       0.000001  0.000001..200   10       3..2000000  0.1..20000000
    `),
  },
  perpetual: {
    fees: { makerPpm: 200, takerPpm: 500 },
    bands: crossing(0.05),
    isPostOnlyOffered: false,
    rules: tradingRules(`
      symbol          tick     lot     quantity      market    cost  price
      BTC/USDT:USDT   0.1      0.0001  0.0001..200   20        5..   500..2000000
      ETH/USDT:USDT   0.01     0.01    0.01..5000    500       5..   20..100000
      SOL/USDT:USDT   0.01     0.1     0.1..100000   10000     5..   2..10000
      XRP/USDT:USDT   0.0001   1       1..20000000   2000000   5..   0.005..20
      DOGE/USDT:USDT  0.00001  1       1..200000000  20000000  5..   0.001..5
      BNB/USDT:USDT   0.01     0.001   0.001..20000  2000      5..   5..20000
      ADA/USDT:USDT   0.0001   1       1..50000000   5000000   5..   0.005..20
      LTC/USDT:USDT   0.01     0.1     0.1..200000   20000     5..   0.5..2000
      LINK/USDT:USDT  0.001    0.1     0.1..2000000  200000    5..   0.1..500
      AVAX/USDT:USDT  0.001    0.1     0.1..500000   50000     5..   0.2..1000
    `),
  },
};
