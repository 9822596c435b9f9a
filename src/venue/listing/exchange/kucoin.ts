import { requestsIn, type VenueListing } from '../exchange-listing.js';
import { crossing } from '../price-band.js';
import { tradingRules } from '../trading-rule.js';

/** Rules in the style of its public symbol list. Fees: LV 0 of the public schedule. */
export const KUCOIN: VenueListing = {
  weight: 0.25,
  priceOffsetBps: -0.5,
  requestRate: requestsIn(30, 1000),
  selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH', 'DECREMENT'],
  capabilities: { isAmendOffered: true, isHedgeModeOffered: true, leverageMax: 125 },
  latency: {
    feed: { medianUs: 4000, sigma: 0.5 },
    entry: { medianUs: 7000, sigma: 0.55 },
    response: { medianUs: 4500, sigma: 0.5 },
  },
  spot: {
    fees: { makerPpm: 1000, takerPpm: 1000 },
    bands: crossing(0.1),
    isPostOnlyOffered: false,
    rules: tradingRules(`
      symbol     tick     lot       quantity       market    cost          price
      BTC/USDT   0.1      0.000001  0.00001..200   20        0.1..5000000  0.1..20000000
      ETH/USDT   0.01     0.00001   0.0002..5000   500       0.1..5000000  0.01..1000000
      SOL/USDT   0.001    0.0001    0.002..50000   5000      0.1..5000000  0.001..100000
      XRP/USDT   0.00001  0.01      1..20000000    2000000   0.1..5000000  0.00001..200
      DOGE/USDT  0.00001  0.1       5..100000000   10000000  0.1..5000000  0.00001..50
      ETH/BTC    0.00001  0.00001   0.0002..5000   500       0.0001..100   0.00001..20
      BNB/USDT   0.01     0.0001    0.001..20000   2000      0.1..5000000  0.01..200000
      ADA/USDT   0.0001   0.01      1..20000000    2000000   0.1..5000000  0.0001..200
      LTC/USDT   0.01     0.0001    0.01..200000   20000     0.1..5000000  0.01..20000
      LINK/USDT  0.001    0.001     0.05..1000000  100000    0.1..5000000  0.001..5000
      AVAX/USDT  0.001    0.001     0.02..500000   50000     0.1..5000000  0.001..10000
      BTC/USDC   0.1      0.000001  0.00001..200   20        0.1..5000000  0.1..20000000
    `),
  },
  perpetual: {
    fees: { makerPpm: 200, takerPpm: 600 },
    bands: crossing(0.05),
    isPostOnlyOffered: false,
    rules: tradingRules(`
      symbol          tick     lot    quantity      market    cost  price
      BTC/USDT:USDT   0.1      0.001  0.001..200    20        5..   500..2000000
      ETH/USDT:USDT   0.01     0.01   0.01..5000    500       5..   20..100000
      SOL/USDT:USDT   0.001    0.1    0.1..100000   10000     5..   2..10000
      XRP/USDT:USDT   0.0001   1      1..20000000   2000000   5..   0.005..20
      DOGE/USDT:USDT  0.00001  1      1..200000000  20000000  5..   0.001..5
      BNB/USDT:USDT   0.01     0.01   0.01..20000   2000      5..   5..20000
      ADA/USDT:USDT   0.0001   1      1..50000000   5000000   5..   0.005..20
      LTC/USDT:USDT   0.01     0.1    0.1..200000   20000     5..   0.5..2000
      LINK/USDT:USDT  0.001    0.1    0.1..2000000  200000    5..   0.1..500
      AVAX/USDT:USDT  0.001    0.1    0.1..500000   50000     5..   0.2..1000
    `),
  },
};
