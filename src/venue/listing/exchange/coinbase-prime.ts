import { requestsIn, type VenueListing } from '../exchange-listing.js';
import { crossing } from '../price-band.js';
import { tradingRules } from '../trading-rule.js';

/** Rules in the style of its public product list. Fees are agreed with each client; these are plausible. */
export const COINBASE_PRIME: VenueListing = {
  weight: 0.5,
  priceOffsetBps: 1.5,
  requestRate: requestsIn(1, 25),
  selfTradePreventions: ['EXPIRE_TAKER'],
  capabilities: { isAmendOffered: true, isHedgeModeOffered: false, leverageMax: 10 },
  latency: {
    feed: { medianUs: 82_000, sigma: 0.2 },
    entry: { medianUs: 86_000, sigma: 0.25 },
    response: { medianUs: 82_000, sigma: 0.2 },
  },
  spot: {
    fees: { makerPpm: 500, takerPpm: 1000 },
    bands: crossing(0.1),
    isPostOnlyOffered: false,
    rules: tradingRules(`
      symbol     tick     lot       quantity        market    cost         price
      BTC/USDT   0.01     0.000001  0.000001..200   20        1..8000000   0.01..20000000
      ETH/USDT   0.01     0.00001   0.00001..5000   500       1..8000000   0.01..1000000
      SOL/USDT   0.01     0.001     0.001..50000    10000     1..8000000   0.01..100000
      XRP/USDT   0.0001   0.01      0.01..20000000  2000000   1..8000000   0.0001..200
      DOGE/USDT  0.00001  0.1       0.1..100000000  20000000  1..8000000   0.00001..50
      ETH/BTC    0.00001  0.00001   0.00001..5000   500       0.0001..100  0.00001..20
      BNB/USDT   0.01     0.001     0.001..20000    2000      1..8000000   0.01..200000
      ADA/USDT   0.0001   0.01      0.01..20000000  5000000   1..8000000   0.0001..200
      LTC/USDT   0.01     0.0001    0.0001..200000  20000     1..8000000   0.01..20000
      LINK/USDT  0.001    0.01      0.01..1000000   200000    1..8000000   0.001..5000
      AVAX/USDT  0.01     0.01      0.01..500000    50000     1..8000000   0.01..10000
      BTC/USDC   0.01     0.000001  0.000001..200   20        1..8000000   0.01..20000000
    `),
  },
  perpetual: {
    fees: { makerPpm: 200, takerPpm: 400 },
    bands: crossing(0.05),
    isPostOnlyOffered: false,
    rules: tradingRules(`
      symbol          tick     lot    quantity      market    cost  price
      BTC/USDT:USDT   0.1      0.001  0.001..200    20        10..  500..2000000
      ETH/USDT:USDT   0.01     0.01   0.01..5000    500       10..  20..100000
      SOL/USDT:USDT   0.01     0.1    0.1..50000    5000      10..  2..10000
      XRP/USDT:USDT   0.0001   1      1..20000000   2000000   10..  0.005..20
      DOGE/USDT:USDT  0.00001  1      1..100000000  10000000  10..  0.001..5
      BNB/USDT:USDT   0.01     0.01   0.01..20000   2000      10..  5..20000
      ADA/USDT:USDT   0.0001   1      1..20000000   2000000   10..  0.005..20
      LTC/USDT:USDT   0.01     0.1    0.1..200000   20000     10..  0.5..2000
      LINK/USDT:USDT  0.001    0.1    0.1..1000000  100000    10..  0.1..500
      AVAX/USDT:USDT  0.001    0.1    0.1..500000   50000     10..  0.2..1000
    `),
  },
};
