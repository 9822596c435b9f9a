import { requestsIn, type VenueListing } from '../exchange-listing.js';
import { crossing, within } from '../price-band.js';
import { tradingRules } from '../trading-rule.js';

/**
 * Rules as its public exchangeInfo gave them in August 2025, for instruments that are missing there in 2021 with the steps
 * of later announcements. Fees: VIP 0 of the public fee schedule.
 */
export const BINANCE: VenueListing = {
  weight: 1,
  priceOffsetBps: 0,
  requestRate: requestsIn(10, 100),
  selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH', 'DECREMENT'],
  capabilities: { isAmendOffered: true, isHedgeModeOffered: true, leverageMax: 125 },
  latency: {
    feed: { medianUs: 2500, sigma: 0.35 },
    entry: { medianUs: 3500, sigma: 0.4 },
    response: { medianUs: 2000, sigma: 0.35 },
  },
  spot: {
    fees: { makerPpm: 1000, takerPpm: 1000 },
    bands: within(0.2, 5),
    isPostOnlyOffered: true,
    rules: tradingRules(`
      symbol     tick     lot      quantity        market     cost             price
      BTC/USDT   0.01     0.00001  0.00001..9000   97.09521   5..9000000       0.01..1000000
      ETH/USDT   0.01     0.0001   0.0001..9000    2357.344   5..9000000       0.01..1000000
      SOL/USDT   0.01     0.001    0.001..90000    52005.812  5..9000000       0.01..10000
      XRP/USDT   0.0001   0.1      0.1..9222449    9222449    5..9000000       0.0001..10000
      DOGE/USDT  0.00001  1        1..9000000      9000000    5..9000000       0.00001..1000
      ETH/BTC    0.00001  0.0001   0.0001..100000  1378.2241  0.0001..9000000  0.00001..922327
      BNB/USDT   0.01     0.001    0.001..900000   28160.593  5..9000000       0.01..100000
      ADA/USDT   0.0001   0.1      0.1..900000     900000     5..9000000       0.0001..1000
      LTC/USDT   0.01     0.001    0.001..90000    25570.862  5..9000000       0.01..100000
      LINK/USDT  0.01     0.01     0.01..90000     90000      5..9000000       0.01..10000
      AVAX/USDT  0.01     0.01     0.01..90000     78926.34   5..9000000       0.01..10000
      BTC/USDC   0.01     0.00001  0.00001..9000   91.92345   5..9000000       0.01..1000000
    `),
  },
  perpetual: {
    fees: { makerPpm: 200, takerPpm: 500 },
    bands: crossing(0.05),
    ownBands: { 'LINK/USDT:USDT': crossing(0.1) },
    isPostOnlyOffered: true,
    rules: tradingRules(`
      symbol          tick     lot    quantity       market   cost   price
      BTC/USDT:USDT   0.1      0.001  0.001..1000    120      100..  556.8..4529764
      ETH/USDT:USDT   0.01     0.001  0.001..10000   2000     20..   39.86..306177
      SOL/USDT:USDT   0.001    0.01   0.01..1000000  20000    5..    0.413..100000
      XRP/USDT:USDT   0.0001   0.1    0.1..10000000  2000000  5..    0.0143..100000
      DOGE/USDT:USDT  0.00001  1      1..10000000    5000000  5..    0.00244..100
      BNB/USDT:USDT   0.01     0.01   0.01..100000   2000     5..    6.6..100000
      ADA/USDT:USDT   0.0001   1      1..6000000     1300000  5..    0.0174..20000
      LTC/USDT:USDT   0.01     0.001  0.001..10000   5000     20..   3.61..100000
      LINK/USDT:USDT  0.001    0.01   0.01..200000   20000    20..   0.464..100000
      AVAX/USDT:USDT  0.001    1      1..10000000    25000    5..    0.348..1000
    `),
  },
};
