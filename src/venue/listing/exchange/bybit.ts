import { requestsIn, type VenueListing } from '../exchange-listing.js';
import { crossing } from '../price-band.js';
import { tradingRules } from '../trading-rule.js';

/** Rules in the style of its public instruments-info. Fees: VIP 0 of the public schedule. */
export const BYBIT: VenueListing = {
  weight: 0.6,
  priceOffsetBps: 0.3,
  requestRate: requestsIn(1, 10),
  selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
  capabilities: { isAmendOffered: true, isHedgeModeOffered: true, leverageMax: 100 },
  latency: {
    feed: { medianUs: 35_000, sigma: 0.3 },
    entry: { medianUs: 37_000, sigma: 0.35 },
    response: { medianUs: 34_000, sigma: 0.3 },
  },
  spot: {
    fees: { makerPpm: 1000, takerPpm: 1000 },
    bands: crossing(0.1),
    isPostOnlyOffered: false,
    rules: tradingRules(`
      symbol     tick      lot       quantity        market    cost        price
      BTC/USDT   0.01      0.000001  0.000001..200   20        5..4000000  0.01..20000000
      ETH/USDT   0.01      0.00001   0.00001..5000   500       5..4000000  0.01..1000000
      SOL/USDT   0.01      0.001     0.001..100000   10000     5..4000000  0.01..100000
      XRP/USDT   0.0001    0.01      0.01..20000000  2000000   5..4000000  0.0001..200
      DOGE/USDT  0.00001   0.1       0.1..200000000  20000000  5..4000000  0.00001..50
      ETH/BTC    0.000001  0.0001    0.0001..5000    500       0.0001..50  0.000001..20
      BNB/USDT   0.1       0.0001    0.0001..20000   2000      5..4000000  0.1..200000
      ADA/USDT   0.0001    0.01      0.01..50000000  5000000   5..4000000  0.0001..200
      LTC/USDT   0.01      0.0001    0.0001..200000  20000     5..4000000  0.01..20000
      LINK/USDT  0.001     0.01      0.01..2000000   200000    5..4000000  0.001..5000
      AVAX/USDT  0.01      0.01      0.01..500000    50000     5..4000000  0.01..10000
      BTC/USDC   0.01      0.000001  0.000001..200   20        5..4000000  0.01..20000000
    `),
  },
  perpetual: {
    fees: { makerPpm: 200, takerPpm: 550 },
    bands: crossing(0.05),
    isPostOnlyOffered: false,
    rules: tradingRules(`
      symbol          tick     lot    quantity      market    cost  price
      BTC/USDT:USDT   0.1      0.001  0.001..1000   100       5..   500..2000000
      ETH/USDT:USDT   0.01     0.01   0.01..20000   2000      5..   20..100000
      SOL/USDT:USDT   0.001    0.1    0.1..200000   20000     5..   2..10000
      XRP/USDT:USDT   0.0001   1      1..100000000  10000000  5..   0.005..20
      DOGE/USDT:USDT  0.00001  1      1..500000000  50000000  5..   0.001..5
      BNB/USDT:USDT   0.01     0.01   0.01..100000  10000     5..   5..20000
      ADA/USDT:USDT   0.0001   1      1..100000000  10000000  5..   0.005..20
      LTC/USDT:USDT   0.01     0.1    0.1..1000000  100000    5..   0.5..2000
      LINK/USDT:USDT  0.001    0.1    0.1..5000000  500000    5..   0.1..500
      AVAX/USDT:USDT  0.001    0.1    0.1..2000000  200000    5..   0.2..1000
    `),
  },
};
