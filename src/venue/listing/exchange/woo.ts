import { requestsIn, type VenueListing } from '../exchange-listing.js';
import { crossing } from '../price-band.js';
import { tradingRules } from '../trading-rule.js';

/** Rules in the style of its public instrument list. Fees: plausible, between its tiers with and without staking. */
export const WOO: VenueListing = {
  weight: 0.15,
  priceOffsetBps: -1,
  requestRate: requestsIn(1, 10),
  selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
  capabilities: { isAmendOffered: true, isHedgeModeOffered: true, leverageMax: 50 },
  latency: {
    feed: { medianUs: 3000, sigma: 0.4 },
    entry: { medianUs: 5000, sigma: 0.45 },
    response: { medianUs: 3000, sigma: 0.4 },
  },
  spot: {
    fees: { makerPpm: 200, takerPpm: 500 },
    bands: crossing(0.1),
    isPostOnlyOffered: false,
    rules: tradingRules(`
      symbol     tick      lot      quantity      market    cost        price
      BTC/USDT   0.01      0.00001  0.00001..20   20        5..2000000  0.01..20000000
      ETH/USDT   0.01      0.0001   0.0001..500   500       5..2000000  0.01..1000000
      SOL/USDT   0.01      0.01     0.01..10000   5000      5..2000000  0.01..100000
      XRP/USDT   0.00001   0.1      0.1..2000000  2000000   5..2000000  0.00001..200
      DOGE/USDT  0.00001   1        1..20000000   10000000  5..2000000  0.00001..50
      ETH/BTC    0.000001  0.001    0.001..500    500       0.0001..20  0.000001..20
      BNB/USDT   0.01      0.001    0.001..2000   2000      5..2000000  0.01..200000
      ADA/USDT   0.0001    0.1      0.1..5000000  2000000   5..2000000  0.0001..200
      LTC/USDT   0.01      0.001    0.001..20000  20000     5..2000000  0.01..20000
      LINK/USDT  0.001     0.01     0.01..200000  100000    5..2000000  0.001..5000
      AVAX/USDT  0.001     0.01     0.01..50000   50000     5..2000000  0.001..10000
      BTC/USDC   0.01      0.00001  0.00001..20   20        5..2000000  0.01..20000000
    `),
  },
  perpetual: {
    fees: { makerPpm: 100, takerPpm: 500 },
    bands: crossing(0.1),
    isPostOnlyOffered: false,
    rules: tradingRules(`
      symbol          tick     lot     quantity      market    cost  price
      BTC/USDT:USDT   0.1      0.0001  0.0001..100   20        10..  500..2000000
      ETH/USDT:USDT   0.01     0.001   0.001..2000   500       10..  20..100000
      SOL/USDT:USDT   0.001    0.01    0.01..20000   5000      10..  2..10000
      XRP/USDT:USDT   0.0001   1       1..10000000   2000000   10..  0.005..20
      DOGE/USDT:USDT  0.00001  1       1..50000000   10000000  10..  0.001..5
      BNB/USDT:USDT   0.01     0.01    0.01..10000   2000      10..  5..20000
      ADA/USDT:USDT   0.0001   1       1..10000000   2000000   10..  0.005..20
      LTC/USDT:USDT   0.01     0.01    0.01..100000  20000     10..  0.5..2000
      LINK/USDT:USDT  0.001    0.1     0.1..500000   100000    10..  0.1..500
      AVAX/USDT:USDT  0.001    0.1     0.1..200000   50000     10..  0.2..1000
    `),
  },
};
